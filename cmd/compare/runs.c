// SPDX-License-Identifier: GPL-2.0-only
/* tdstat diff -- A : B: makes the recordings of both sides itself. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/compare/compare.h"
#include "cmd/opts/rerun.h"
#include "cmd/plan/job.h"
#include "cmd/run/progress.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/plan/clocks.h"

/* --- the rows --------------------------------------------------------------- */

static void add(struct td_diff *rows, const struct td_diff_row *row)
{
	td_array_push(&rows->rows, &rows->nr, row, sizeof(*row));
}

static void add_times(struct td_diff *rows)
{
	static const char *const times[] = { "elapsed", "user", "sys" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++)
		add(rows,
		    &(struct td_diff_row){ .kind = TD_DIFF_TIME, .name = times[i], .unit = "s" });
}

static bool counts_clock(const struct td_plan *plan, int pmu, enum td_clock_event clock)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->pmu == pmu && td_clock_modifiers(event->name, clock))
			return true;
	}
	return false;
}

static void add_ipc(struct td_diff *rows, const struct td_job *job)
{
	const struct td_diff_row ipc = { .kind = TD_DIFF_IPC, .name = "IPC", .unit = "" };

	for (int pmu = 0; pmu < (int)job->machine.nr_core; pmu++) {
		if (counts_clock(&job->plan, pmu, TD_CLOCK_INSTRUCTIONS) &&
		    counts_clock(&job->plan, pmu, TD_CLOCK_CYCLES)) {
			add(rows, &ipc);
			return;
		}
	}
}

static void add_nodes(struct td_diff *rows, const struct td_tree *tree, size_t pmu)
{
	for (size_t i = 0; i < tree->nr_nodes[pmu]; i++) {
		const struct td_node *node = &tree->nodes[pmu][i];
		const struct td_column *column = &tree->columns[node->column];

		add(rows, &(struct td_diff_row){ .kind = TD_DIFF_METRIC,
						 .name = column->name,
						 .unit = column->unit,
						 .level = node->level });
	}
}

static void add_tree(struct td_diff *rows, const struct td_tree *tree)
{
	for (size_t pmu = 0; tree && pmu < tree->nr_pmus; pmu++)
		add_nodes(rows, tree, pmu);
}

static void add_events(struct td_diff *rows, const struct td_job *job)
{
	const struct td_events *events = &job->plan.events;

	for (size_t i = 0; !job->tree && i < events->nr; i++) {
		if (!events->v[i].hidden)
			add(rows, &(struct td_diff_row){ .kind = TD_DIFF_EVENT,
							 .name = events->v[i].name,
							 .unit = "" });
	}
}

/* --- missing rows ------------------------------------------------------------- */

/* Plan a dry run, which opens no event.  The request must outlive the job. */
static int plan(struct td_job *job, struct td_request *request)
{
	struct td_err unused = { 0 };

	request->dry_run = true;
	return td_job_plan(job, request, &unused);
}

/* Return the level of the node with this name; 0: there is no such node. */
static int find_level(const struct td_diff *nodes, const char *name)
{
	for (size_t i = 0; i < nodes->nr; i++) {
		if (td_node_is_called(nodes->rows[i].name, name))
			return nodes->rows[i].level;
	}
	return 0;
}

/*
 * May the recording have nodes of this level, which is not compared?  Older recordings do not
 * contain their level.
 */
static bool may_have(const struct td_recorded *recorded, int level)
{
	const struct td_ask *ask = &recorded->rec.info.ask;

	return recorded->request.ask.level < level && (!td_ask_is_made(ask) || ask->level >= level);
}

/* Return the error for a node of a level without a row in the recording. */
static int not_recorded(const struct td_recorded *recorded, const char *name, int level,
			struct td_err *err)
{
	const struct td_ask *ask = &recorded->rec.info.ask;
	const char *path = recorded->rec.path;

