// SPDX-License-Identifier: GPL-2.0-only
/* tdstat diff: compares two recordings, or several on each side, or two commands. */
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/compare/compare.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/opts/rerun.h"
#include "cmd/output/out.h"
#include "cmd/plan/job.h"
#include "cmd/run/progress.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "cmd/view/sink.h"
#include "lib/base/printable.h"
#include "metrics/diff/diff.h"

/* Result of the runs. */
struct runs_made {
	bool failed;    /* a command did not exit with 0, which was printed */
	bool uncounted; /* there is nothing to compare, which was printed */
	bool held;      /* no command ran because of --require */
};

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

/*
 * Check that one ":" separates the commands of A and B.  Returns a usage error if there is
 * none, more than one, or an empty side.
 */
static int runs_check(const struct td_opts *opts, struct td_err *err)
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
	struct runs_made *made;
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

	return rc ?: take_status(runs, side, round, status, focus.interrupted, err);
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
	rc = rc ?: td_summed_read(summed, path, runs->opts, runs->notes, err);
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
			     struct runs_made *made, struct td_notes *notes)
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

/*
 * Run both commands in turn, and record each run in memory: A B, B A, A B ..., so that
 * drifts affect both sides alike.  Runs that cannot be counted are made anyway.  Call
 * td_sides_free() even after an error.  Returns -EINTR if a signal ended it.
 */
static int runs_read(struct td_sides *sides, const struct td_opts *opts, struct runs_made *made,
		     struct td_notes *notes, struct td_err *err)
{
	struct runs runs = make_runs(sides, opts, made, notes);
	int rc = prepare(&runs, err);

	runs.progress = td_progress_make(&opts->request, TD_DIFF_SIDES * runs.nr);
	/* td_sides_free() frees all, including those that did not run */
	sides->nr = TD_DIFF_SIDES * runs.nr;
	rc = rc ?: run_all(&runs, err);
	td_close_fd(&runs.nothing);
	made->failed = say_failed(&runs);
	return rc;
}

/*
 * Print *err, and run both commands as many times as requested, without counting.  Returns the
 * error if they must not run.
 */
