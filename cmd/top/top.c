// SPDX-License-Identifier: GPL-2.0-only
/* tdstat top: a screen of where the slots go now. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "cmd/opts/check.h"
#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/rows.h"
#include "cmd/opts/value.h"
#include "cmd/session.h"
#include "cmd/top/play.h"
#include "cmd/top/viewer.h"
#include "lib/base/util.h"

#define DEFAULT_INTERVAL_MS 1000

/* --- what is counted ------------------------------------------------------- */

static unsigned int bit(enum td_aggregation how)
{
	return 1U << how;
}

/* A row for each CPU or thread; cgroups are rows already. */
static unsigned int default_rows(const struct td_opts *opts)
{
	if (opts->target.each_cgroup)
		return 0;
	return bit(td_target_attaches(&opts->target) ? TD_AGGREGATE_THREAD
						     : TD_AGGREGATE_CPU);
}

/* A whole tree takes groups of its own in each cgroup. */
static void set_defaults(struct td_opts *opts)
{
	if (!opts->show.aggregations)
		opts->show.aggregations = default_rows(opts);
	if (opts->input) {
		opts->does.replays = true;
	} else if (!opts->when.interval_ms) {
		opts->when.interval_ms = DEFAULT_INTERVAL_MS;
	}
	if (!opts->input && !opts->ask.level) {
		opts->ask.drill = !opts->target.each_cgroup;
		opts->ask.level = opts->ask.drill ? TD_MAX_LEVEL : 1;
	}
}

/* --- keys that begin anew -------------------------------------------------- */

static void change_level(struct td_opts *opts, int level)
{
	opts->ask.drill = !level;
	opts->ask.level = level ? level : TD_MAX_LEVEL;
	/* as it was recorded */
	if (opts->input && !level) {
		opts->ask.drill = false;
		opts->ask.level = 0;
	}
}

static void change_interval(struct td_opts *opts, int step)
{
	static const int times_ms[] = { 100,  200,  500,   1000,
					2000, 5000, 10000, 60000 };
	int nr = (int)TD_ARRAY_SIZE(times_ms), at = 0;

	while (at < nr - 1 && times_ms[at] < opts->when.interval_ms)
		at++;
	/* a time between two of them is next to the one below, too */
	if (step < 0 || times_ms[at] <= opts->when.interval_ms)
		at += step;
	if (at >= 0 && at < nr)
		opts->when.interval_ms = times_ms[at];
}

/* Why the rows cannot be others; NULL: they are. */
static const char *change_rows(struct td_opts *opts, enum td_top_wish wish)
{
	static const enum td_aggregation places[] = { TD_AGGREGATE_CPU,
						      TD_AGGREGATE_CORE,
						      TD_AGGREGATE_SOCKET };
	enum td_aggregation how = td_opts_aggregation(opts);
	size_t at = 0;

	if (opts->target.each_cgroup)
		return "cgroups have rows here";
	if (td_target_attaches(&opts->target))
		return "threads have rows here, as -p and -t count tasks";
	if (wish == TD_TOP_THREADS && opts->target.has_cpus)
		return "-C counts CPUs, not threads";
	if (wish == TD_TOP_THREADS && how != TD_AGGREGATE_THREAD) {
		opts->show.aggregations = bit(TD_AGGREGATE_THREAD);
		return NULL;
	}
	while (at < TD_ARRAY_SIZE(places) && places[at] != how)
		at++;
	at = how == TD_AGGREGATE_THREAD ? 0 : at + 1;
	opts->show.aggregations = bit(places[at % TD_ARRAY_SIZE(places)]);
	return NULL;
}

static const char *change(struct td_opts *opts, const struct td_top *top)
{
	switch (top->wish) {
	case TD_TOP_LEVEL:
		change_level(opts, top->state.wish_level);
		break;
	case TD_TOP_SLOWER:
		change_interval(opts, 1);
		break;
	case TD_TOP_FASTER:
		change_interval(opts, -1);
		break;
	case TD_TOP_THREADS:
	case TD_TOP_CORES:
		return change_rows(opts, top->wish);
	case TD_TOP_NO_WISH:
	case TD_TOP_QUIT:
	case TD_TOP_BACK:
	case TD_TOP_FORWARD:
		break;
	}
	return NULL;
}

/* --- one session after the other ------------------------------------------- */

/* at: how many intervals of a recording were shown.  The screen stays there. */
static void step(struct td_top *top, size_t *at)
{
	bool back = top->wish == TD_TOP_BACK;

	if (!back && top->wish != TD_TOP_FORWARD)
		return;
	if (!back)
		++*at;
	else if (*at > 1)
		--*at;
	top->state.paused = true;
}

static bool goes_on(const struct td_top *top)
{
	return top->wish != TD_TOP_NO_WISH && top->wish != TD_TOP_QUIT;
}

static int count_once(struct td_top *top, const struct td_opts *opts,
		      size_t *at, int *status, struct td_err *err)
{
	td_top_describe(top, opts);
	return opts->input ? td_top_play(top, opts, at, err)
			   : td_session_view(opts, &top->viewer, status, err);
}

/* In the last line, until the next key. */
static void say(struct td_top *top, const char *text)
{
	snprintf(top->state.said, sizeof(top->state.said), "%s", text);
}

/*
 * The next rows to try where nobody chose: threads of a core may have no values
 * of their own, and a recording of tasks has no CPUs.
 */