	if (may_have(recorded, level)) {
		td_err_usage(err, "--fail-above %s: a node of level %d, which is not compared",
			     name, level);
		return td_err_hint(err, "-l %d compares it, if it was recorded", level);
	}
	if (ask->level && ask->level < level)
		td_err_usage(err,
			     "--fail-above %s: a node of level %d, and %s was recorded at level %d",
			     name, level, path, ask->level);
	else
		td_err_usage(err, "--fail-above %s: a node of level %d, which %s does not have",
			     name, level, path);
	return recorded->request.does.imports
		       ? td_err_hint(err, "for perf stat: tdstat --print-perf -l %d", level)
		       : td_err_hint(err, "tdstat record -l %d records it", level);
}

/* Explain a missing name, which a deeper level may have.  recorded is NULL for commands. */
static int explain(const struct td_limits *limits, const struct td_diff *rows,
		   const struct td_diff *nodes, const struct td_recorded *recorded,
		   struct td_err *err)
{
	const char *name = td_limits_find_missing(limits, rows);
	int level = find_level(nodes, name);

	if (!level)
		return td_limits_check(limits, rows, nodes, err);
	if (recorded)
		return not_recorded(recorded, name, level, err);
	td_err_usage(err, "--fail-above %s: a node of level %d, which would not be measured", name,
		     level);
	return td_err_hint(err, "-l %d measures it", level);
}

/* Check the names; without metric files of the processor, its nodes are unknown. */
static int check(const struct td_limits *limits, const struct td_diff *rows,
		 const struct td_request *asked, const struct td_recorded *recorded,
		 struct td_err *err)
{
	struct td_request request = *asked;
	struct td_diff nodes = { 0 };
	struct td_job job;
	int rc;

	if (!td_limits_find_missing(limits, rows) || td_request_has_events(asked))
		return td_limits_check(limits, rows, NULL, err);
	request.ask = (struct td_ask){ .level = TD_MAX_LEVEL };
	if (!plan(&job, &request))
		add_tree(&nodes, job.tree);
	rc = explain(limits, rows, &nodes, recorded, err);
	td_diff_free(&nodes);
	td_job_free(&job);
	return rc;
}

int td_sides_check_limits(const struct td_sides *sides, const struct td_limits *limits,
			  const struct td_diff *diff, const struct td_opts *opts,
			  struct td_err *err)
{
	const struct td_recorded *first = &sides->v[0].recorded;
	struct td_request request = opts->request;
	char model[48];

	if (first->rec.info.of_events || !first->rec.machine.cpuid.family)
		return td_limits_check(limits, diff, NULL, err);
	td_cpuid_format(&first->rec.machine.cpuid, model);
	request.model = model;
	request.target.all_cpus = true;
	return check(limits, diff, &request, first, err);
}

int td_planned_check(const struct td_limits *limits, const struct td_opts *opts, struct td_err *err)
{
	struct td_request asked = opts->request;
	struct td_diff rows = { 0 };
	struct td_job job;
	int rc = 0;

	if (!td_ask_is_made(&asked.ask) && !td_request_has_events(&asked))
		asked.ask.level = 1;
	if (!limits->nr)
		return 0;
	if (!plan(&job, &asked)) {
		add_times(&rows);
		add_ipc(&rows, &job);
		add_tree(&rows, job.tree);
		add_events(&rows, &job);
		rc = check(limits, &rows, &asked, NULL, err);
	}
	td_job_free(&job);
	td_diff_free(&rows);
	return rc;
}

/* How often each command runs by default. */
#define DEFAULT_RUNS 5

#define SEPARATOR ":"

/* --- the commands ----------------------------------------------------------- */

/* Return the index of the first ":", and their number in *nr; 0: none. */
static size_t find_separator(char *const *command, size_t *nr)
{
	size_t first = 0;

	*nr = 0;
	for (size_t i = 0; command[i]; i++) {
		if (strcmp(command[i], SEPARATOR) != 0)
			continue;
		first = *nr ? first : i;
		++*nr;
	}
	return first;
}