static int runs_unseen(const struct td_opts *opts, struct runs_made *made, struct td_err *err)
{
	const struct td_attempt none = { 0 };
	struct td_sides sides = { 0 };
	struct runs runs = make_runs(&sides, opts, made, NULL);
	int rc = give_up(&runs, &none, true, err);

	rc = rc ?: prepare(&runs, err);
	rc = rc ?: run_all(&runs, err);
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

/*
 * Return the command line that runs both commands nr times, or compares nr recordings of each side.
 * kept: the groups whose options it repeats, because they select what is compared.  The caller
 * frees it.
 */
static char *runs_command(const struct td_sides *sides, const struct td_opts *opts,
			  const struct td_option_group *const *kept, size_t nr)
{
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	fputs("tdstat diff", fp);
	if (opts->request.target.command)
		fprintf(fp, " -r %zu", nr);
	td_rerun_put_groups(fp, &opts->request, kept);
	if (opts->request.target.command) {
		fprintf(fp, " -- %s : %s", sides->names[TD_DIFF_A], sides->names[TD_DIFF_B]);
	} else {
		size_t nr_a = opts->diff.nr_before ? opts->diff.nr_before : 1;

		put_recordings(fp, opts->patterns, nr_a, 'A', nr);
		fputs(" --", fp);
		put_recordings(fp, opts->patterns + nr_a, opts->nr_patterns - nr_a, 'B', nr);
	}
	td_text_close(fp, &text);
	return text;
}

#define TROUBLE 2   /* exit status for an error, as in diff(1) */
#define SKIP    125 /* git bisect run skips the commit */

static const int statuses[] = {
	[TD_GATE_PASSED] = 0,
	[TD_GATE_UNDECIDED] = SKIP,
	[TD_GATE_EXCEEDED] = 1,
	[TD_GATE_TROUBLE] = TROUBLE,
};

/* Check the output before commands run, which may take long. */
static int check_append(const struct td_opts *opts, struct td_err *err)
{
	const struct td_frame frame = { .runs = 1 };
	const struct td_sheet sheet = td_out_diff_sheet();
	struct td_sink sink = { 0 };
	int rc;

	if (!opts->request.show.append || !opts->request.target.command)
		return 0;
	rc = td_sink_open(&sink, &opts->request, &frame, err);
	rc = rc ?: td_append_check(&sink, NULL, &sheet, err);
	return td_sink_end(&sink, rc, err);
}

/* Return the machine, or NULL for recordings of several processors. */
static const struct td_machine *one_processor(const struct td_sides *sides)
{
	const struct td_machine *first = &sides->v[0].recorded.rec.machine;

	for (size_t i = 1; i < sides->nr; i++) {
		if (!td_cpuid_is_same(&first->cpuid, &sides->v[i].recorded.rec.machine.cpuid))
			return NULL;
	}
	return first;
}

/* Return true if fd writes to one of the recordings. */
static bool is_written(const struct td_sides *sides, int fd)
{
	for (size_t i = 0; i < sides->nr; i++) {
		if (td_recording_is_written(&sides->v[i].recorded.rec, fd))
			return true;
	}
	return false;
}

static int put(const struct td_sides *sides, const struct td_diff *diff,
	       const struct td_request *request, const struct td_identity *identity,
	       struct td_err *err)
{
	const struct td_frame frame = { .big_num = !request->show.no_big_num,
					.identity = identity,
					.machine = one_processor(sides),
					.runs = 1 };
	const struct td_sheet sheet = td_out_diff_sheet();
	struct td_sink sink = { 0 };
	int rc = td_sink_open(&sink, request, &frame, err);

	if (!rc && is_written(sides, fileno(sink.writer.fp)))
		rc = td_err_usage(err, "%s is a recording that is being read", sink.name);
	rc = rc ?: td_append_check(&sink, NULL, &sheet, err);
	rc = rc ?: td_sink_begin(&sink, err);
	if (!rc)
		td_out_put_diff(&sink.writer, diff);
	return td_sink_end(&sink, rc, err);
}

/*
 * Return true if a result is written in addition to a page, because it has its own format or
 * output.
 */
static bool shows_more_than_page(const struct td_opts *opts)
{
	const struct td_show *show = &opts->request.show;

	return !opts->diff.page || show->formats || show->output || show->log_fd;
}

static int put_page(const struct td_sides *sides, const struct td_diff *diff,
		    const struct td_opts *opts, const struct td_identity *identity,
		    struct td_err *err)
{
	struct td_request request = opts->request;

	request.show.format = TD_FORMAT_HTML;
	request.show.own_file = opts->diff.page;
	request.show.output = strcmp(opts->diff.page, "-") != 0 ? opts->diff.page : NULL;
	request.show.append = false;
	request.show.log_fd = 0;
	return put(sides, diff, &request, identity, err);
}

static int show(const struct td_sides *sides, const struct td_diff *diff,
		const struct td_opts *opts, struct td_err *err)
{
	struct td_identity identity = { 0 };
	int rc = 0;

	td_identity_make(&identity, &opts->request.show.head, opts->request.target.command);
	/* recordings may be from several machines */
	if (!opts->request.target.command)
		td_identity_forget_machine(&identity);
	if (shows_more_than_page(opts))
		rc = put(sides, diff, &opts->request, &identity, err);
	if (!rc && opts->diff.page)
		rc = put_page(sides, diff, opts, &identity, err);
	td_identity_free(&identity);
	return rc;
}

/* Print notes.  The note on different core types comes first, because it may explain the others. */
static void say(const struct td_sides *sides, const struct td_opts *opts, struct td_notes *notes)
{
	struct td_notes cores = { 0 };

	if (opts->request.show.quiet)
		return;
	td_note_cores(sides, &cores);
	td_say_notes(&cores);
	td_notes_free(&cores);
	td_say_notes(notes);
	for (size_t i = 0; i < sides->nr; i++)
		td_recorded_warn(&sides->v[i].recorded.rec);
}

/* --- what is compared ------------------------------------------------------ */

/* clang-format off */
static const struct td_option comparing[] = {
	{ "per", 0, "UNIT",
	  "compare slots or counts per instructions, second, run or slots (default: run for "
	  "commands, instructions for recordings that contain them)",
	  TD_OPTION_FUNCTION, .set = td_value_per },
	{ "repeat", 'r', "N",
	  "run each command N times (default: 5), the two in turn",
	  TD_OPTION_NUMBER, offsetof(struct td_opts, request.when.repeat),
	  offsetof(struct td_opts, request.when.has_repeat), 1, 500 },
	{ "event", 'e', "LIST",
	  "with commands: compare events instead of the tree, as tdstat -e",
	  TD_OPTION_FUNCTION, .set = td_value_events },
	{ "strict", 0, NULL,
	  "with --fail-above: also fail if the noise is unknown (one run per side)",
	  TD_OPTION_FLAG, .offset = offsetof(struct td_opts, diff.strict) },
	{ "bisect", 0, NULL,
	  "with --fail-above, for git bisect run: exit with 125 (skip) if the runs cannot decide",
	  TD_OPTION_FLAG, .offset = offsetof(struct td_opts, diff.bisect) },
	{ "fail-above", 0, "NAME:NUMBER[,...]",
	  "exit with 1 if a node (in points), event, time or IPC (in percent) got significantly "
	  "worse by more",
	  TD_OPTION_FILE, offsetof(struct td_opts, diff.fail_above) },
	{ "junit", 0, "FILE",
	  "with --fail-above: the result for each NAME, as JUnit XML",
	  TD_OPTION_FILE, offsetof(struct td_opts, diff.junit) },
	{ "total", 0, NULL, "the sum of all threads or regions",
	  TD_OPTION_BIT, offsetof(struct td_opts, request.show.aggregations),
	  .min = TD_AGGREGATE_ALL },
	{ "per-thread", 0, NULL, "each name of threads",
	  TD_OPTION_BIT, offsetof(struct td_opts, request.show.aggregations),
	  .min = TD_AGGREGATE_THREAD },
	{ "per-region", 0, NULL, "each region of the program",
	  TD_OPTION_BIT, offsetof(struct td_opts, request.show.aggregations),
	  .min = TD_AGGREGATE_REGION },
	{ "level", 'l', "N", "the tree down to level N (default: as recorded)",
	  TD_OPTION_LEVEL, offsetof(struct td_opts, request.ask.level),
	  .max = TD_MAX_LEVEL },
	{ "td-level", 0, "N", "level N of the tree only",
	  TD_OPTION_LEVEL, offsetof(struct td_opts, request.ask.only_level),
	  .max = TD_MAX_LEVEL },
	{ "metrics", 'M', "LIST", "metrics and groups of them",
	  TD_OPTION_FUNCTION, .set = td_value_metrics },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_comparing = { TD_SECTION_WHAT, comparing };

/* The options that select what is compared, not where the result goes. */
static const struct td_option_group *const compared[] = {
	&group_comparing,
	&td_group_cores,
	&td_group_files,
	NULL,
};

/* Read the recordings, or make them, unless a limit has no row. */
static int read_sides(struct td_sides *sides, const struct td_opts *opts,
		      const struct td_limits *limits, struct runs_made *made,
		      struct td_notes *notes, struct td_err *err)
{
	int rc;

	if (!opts->request.target.command)
		return td_sides_read(sides, opts, notes, err);
	rc = td_planned_check(limits, opts, err);
	return rc ?: runs_read(sides, opts, made, notes, err);
}

static int compare_sides(struct td_sides *sides, const struct td_opts *opts,
			 struct td_limits *limits, int *status, struct td_notes *notes,
			 struct td_err *err)
{
	td_autofree char *again = NULL;
	/* after runs, check limits last: one may name an event that this machine cannot count */
	bool ran = opts->request.target.command;
	struct td_diff diff = { .limits = limits };
	enum td_gate gate = TD_GATE_PASSED;
	int rc = td_sides_compare(sides, opts->diff.per, &diff, err);

	if (!rc && diff.enough)
		diff.again = again = runs_command(sides, opts, compared, diff.enough);
	if (!rc)
		td_note_ids(&diff, notes);
	if (!rc && !ran)
		rc = td_sides_check_limits(sides, limits, &diff, opts, err);
	if (!rc) {
		gate = td_limits_exceeded(limits, &diff);
		say(sides, opts, notes);
		rc = show(sides, &diff, opts, err);
	}
	if (!rc && ran) {
		rc = td_limits_check(limits, &diff, NULL, err);
		err->usage = false;
	}
	if (!rc) {
		td_limits_note(limits, notes);
		*status = statuses[gate];
	}
	td_diff_free(&diff);
	return rc;
}

/* Return the exit status, which distinguishes a regression from a failed comparison. */
static int give_status(const struct runs_made *made, int status)
{
	if (made->held)
		return TD_NOT_STARTED;
	return made->failed || made->uncounted ? TROUBLE : status;
}

/* Return why the comparison failed, or NULL if only the limits decide. */
static const char *why_in_trouble(const struct runs_made *made, int rc, const struct td_err *err)
{
	if (rc)
		return err->msg;
	if (made->uncounted)
		return "nothing was counted, so there is nothing to compare";
	return made->failed ? "a command failed" : NULL;
}

/* Open the file of --junit, so that errors are known before commands run. */
static int open_junit(FILE **fp, const struct td_opts *opts, struct td_err *err)
{
	*fp = NULL;
	if (!opts->diff.junit)
		return 0;
	*fp = td_out_open(opts->diff.junit, false, err);
	return *fp ? 0 : err->code;
}

/* Write and close the file.  Returns rc or, if that is 0, an error of writing. */
static int write_junit(FILE *fp, const struct td_opts *opts, const struct td_limits *limits,
		       const char *why, int rc, struct td_err *err)
{
	struct td_err own = { 0 };

	if (!fp)
		return rc;
	td_out_empty(fp);
	td_out_junit(fp, limits, why);
	if (td_out_check(fp, opts->diff.junit, &own) && !rc) {
		*err = own;
		rc = own.code;
	}
	fclose(fp);
	return rc;
}

static int compare(const struct td_opts *opts, struct td_limits *limits, FILE *junit, int *status,
		   struct td_err *err)
{
	struct runs_made made = { 0 };
	struct td_notes notes = { 0 };
	struct td_sides sides = { 0 };
	int found = 0;
	int rc = read_sides(&sides, opts, limits, &made, &notes, err);

	if (!rc && !made.uncounted)
		rc = compare_sides(&sides, opts, limits, &found, &notes, err);
	if (!rc || made.held)
		*status = give_status(&made, found);
	rc = write_junit(junit, opts, limits, why_in_trouble(&made, rc, err), rc, err);
	if (!rc && !opts->request.show.quiet)
		td_say_notes(&notes);
	td_sides_free(&sides);
	td_notes_free(&notes);
	return rc;
}

/* Run the commands although the result cannot be written, because of err. */
static int run_unseen(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct runs_made made = { 0 };
	int rc = opts->request.target.command ? runs_unseen(opts, &made, err) : err->code;

	if (!rc || made.held)
		*status = give_status(&made, 0);
	return rc;
}

static int run(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct td_limits limits;
	FILE *junit = NULL;
	int rc = td_limits_parse(&limits, opts->diff.fail_above, err);

	limits.strict = opts->diff.strict;
	limits.bisect = opts->diff.bisect;
	if (!rc && (check_append(opts, err) || open_junit(&junit, opts, err)))
		rc = run_unseen(opts, status, err);
	else if (!rc)
		rc = compare(opts, &limits, junit, status, err);
	td_limits_free(&limits);
	/* a gate must distinguish a regression from a missing file */
	if (rc && !err->usage && !*status)
		*status = TROUBLE;
	if (opts->diff.bisect && *status == TROUBLE)
		*status = SKIP;
	return rc;
}

/* --- the subcommand --------------------------------------------------------- */

static int take_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	if (!*word)
		return td_err_usage(err, "diff: an empty name");
	/* the rest are commands */
	if (opts->after_dashes && !opts->diff.nr_before && !opts->nr_patterns)
		return 1;
	if (opts->after_dashes && !opts->diff.nr_before)
		opts->diff.nr_before = opts->nr_patterns;
	td_value_pattern(opts, word, err);
	return 0;
}

static int check_runs(const struct td_opts *opts, struct td_err *err)
{
	if (opts->request.model)
		return td_err_usage(err, "--model: commands run on this processor");
	if (td_request_has_events(&opts->request) && td_ask_is_made(&opts->request.ask))
		return td_err_usage(err, "-e excludes -l, --td-level and -M");
	return runs_check(opts, err);
}

static int check_page(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->diff.page)
		return 0;
	if (opts->request.show.quiet)
		return td_err_usage(err, "--quiet shows nothing: it excludes --html");
	if (opts->request.show.output && strcmp(opts->request.show.output, opts->diff.page) == 0)
		return td_err_usage(err, "-o and --html name the same file: %s", opts->diff.page);
	if (strcmp(opts->diff.page, "-") == 0 && shows_more_than_page(opts))
		return td_err_usage(err,
				    "--html=-: standard output already gets another result: name "
				    "a file for the page");
	return 0;
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	size_t nr = opts->nr_patterns;

	if (check_page(opts, err))
		return err->code;
	if (opts->diff.strict && !opts->diff.fail_above)
		return td_err_usage(err, "--strict needs --fail-above");
	if (opts->diff.bisect && !opts->diff.fail_above)
		return td_err_usage(err, "--bisect needs --fail-above");
	if (opts->diff.bisect && opts->diff.strict)
		return td_err_usage(err, "--bisect excludes --strict");
	if (opts->diff.junit && !opts->diff.fail_above)
		return td_err_usage(err, "--junit needs --fail-above");
	if (opts->request.target.command)
		return check_runs(opts, err);
	if (td_request_has_events(&opts->request))
		return td_err_usage(err, "-e: all events of the recordings are compared");
	if (opts->request.when.has_repeat) {
		td_err_usage(err, "-r: recordings are not run again");
		return td_err_hint(err, "to run two commands: tdstat diff -r 5 -- ./old : ./new");
	}
	if (nr == 2 || (nr > 2 && opts->diff.nr_before))
		return 0;
	if (nr < 2)
		td_err_usage(err, "tdstat diff needs two recordings");
	else
		td_err_usage(
			err,
			"tdstat diff: %zu recordings, and no -- between those of A and those of B",
			nr);
	return td_err_hint(err, nr < 2 ? "tdstat record -o FILE makes one"
				       : "tdstat diff A1 A2 -- B1 B2");
}

