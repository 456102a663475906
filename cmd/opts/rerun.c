// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/rerun.h"

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* Groups that tdstat repeats; not levels, rows, formats and files of results. */
static const struct td_option_group *const groups_of_tdstat[] = {
	&td_group_cpus,
	&td_group_tasks,
	&td_group_cgroups,
	&td_group_cores,
	&td_group_files,
	&td_group_when,
	NULL,
};

/* Groups that all subcommands have that run a command or attach to tasks. */
static const struct td_option_group *const groups_of_target[] = {
	&td_group_cpus, &td_group_tasks, &td_group_cores, &td_group_files, NULL,
};

/* Groups that perf stat and tdstat share, with the same values. */
static const struct td_option_group *const groups_of_perf[] = {
	&td_group_cpus,         &td_group_tasks,     &td_group_cgroups,
	&td_group_aggregations, &td_group_processes, NULL,
};

/* Groups of tdstat report that do not change what perf stat counts. */
static const struct td_option_group *const groups_of_report[] = {
	&td_group_files,   &td_group_tree, &td_group_scale,   &td_group_rows,
	&td_group_formats, &td_group_head, &td_group_verbose, NULL,
};

/* The output, and which of the typed options it gets. */
struct rerun {
	FILE *fp;
	const struct td_option_group *const *groups; /* groups of the options to repeat */
	const struct td_option_group *const *typed;  /* groups of the subcommand */
	const char *except; /* an option that the caller writes; NULL: none */
};

/* Return true for an option to repeat.  Callers write -r, and a result has no intervals. */
static bool is_repeated(const struct rerun *rerun, const struct td_option *o)
{
	return td_option_find(rerun->groups, o->name, strlen(o->name)) &&
	       strncmp(o->name, "interval", 8) != 0 && strcmp(o->name, "repeat") != 0 &&
	       !(rerun->except && strcmp(o->name, rerun->except) == 0);
}

static void put_option(const struct rerun *rerun, const struct td_option *o, const char *value)
{
	FILE *fp = rerun->fp;

	if (!o || !is_repeated(rerun, o))
		return;
	if (o->letter)
		fprintf(fp, " -%c", o->letter);
	else
		fprintf(fp, " --%s", o->name);
	if (!value)
		return;
	fputc(o->letter ? ' ' : '=', fp);
	td_put_shell_word(fp, value);
}

/* put_long() and put_letters() return true if next was used up as a value. */
static bool put_long(const struct rerun *rerun, const char *name, const char *next)
{
	size_t len = strcspn(name, "=");
	const struct td_option *o = td_option_find(rerun->typed, name, len);
	const char *value = name[len] ? name + len + 1 : NULL;
	bool takes;

	if (!o)
		o = td_option_find_begin(rerun->typed, name, len);
	takes = o && o->arg && !o->optional && !value;
	put_option(rerun, o, takes ? next : value);
	return takes;
}

static bool put_letters(const struct rerun *rerun, const char *letters, const char *next)
{
	for (; *letters; letters++) {
		const struct td_option *o = td_option_find_letter(rerun->typed, *letters);

		if (!o || !o->arg) {
			put_option(rerun, o, NULL);
			continue;
		}
		put_option(rerun, o, letters[1] ? letters + 1 : next);
		return !letters[1] && !o->optional;
	}
	return false;
}

static void put_options(FILE *fp, const struct td_request *request,
			const struct td_option_group *const *groups, const char *except)
{
	const struct rerun rerun = { fp, groups, request->typed.groups, except };
	char *const *words = request->typed.words;
	int nr = request->typed.nr_words;

	for (int i = 0; i < nr && strcmp(words[i], "--") != 0; i++) {
		const char *next = i + 1 < nr ? words[i + 1] : NULL;

		if (words[i][0] != '-' || !words[i][1])
			continue;
		i += words[i][1] == '-' ? put_long(&rerun, words[i] + 2, next)
					: put_letters(&rerun, words[i] + 1, next);
	}
}

void td_rerun_put_options(FILE *fp, const struct td_request *request)
{
	put_options(fp, request, groups_of_tdstat, NULL);
}

void td_rerun_put_groups(FILE *fp, const struct td_request *request,
			 const struct td_option_group *const *groups)
{
	put_options(fp, request, groups, NULL);
}

void td_rerun_put_runs(FILE *fp, const struct td_request *request)
{
	if (request->when.has_repeat)
		fprintf(fp, " -r %d", request->when.repeat);
	if (request->no_multiplex)
		fputs(" --no-multiplex", fp);
}

/* Factor and minimum time of a run that is long enough for errors. */
#define TIMES_MORE 10
#define MIN_MS     10000

long long td_rerun_more_runs(const struct td_request *request)
{
	return TIMES_MORE * (request->when.repeat > 1 ? (long long)request->when.repeat : 1);
}

void td_rerun_put_more(FILE *fp, const struct td_request *request, bool runs)
{
	long long ms = (long long)request->when.timeout_ms * TIMES_MORE;

	if (!request->does.replays)
		put_options(fp, request, groups_of_tdstat, runs ? NULL : "timeout");
	if (runs)
		fprintf(fp, " -r %lld", td_rerun_more_runs(request));
	else
		fprintf(fp, " --timeout %llds", (ms > MIN_MS ? ms : MIN_MS) / 1000);
	if (request->no_multiplex)
		fputs(" --no-multiplex", fp);
}

static void put_number(FILE *fp, const char *option, int value)
{
	if (value)
		fprintf(fp, " %s %d", option, value);
}

void td_rerun_put_perf(FILE *fp, const struct td_request *request)
{
	put_options(fp, request, groups_of_perf, "by-events");
	if (!request->target.command && !td_target_attaches(&request->target) &&
	    !request->target.has_cpus && !request->target.all_cpus)
		fputs(" -a", fp);
	if (request->show.not_merged && td_request_is_wide(request))
		fputs(" -A", fp);
	put_number(fp, "-I", request->when.interval_ms);
	put_number(fp, "--interval-count", request->when.interval_count);
	put_number(fp, "--timeout", request->when.timeout_ms);
	put_number(fp, "-D", request->when.delay_ms);
	td_rerun_put_runs(fp, request);
}

void td_rerun_put_report(FILE *fp, const struct td_request *request)
{
	const struct td_ask *ask = &request->ask;

	put_options(fp, request, groups_of_report, "level");
	if (!ask->nr_names && !ask->bottlenecks && !ask->only_level)
		fprintf(fp, " -l %d", ask->level);
}

void td_rerun_put_command(FILE *fp, const struct td_request *request)
{
	if (!request->target.command)
		return;
	fputs(" --", fp);
	for (char **word = request->target.command; *word; word++) {
		fputc(' ', fp);
		td_put_shell_word(fp, *word);
	}
}

void td_rerun_put_target(FILE *fp, const struct td_request *request)
{
	put_options(fp, request, groups_of_target, NULL);
	if (!request->target.command)
		fputs(" --timeout 10s", fp);
	td_rerun_put_command(fp, request);
}