int td_runs_check(const struct td_opts *opts, struct td_err *err)
{
	char *const *command = opts->request.target.command;
	size_t nr, at = find_separator(command, &nr);

	if (nr == 1 && at && command[at + 1])
		return 0;
	if (nr > 1)
		td_err_usage(err, "tdstat diff runs two commands: more than one ':' between them");
	else
		td_err_usage(err, "tdstat diff runs two commands: %s",
			     !nr  ? "no ':' between them"
			     : at ? "none after the ':'"
				  : "none before the ':'");
	return td_err_hint(
		err,
		"tdstat diff -r 5 -- ./old : ./new; for a ':' in a command, quote it with more: sh "
		"-c '...'");
}

/* Return the words of a command as typed, with quotes. */
static char *format(char *const *command)
{
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	for (; *command; command++) {
		td_put_shell_word(fp, *command);
		if (command[1])
			fputc(' ', fp);
	}
	td_text_close(fp, &text);
	return text;
}

/* --- one run ---------------------------------------------------------------- */

struct runs {
	struct td_sides *sides;
	const struct td_opts *opts;
	struct td_notes *notes;
	struct td_inherited inherited;
	char **commands[TD_DIFF_SIDES];
	size_t nr; /* number of runs of each command */
	struct td_runs_made *made;
	struct td_progress progress;  /* progress of both commands */
	int nothing;                  /* descriptor for results of single runs, which are dropped */
	int status[TD_DIFF_SIDES];    /* the last exit status other than 0 */
	size_t failed[TD_DIFF_SIDES]; /* number of runs whose exit status was not 0 */
};

static const char *letter(size_t side)
{
	return side == TD_DIFF_A ? "A" : "B";
}

/* Return the request of a run.  Only the first run of a side prints notes. */
static struct td_request request_of(const struct runs *runs, size_t side, size_t round,
				    const char *path)
{
	struct td_request request = runs->opts->request;

	request.does = (struct td_does){ .records = true, .latencies = true, .always = true };
	request.target.command = runs->commands[side];
	request.show.output = path;
	request.show.append = false;
	request.show.format = TD_FORMAT_TEXT;
	request.show.log_fd = runs->nothing;
	request.when.has_repeat = false;
	request.when.repeat = 1;
	request.show.no_verdict = true;
	request.show.quiet = request.show.quiet || round;
	if (!td_ask_is_made(&request.ask) && !td_request_has_events(&request))
		request.ask.level = 1;
	return request;
}

/* Note the exit status.  Returns an error if the command was killed, which ends all runs. */
static int take_status(struct runs *runs, size_t side, size_t round, int status, bool interrupted,
		       struct td_err *err)
{
	if (interrupted)
		return td_err_set(err, -EINTR, "interrupted in run %zu of %s: nothing is compared",
				  round + 1, letter(side));
	if (status > 128)
		return td_err_set(err, -ECHILD, "run %zu of %s, '%s', was ended by signal %d",
				  round + 1, letter(side), runs->commands[side][0], status - 128);
	runs->failed[side] += status != 0;
	if (status)
		runs->status[side] = status;
	return 0;
}

static int run_session(struct runs *runs, size_t side, size_t round,
		       const struct td_request *request, struct td_attempt *attempt,
		       struct td_err *err)
{
	struct td_focus focus = { 0 };
	const struct td_receivers receivers = { .focus = &focus,
						.attempt = attempt,
						.again = runs->made->uncounted };
	int status = 0;
	int rc = td_session_count(request, &runs->inherited, &receivers, &status, err);

	return rc ? rc : take_status(runs, side, round, status, focus.interrupted, err);
}