/* clang-format off */
static const struct td_option numbers[] = {
	{ "big-num", 'B', NULL,
	  "thousands separators: 1,234,567 (the default)",
	  TD_OPTION_FUNCTION, .set = td_value_big_num },
	{ "no-big-num", 0, NULL, "no thousands separators",
	  TD_OPTION_FUNCTION, .set = td_value_no_big_num },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_numbers = { TD_SECTION_HOW, numbers };

static const struct td_option_group *const groups[] = {
	&group_comparing, &td_group_cores,   &td_group_files,    &td_group_model,
	&group_numbers,   &td_group_formats, &td_group_markdown, &td_group_output,
	&td_group_head,   &td_group_stream,  &td_group_require,  NULL,
};

const struct td_command td_command_diff = {
	.name = "diff",
	.line = "compare recordings or commands; separate real changes from noise",
	.args = "A B\nA... -- B...\n-- COMMAND [ARG...] : COMMAND [ARG...]",
	.doc = "Shows what changed from recording A to recording B, the biggest change first. "
	       "With several recordings on a side, their variation separates changes from noise.",
	.what = "What to compare:",
	.examples = "  tdstat diff old.jsonl new.jsonl\n"
		    "  tdstat diff --fail-above tma_memory_bound:2 old*.jsonl -- new*.jsonl\n"
		    "  tdstat diff -r 10 -l 2 -- ./old : ./new",
	.status = "Exit status: 0; 1 if something grew by more than --fail-above allows; 2 if it "
		  "could not be compared, a command failed, a file cannot be read or the result "
		  "cannot be written (--bisect: 125, also if the runs cannot decide); 64 for a "
		  "wrong option.",
	.groups = groups,
	.does = { .replays = true, .leaves_level = true },
	.word = take_word,
	.check = check,
	.counts = true,
	.run = run,
	.unseen = run_unseen,
};