static bool choose_others(struct td_opts *opts)
{
	if (opts->show.aggregations == bit(TD_AGGREGATE_CPU))
		opts->show.aggregations = bit(TD_AGGREGATE_CORE);
	else if (opts->show.aggregations == bit(TD_AGGREGATE_CORE))
		opts->show.aggregations = 0;
	else
		return false;
	return true;
}

/* Until something is counted. */
static int count_first(struct td_top *top, struct td_opts *opts, bool chosen,
		       size_t *at, int *status, struct td_err *err)
{
	int rc;

	do {
		*err = (struct td_err){ 0 };
		rc = count_once(top, opts, at, status, err);
	} while (rc && !top->begun && !chosen && choose_others(opts));
	return rc;
}

/*
 * If what a key asked for cannot be counted, what was counted before is again,
 * and the last line says why.
 */
static int count(struct td_top *top, struct td_opts *opts, bool chosen,
		 int *status, struct td_err *err)
{
	size_t at = 0;
	int rc = count_first(top, opts, chosen, &at, status, err);

	while (!rc && goes_on(top)) {
		const struct td_opts before = *opts;
		const char *why = change(opts, top);

		if (why)
			say(top, why);
		step(top, &at);
		rc = count_once(top, opts, &at, status, err);
		if (!rc || top->begun)
			continue;
		say(top, err->msg);
		*err = (struct td_err){ 0 };
		*opts = before;
		rc = count_once(top, opts, &at, status, err);
	}
	return rc;
}

static int run(const struct td_opts *asked, int *status, struct td_err *err)
{
	struct td_opts opts = *asked;
	struct td_top top;
	int rc;

	set_defaults(&opts);
	if (opts.dry_run)
		return td_session_run(&opts, status, err);
	rc = td_top_open(&top, err);
	if ((rc == -ENOTTY || rc == -EINVAL) && opts.input)
		td_err_hint(err, "rows, wherever they go: tdstat report %s",
			    opts.input);
	if (!rc)
		rc = count(&top, &opts, asked->show.aggregations != 0, status,
			   err);
	td_top_close(&top);
	return rc;
}

/* --- the subcommand -------------------------------------------------------- */

static int take_word(struct td_opts *opts, const char *word, struct td_err *err)
{
	if (opts->input) {
		td_err_usage(err,
			     "tdstat top plays one recording, %s, and runs no "
			     "command: '%s' is one too many",
			     opts->input, word);
		return td_err_hint(err, "of a process that runs: tdstat top -p "
					"PID");
	}
	opts->input = word;
	return *word ? 0 : td_err_usage(err, "top: an empty name");
}

static int check(const struct td_opts *opts, struct td_err *err)
{
	if (!opts->input)
		return td_opts_check_counting(opts, err);
	if (opts->target.all_cpus || opts->target.has_cpus ||
	    td_target_attaches(&opts->target) || opts->target.each_cgroup ||
	    opts->dry_run)
		return td_err_usage(err,
				    "tdstat top plays %s: -a, -C, -p, -t, "
				    "--for-each-cgroup and --dry-run do not "
				    "apply",
				    opts->input);
	return 0;
}

/* clang-format off */
static const struct td_option what[] = {
	{ "for-each-cgroup", 0, "LIST",
	  "a row for each cgroup: names or regular expressions",
	  TD_OPTION_TEXT, offsetof(struct td_opts, target.each_cgroup) },
	{ "level", 'l', "N|auto",
	  "the tree down to level N, or auto: to where the time goes (the "
	  "default)",
	  TD_OPTION_FUNCTION, .set = td_value_level },
	{ NULL },
};

static const struct td_option when[] = {
	{ "interval-print", 'I', "TIME",
	  "new values every TIME: 500 or 500ms, 1.5s, 2m (default: 1s)",
	  TD_OPTION_TIME, offsetof(struct td_opts, when.interval_ms), .min = 1 },
	{ NULL },
};

static const struct td_option how[] = {
	{ "hybrid-merge", 0, NULL,
	  "one row for all kinds of core; metrics are weighted by slots",
	  TD_OPTION_FLAG, offsetof(struct td_opts, show.hybrid_merge) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_what = { TD_SECTION_WHAT, what };
static const struct td_option_group group_when = { TD_SECTION_WHEN, when };
static const struct td_option_group group_how = { TD_SECTION_HOW, how };

static const struct td_option_group *const groups[] = {
	&td_group_cpus,
	&td_group_tasks,
	&group_what,
	&td_group_cores,
	&td_group_files,
	&group_when,
	&td_group_aggregations,
	&group_how,
	&td_group_dry_run,
	NULL,
};

const struct td_command td_command_top = {
	.name = "top",
	.line = "a screen of where the slots go now",
	.args = "[RECORDING]",
	.doc = "Shows on a terminal where the pipeline slots go: of the "
	       "machine, of its CPUs, threads or cgroups, again every second; "
	       "or plays a recording.",
	.what = "What to count:",
	.examples = "  tdstat top\n"
		    "  tdstat top -p 4711 -I 500ms",
	.status = "Exit status: 0; 64 for a wrong option; 1 if nothing can be "
		  "counted, or if there is no terminal.",
	.groups = groups,
	.does = { .leaves_level = true },
	.word = take_word,
	.check = check,
	.counts = true,
	.run = run,
};