static int run_uncounted(struct runs *runs, size_t side, size_t round, struct td_err *err)
{
	struct td_request request = request_of(runs, side, round, NULL);
	struct td_attempt attempt = { 0 };

	request = td_always_uncounted(&request);
	return run_session(runs, side, round, &request, &attempt, err);
}

/* Stop counting after an error, because the means of incomplete sets of runs would be wrong. */
static int give_up(struct runs *runs, const struct td_attempt *attempt, bool first,
		   struct td_err *err)
{
	struct td_request request = runs->opts->request;

	request.does.always = true;
	if (!td_always_is_due(&request, attempt, err))
		return err->code;
	td_inherited_hint(err);
	runs->made->held = request.when.require && first;
	if (request.when.require)
		return err->code;
	runs->made->uncounted = true;
	if (request.show.quiet)
		return 0;
	td_say_error(err);
	td_say("tdstat: nothing is compared: the commands run anyway\n");
	return 0;
}

static int memfd_error(struct td_err *err)
{
	return td_err_set(err, -errno, "memory for a recording: %s", strerror(errno));
}

/* Record a run in memory, so that no file has to be removed, however tdstat ends. */
static int run_counted(struct runs *runs, size_t side, size_t round, struct td_attempt *attempt,
		       struct td_err *err)
{
	struct td_summed *summed = &runs->sides->v[side * runs->nr + round];
	struct td_request request;
	int fd = memfd_create("tdstat", MFD_CLOEXEC), rc;
	char path[40];

	if (fd < 0)
		return memfd_error(err);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (access(path, F_OK)) {
		td_err_set(err, -errno, "%s: %s", path, strerror(errno));
		td_close_fd(&fd);
		return td_err_hint(err, "is proc mounted on /proc?");
	}
	td_progress_run(&runs->progress, side == TD_DIFF_A ? "A: run" : "B: run", round + 1,
			runs->nr);
	request = request_of(runs, side, round, path);
	rc = run_session(runs, side, round, &request, attempt, err);
	td_progress_clear(&runs->progress);
	if (!rc)
		rc = td_summed_read(summed, path, runs->opts, runs->notes, err);
	td_close_fd(&fd);
	summed->recorded.rec.path = runs->sides->names[side];
	summed->recorded.request.input = runs->sides->names[side];
	return rc;
}

static int run_once(struct runs *runs, size_t side, size_t round, struct td_err *err)
{
	struct td_attempt attempt = { 0 };
	bool first = !round && side == TD_DIFF_A;
	int rc;

	if (!runs->made->uncounted) {
		rc = run_counted(runs, side, round, &attempt, err);
		if (rc)
			rc = give_up(runs, &attempt, first, err);
		if (rc || !runs->made->uncounted)
			return rc;
	}
	return run_uncounted(runs, side, round, err);
}

/* --- all runs --------------------------------------------------------------- */

static int prepare(struct runs *runs, struct td_err *err)
{
	struct td_sides *sides = runs->sides;
	char **command = runs->opts->request.target.command;
	size_t nr, at = find_separator(command, &nr);

	command[at] = NULL;
	runs->commands[TD_DIFF_A] = command;
	runs->commands[TD_DIFF_B] = command + at + 1;
	*sides = (struct td_sides){
		.v = td_calloc(TD_DIFF_SIDES * runs->nr, sizeof(*sides->v)),
		.inputs = td_calloc(TD_DIFF_SIDES * runs->nr, sizeof(*sides->inputs)),
		.nr_a = runs->nr,
	};
	for (size_t s = 0; s < TD_DIFF_SIDES; s++)
		sides->names[s] = format(runs->commands[s]);
	/* a container may have no /dev/null */
	runs->nothing = memfd_create("tdstat", MFD_CLOEXEC);
	return runs->nothing < 0 ? memfd_error(err) : 0;
}

