// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/again.h"

#include <string.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* What is asked of the target is left out: levels, rows, formats, files. */
static const struct td_option_group *const kept[] = {
	&td_group_cpus,
	&td_group_tasks,
	&td_group_cgroups,
	&td_group_cores,
	&td_group_files,
	&td_group_when,
	NULL,
};

/* What of it all subcommands take that run or attach. */
static const struct td_option_group *const of_target[] = {
	&td_group_cpus, &td_group_tasks, &td_group_cores, &td_group_files, NULL,
};

/*
 * The row of a kept option; NULL for others.  A result has no intervals, and how
 * often it is run is written apart.
 */
static const struct td_option *
find_kept(const struct td_option_group *const *rows, const struct td_option *o)
{
	const struct td_option *found =
		o ? td_option_find(rows, o->name, strlen(o->name)) : NULL;

	return found && strncmp(found->name, "interval", 8) != 0 &&
			       strcmp(found->name, "repeat") != 0
		       ? found
		       : NULL;
}

/* Where, what may be put there, and of which subcommand the words are. */
struct again {
	FILE *fp;
	const struct td_option_group *const *kept, *const *groups;
	const char *but; /* an option that is written apart; NULL: none */
};

static void put_option(const struct again *again, const struct td_option *o,
		       const char *value)
{
	FILE *fp = again->fp;

	if (!find_kept(again->kept, o) ||
	    (again->but && strcmp(o->name, again->but) == 0))
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

/* Both return true if next was used up as a value. */
static bool put_long(const struct again *again, const char *name,
		     const char *next)
{
	const struct td_option_group *const *groups = again->groups;
	size_t len = strcspn(name, "=");
	const struct td_option *o = td_option_find(groups, name, len);
	const char *value = name[len] ? name + len + 1 : NULL;
	bool takes;

	if (!o)
		o = td_option_find_begin(groups, name, len);
	takes = o && o->arg && !o->optional && !value;
	put_option(again, o, takes ? next : value);
	return takes;
}

static bool put_letters(const struct again *again, const char *letters,
			const char *next)
{
	for (; *letters; letters++) {
		const struct td_option *o =
			td_option_find_letter(again->groups, *letters);

		if (!o || !o->arg) {
			put_option(again, o, NULL);
			continue;
		}
		put_option(again, o, letters[1] ? letters + 1 : next);
		return !letters[1] && !o->optional;
	}
	return false;
}

static void put_options(const struct again *again,
			const struct td_request *request)
{
	for (int i = 0; i < request->typed.nr_words; i++) {
		const char *word = request->typed.words[i];
		const char *next = i + 1 < request->typed.nr_words
					   ? request->typed.words[i + 1]
					   : NULL;

		if (strcmp(word, "--") == 0)
			break;
		if (word[0] != '-' || !word[1])
			continue;
		i += word[1] == '-' ? put_long(again, word + 2, next)
				    : put_letters(again, word + 1, next);
	}
}

void td_again_put_options(FILE *fp, const struct td_request *request)
{
	put_options(&(struct again){ fp, kept, request->typed.groups, NULL },
		    request);
}

void td_again_put_groups(FILE *fp, const struct td_request *request,
			 const struct td_option_group *const *groups)
{
	put_options(&(struct again){ fp, groups, request->typed.groups, NULL },
		    request);
}

void td_again_put_runs(FILE *fp, const struct td_request *request)
{
	if (request->when.has_repeat)
		fprintf(fp, " -r %d", request->when.repeat);
	if (request->no_multiplex)
		fputs(" --no-multiplex", fp);
}

/* So much more, but at least so many runs, or so long, tells errors. */
#define TIMES_MORE 10
#define LEAST_MS   10000

long long td_again_more_runs(const struct td_request *request)
{
	return TIMES_MORE *
	       (request->when.repeat > 1 ? (long long)request->when.repeat : 1);
}

void td_again_put_more(FILE *fp, const struct td_request *request, bool runs)
{
	const struct td_when *when = &request->when;
	long long ms = (long long)when->timeout_ms * TIMES_MORE;

	if (!request->does.replays)
		put_options(&(struct again){ fp, kept, request->typed.groups,
					     runs ? NULL : "timeout" },
			    request);
	if (runs)
		fprintf(fp, " -r %lld", td_again_more_runs(request));
	else
		fprintf(fp, " --timeout %llds",
			(ms > LEAST_MS ? ms : LEAST_MS) / 1000);
	if (request->no_multiplex)
		fputs(" --no-multiplex", fp);
}

void td_again_put_command(FILE *fp, const struct td_request *request)
{
	if (!request->target.command)
		return;
	fputs(" --", fp);
	for (char **word = request->target.command; *word; word++) {
		fputc(' ', fp);
		td_put_shell_word(fp, *word);
	}
}

void td_again_put_target(FILE *fp, const struct td_request *request)
{
	put_options(
		&(struct again){ fp, of_target, request->typed.groups, NULL },
		request);
	if (!request->target.command)
		fputs(" --timeout 10s", fp);
	td_again_put_command(fp, request);
}
