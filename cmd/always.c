// SPDX-License-Identifier: GPL-2.0-only
/* A command to be measured runs, even where it cannot be measured. */
#include "cmd/always.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/out/out.h"
#include "cmd/run/signals.h"
#include "cmd/say.h"
#include "cmd/session.h"
#include "lib/recording/recording.h"

/* perf stat's software events of a command, which need no PMU. */
static struct td_event_arg software[] = {
	{ .list = "task-clock,context-switches,cpu-migrations,page-faults" },
};

enum {
	SHOW_SOFTWARE,
	SHOW_TIMES,
	SHOW_NOTHING,
	NR_SHOWINGS
};

/*
 * Readers of other formats expect the columns of what was asked for, and who asked
 * for places in the program has no use for how often it was switched.
 */
static int most_to_show(const struct td_opts *opts)
{
	bool text = opts->show.format == TD_FORMAT_TEXT &&
		    !opts->show.own_file && !opts->openmetrics;

	return text && !opts->show.quiet && !opts->does.samples ? SHOW_SOFTWARE
								: SHOW_NOTHING;
}

/* The same runs, and none of the options that say what to count. */
static struct td_opts make_opts(const struct td_opts *asked,
				const struct td_reached *reached, int showing)
{
	struct td_opts opts = {
		.chosen = asked->chosen,
		.commands = asked->commands,
		.target.command = asked->target.command,
		.target.no_inherit = asked->target.no_inherit,
		.nothing = showing != SHOW_SOFTWARE,
		.when = asked->when,
		.show.quiet = showing == SHOW_NOTHING,
	};

	opts.when.interval_ms = opts.when.interval_count = 0;
	opts.when.delay_ms = 0;
	opts.when.control = NULL;
	opts.when.pre_done = reached->pre;
	if (opts.when.repeat)
		opts.when.repeat -= reached->runs;
	if (showing == SHOW_SOFTWARE) {
		opts.events = software;
		opts.nr_events = 1;
	}
	if (showing == SHOW_NOTHING)
		return opts;
	opts.show.no_big_num = asked->show.no_big_num;
	opts.show.append = asked->show.append;
	opts.show.log_fd = asked->show.log_fd;
	if (!asked->does.records)
		opts.show.output = asked->show.output;
	return opts;
}

/* From what shows most to what cannot fail but for want of a process. */
static int run_with(const struct td_opts *asked,
		    const struct td_inherited *inherited,
		    struct td_reached *reached, int showing, int *status,
		    struct td_err *err)
{
	int rc = 0;

	for (; showing < NR_SHOWINGS; showing++) {
		struct td_reached now = { .pre = reached->pre };
		struct td_told told = { .reached = &now, .again = true };
		struct td_opts opts = make_opts(asked, reached, showing);

		*err = (struct td_err){ 0 };
		rc = td_session_tell(&opts, inherited, &told, status, err);
		reached->runs += now.runs;
		reached->pre = now.pre;
		if (!rc || now.over)
			return rc;
	}
	return rc;
}

static void say(const struct td_opts *opts, const struct td_reached *reached,
		const struct td_err *err)
{
	if (opts->show.quiet || err->reader_gone)
		return;
	td_say_error(err);
	td_say(reached->runs ? "tdstat: nothing more is counted: %s goes on\n"
	       : opts->does.records
		       ? "tdstat: nothing of this is counted, and nothing "
			 "recorded: %s runs anyway\n"
		       : "tdstat: nothing of this is counted: %s runs "
			 "anyway\n",
	       opts->target.command[0]);
}

/* No recording is lost, and nothing waits for who reads a FIFO. */
static bool is_result(const char *name)
{
	struct stat st;

	return name && strcmp(name, "-") != 0 && !stat(name, &st) &&
	       S_ISREG(st.st_mode) && !td_recording_is_at(name);
}

static void empty(const char *name)
{
	struct td_err unused = { 0 };
	FILE *fp;

	if (!is_result(name))
		return;
	fp = td_out_open(name, false, &unused);
	if (!fp)
		return;
	td_out_empty(fp);
	fclose(fp);
}

/* What a link leads to is emptied. */
static void remove_stacks(const char *name)
{
	struct stat st;

	if (is_result(name) && !lstat(name, &st) && S_ISREG(st.st_mode))
		unlink(name);
	else
		empty(name);
}

/* Whoever reads results must not take those of an earlier run for these. */
static void empty_results(const struct td_opts *opts, int showing)
{
	bool rows = showing == SHOW_NOTHING && !opts->does.records &&
		    !opts->show.append && !opts->show.quiet &&
		    !opts->openmetrics && !opts->show.own_file;

	empty(rows ? opts->show.output : NULL);
	remove_stacks(opts->files.folded);
	remove_stacks(opts->files.pprof);
	remove_stacks(opts->files.flame);
}

/* --no-multiplex makes more runs than -r says. */
static bool is_done(const struct td_opts *opts,
		    const struct td_reached *reached)
{
	return reached->over ||
	       (opts->when.repeat && reached->runs >= opts->when.repeat);
}

/* What was typed wrongly is wrong everywhere. */
bool td_always_is_due(const struct td_opts *opts,
		      const struct td_reached *reached,
		      const struct td_err *err)
{
	return opts->does.always && opts->target.command && !opts->dry_run &&
	       !is_done(opts, reached) && (!err->usage || err->elsewhere);
}

static int fall_back(const struct td_opts *opts,
		     const struct td_inherited *inherited,
		     struct td_reached *reached, int showing, int *status,
		     struct td_err *err)
{
	if (!td_always_is_due(opts, reached, err))
		return err->code;
	td_inherited_hint(err);
	if (opts->when.require) {
		*status = reached->runs ? *status : TD_NOT_STARTED;
		return err->code;
	}
	say(opts, reached, err);
	if (!reached->runs)
		empty_results(opts, showing);
	return run_with(opts, inherited, reached, showing, status, err);
}

int td_always_run(const struct td_opts *opts, const struct td_viewer *viewer,
		  bool *counted, int *status, struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_reached reached = { 0 };
	const struct td_told told = { .viewer = viewer, .reached = &reached };
	int rc;

	td_inherited_change(&inherited);
	rc = td_session_tell(opts, &inherited, &told, status, err);
	if (counted)
		*counted = !rc;
	return rc ? fall_back(opts, &inherited, &reached, most_to_show(opts),
			      status, err)
		  : 0;
}

int td_always_go_on(const struct td_opts *opts,
		    const struct td_inherited *inherited,
		    struct td_reached *reached, int *status, struct td_err *err)
{
	return fall_back(opts, inherited, reached, most_to_show(opts), status,
			 err);
}

struct td_opts td_always_uncounted(const struct td_opts *opts)
{
	const struct td_reached none = { 0 };

	return make_opts(opts, &none, SHOW_NOTHING);
}

int td_always_run_unseen(const struct td_opts *opts, int *status,
			 struct td_err *err)
{
	struct td_inherited inherited = { 0 };
	struct td_reached reached = { 0 };

	td_inherited_change(&inherited);
	return fall_back(opts, &inherited, &reached, SHOW_NOTHING, status, err);
}