static int run_all(struct runs *runs, struct td_err *err)
{
	int rc = 0;

	td_inherited_change(&runs->inherited);
	for (size_t round = 0; !rc && round < runs->nr; round++) {
		for (size_t i = 0; !rc && i < TD_DIFF_SIDES; i++)
			rc = run_once(runs, (round + i) % TD_DIFF_SIDES, round, err);
	}
	return rc;
}

static bool say_failed(const struct runs *runs)
{
	bool any = false;

	for (size_t s = 0; s < TD_DIFF_SIDES; s++) {
		if (!runs->failed[s])
			continue;
		any = true;
		td_say("tdstat: %s, '%s': exit status %d in %zu of %zu runs\n", letter(s),
		       runs->commands[s][0], runs->status[s], runs->failed[s], runs->nr);
	}
	return any;
}

static struct runs make_runs(struct td_sides *sides, const struct td_opts *opts,
			     struct td_runs_made *made, struct td_notes *notes)
{
	return (struct runs){
		.sides = sides,
		.opts = opts,
		.made = made,
		.notes = notes,
		.nr = opts->request.when.has_repeat ? (size_t)opts->request.when.repeat
						    : DEFAULT_RUNS,
		.nothing = -1,
	};
}

int td_runs_read(struct td_sides *sides, const struct td_opts *opts, struct td_runs_made *made,
		 struct td_notes *notes, struct td_err *err)
{
	struct runs runs = make_runs(sides, opts, made, notes);
	int rc = prepare(&runs, err);

	runs.progress = td_progress_make(&opts->request, TD_DIFF_SIDES * runs.nr);
	/* td_sides_free() frees all, including those that did not run */
	sides->nr = TD_DIFF_SIDES * runs.nr;
	if (!rc)
		rc = run_all(&runs, err);
	td_close_fd(&runs.nothing);
	made->failed = say_failed(&runs);
	return rc;
}

int td_runs_unseen(const struct td_opts *opts, struct td_runs_made *made, struct td_err *err)
{
	const struct td_attempt none = { 0 };
	struct td_sides sides = { 0 };
	struct runs runs = make_runs(&sides, opts, made, NULL);
	int rc = give_up(&runs, &none, true, err);

	if (!rc)
		rc = prepare(&runs, err);
	if (!rc)
		rc = run_all(&runs, err);
	td_close_fd(&runs.nothing);
	td_sides_free(&sides);
	made->failed = say_failed(&runs);
	return rc;
}

/* --- command lines to repeat ------------------------------------------------ */

/*
 * Write the names of a side's recordings, and names for those that are still needed: "old A2 A3".
 */
static void put_recordings(FILE *fp, const char **names, size_t nr, char side, size_t enough)
{
	for (size_t i = 0; i < nr; i++) {
		fputc(' ', fp);
		td_put_shell_word(fp, names[i]);
	}
	if (nr < enough)
		fprintf(fp, " %c%zu", side, nr + 1);
	if (nr + 1 < enough)
		fprintf(fp, "%s %c%zu", nr + 2 < enough ? " ..." : "", side, enough);
}

static void put_sides(FILE *fp, const struct td_opts *opts, size_t enough)
{
	size_t nr_a = opts->diff.nr_before ? opts->diff.nr_before : 1;

	put_recordings(fp, opts->patterns, nr_a, 'A', enough);
	fputs(" --", fp);
	put_recordings(fp, opts->patterns + nr_a, opts->nr_patterns - nr_a, 'B', enough);
}

char *td_runs_command(const struct td_sides *sides, const struct td_opts *opts,
		      const struct td_option_group *const *kept, size_t nr)
{
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	fputs("tdstat diff", fp);
	if (opts->request.target.command)
		fprintf(fp, " -r %zu", nr);
	td_rerun_put_groups(fp, &opts->request, kept);
	if (opts->request.target.command)
		fprintf(fp, " -- %s : %s", sides->names[TD_DIFF_A], sides->names[TD_DIFF_B]);
	else
		put_sides(fp, opts, nr);
	td_text_close(fp, &text);
	return text;
}
