// SPDX-License-Identifier: GPL-2.0-only
/* One run, from --pre to --post. */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "cmd/plan/dry_run.h"
#include "cmd/run/hook.h"
#include "cmd/run/run.h"
#include "cmd/run/uncounted.h"
#include "cmd/run/watchdog.h"
#include "lib/base/util.h"

static int open_recording(struct td_run *run, struct td_err *err)
{
	if (run->opts->subcommand != TD_RECORD)
		return 0;
	run->recording = td_out_open(run->opts->output, false, err);
	if (!run->recording)
		return err->code;
	run->replaces = td_out_has_content(run->recording);
	return 0;
}

/*
 * Opened late, so that a run that cannot begin leaves no empty file.  Signals
 * are let through, as opening a FIFO waits for its reader.
 */
static int open_outputs(struct td_run *run, struct td_err *err)
{
	sigset_t ours;
	int rc;

	if (run->runs)
		return 0;
	if (run->opts->output)
		sigprocmask(SIG_SETMASK, &run->given.mask, &ours);
	rc = td_view_open(&run->view, run->opts, err);
	if (!rc)
		rc = open_recording(run, err);
	if (run->opts->output)
		sigprocmask(SIG_SETMASK, &ours, NULL);
	return rc;
}

/* Clears what the run before has left. */
static int reset(struct td_run *run, struct td_err *err)
{
	td_child_end(&run->child);
	run->child = (struct td_child){ 0 };
	td_run_close_counters(run);
	run->sum.nr = run->all.nr = 0;
	td_index_clear(&run->sum_index);
	run->ticks = run->row_ns = run->rows = 0;
	run->ticks_a_row = 1;
	run->row_times = (struct td_cpu_times){ 0 };
	run->printed = 0;
	run->nr_ended = run->nr_missed = 0;
	run->rows_missed = 0;
	run->began = run->baseline = run->counting = run->timed_out = false;
	run->ever_enabled = run->ever_running = false;
	run->read_ns = 0;
	run->fresh = false;
	run->behind = run->said_behind = false;
	return td_waiter_reset(&run->waiter, err);
}

/* Says why a finished run has no counts at all. */
static void say_if_nothing(const struct td_run *run, bool watchdog)
{
	const char *why = "nothing ran";

	if (run->ever_running || !run->plan.nr_groups)
		return;
	if (run->ever_enabled)
		why = "the counters were held by somebody else";
	if (run->ever_enabled && !run->target.system_wide &&
	    run->machine.nr_core > 1)
		why = "it did not run on the cores that were looked at, or "
		      "somebody else held their counters";
	if (watchdog)
		why = "the NMI watchdog has a counter that was needed";
	if (run->target.cgroups.nr)
		why = "no task of the cgroups ran, or somebody else held the "
		      "counters";
	if (!run->began || (run->opts->delay_ms < 0 && !run->ever_enabled))
		why = "it was over before counting began (-D)";
	if (run->opts->delay_ms < 0 && !run->baseline)
		why = "no enable came through --control";
	td_run_say(run, "tdstat: nothing was counted: %s\n", why);
}

/* In milliseconds; any machine is too busy for less once in a while. */
#define MISSED_MS 100

static void say_rows_missed(const struct td_run *run)
{
	uint64_t nr = run->rows_missed;

	if (nr * (uint64_t)run->opts->interval_ms < MISSED_MS)
		return;
	td_run_say(run,
		   "tdstat: %" PRIu64 " interval%s passed while this program, "
		   "or the machine, was stopped or too busy: what %s\n",
		   nr, nr == 1 ? "" : "s",
		   nr == 1 ? "it counted is in the row that follows"
			   : "they counted is in the rows that follow");
}

static void say_missed(const struct td_run *run)
{
	uint64_t lost = run->watch ? td_task_watch_lost(run->watch) : 0;

	if (run->nr_missed)
		td_run_say(run,
			   "tdstat: %zu thread%s ended before %s could be "
			   "counted\n",
			   run->nr_missed, run->nr_missed == 1 ? "" : "s",
			   run->nr_missed == 1 ? "it" : "they");
	say_rows_missed(run);
	if (lost)
		td_run_say(run,
			   "tdstat: threads came and went too fast: %" PRIu64
			   " changes were missed\n",
			   lost);
}

/* The longest time that a counter of the command was enabled. */
static uint64_t counted_ns(const struct td_run *run)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < run->all.nr; i++) {
		if (run->all.v[i].enabled_ns > longest)
			longest = run->all.v[i].enabled_ns;
	}
	return longest;
}

/*
 * At the exec() of a program that may not be dumped, the kernel removes the
 * task's counters without a word (begin_new_exec() in fs/exec.c).  The
 * command's CPU time reveals it.  Root is not affected.
 */
static void note_uncounted(struct td_run *run, const struct td_usage *usage)
{
	const struct td_spent spent = {
		.used_ns = usage->user_ns + usage->sys_ns,
		.counted_ns = counted_ns(run),
		.before_ns = run->child.before_ns,
		.switches = run->child.switches,
		.forks = td_forks_between(run->first_pid, td_last_pid(&run->fs),
					  run->child.switches),
	};

	if (!run->target.enable_on_exec || !run->target.inherit ||
	    run->opts->control || !run->plan.nr_groups || geteuid() == 0)
		return;
	if (td_is_much_uncounted(&spent))
		td_notes_add(&run->notes,
			     "much of the command was not counted: the kernel "
			     "takes the counters from a program that has more "
			     "rights than its user (set-uid, file "
			     "capabilities), or may not be read");
}

/* For whole CPUs without any counts, a note was added at the start. */
static bool note_watchdog(struct td_run *run)
{
	struct td_notes unused = { 0 };
	bool said = run->target.system_wide && !run->ever_running;
	size_t nr = td_note_watchdog(&run->plan, &run->machine, &run->all,
				     said ? &unused : &run->notes);

	td_notes_free(&unused);
	return nr > 0;
}

static uint64_t elapsed_ns(const struct td_run *run)
{
	return run->began ? td_now_ns() - run->waiter.start_ns : 0;
}

/* Reads the counters for the last time. */
static int read_last(struct td_run *run, struct td_err *err)
{
	int rc = run->watch ? td_run_take_tasks(run, err) : 0;

	if (!rc)
		rc = td_run_read(run, TD_LAST_PATIENCE_NS, err);
	if (!rc && run->behind)
		td_run_say(run, "tdstat: not all counters could be read at the "
				"end, because a child process was beginning or "
				"ending: what they counted last is missing\n");
	return rc;
}

/* Writes the last row, or the total if there are no rows. */
static int put_last(struct td_run *run, const struct td_usage *usage,
		    struct td_err *err)
{
	uint64_t time_ns = run->given_up ? run->read_ns : usage->elapsed_ns;
	bool shown = run->given_up && run->opts->interval_ms && !run->fresh;
	bool quiet = td_run_is_quiet(run) || shown;
	int rc = 0;

	if (run->unwritable)
		return 0;
	if (!quiet)
		rc = td_run_put_sum(run, time_ns, usage, err);
	if (!rc)
		rc = td_view_end_run(&run->view, usage, err);
	if (!rc && !quiet && !run->given_up && !run->behind)
		note_uncounted(run, usage);
	if (rc || !run->recording)
		return rc;
	td_recording_write_end(run->recording, usage, run->child.status);
	return td_run_check_recording(run, err);
}

static void say_last(struct td_run *run)
{
	if (!run->given_up && !run->behind)
		say_if_nothing(run, note_watchdog(run));
	say_missed(run);
	td_run_say_notes(run);
	if (run->opts->verbose && !run->opts->quiet)
		td_describe_shares(stderr, &run->machine, &run->plan,
				   &run->all);
	fflush(stderr); /* before the output of --post */
}

/* Shows what was counted, also after an error. */
static int end_run(struct td_run *run, struct td_err *err)
{
	struct td_usage usage = { .elapsed_ns = elapsed_ns(run) };
	struct td_err late = { 0 };
	int rc = 0, rc_put;

	if (run->child.pid > 0)
		rc = td_child_wait(&run->child, &usage, err);
	rc_put = put_last(run, &usage, rc ? &late : err);
	if (rc_put && td_run_outlives(run, rc ? &late : err))
		rc_put = 0;
	say_last(run);
	return rc ? rc : rc_put;
}

/* Runs from the start of the command to the last row. */
static int count_to_the_end(struct td_run *run, struct td_err *err)
{
	struct td_err late = { 0 };
	int rc = td_run_begin(run, err), rc_end;

	if (rc && !td_run_outlives(run, err))
		return rc;
	rc = td_run_loop(run, err);
	if (!rc && !run->given_up && !td_run_is_quiet(run))
		rc = read_last(run, err);
	if (rc && td_run_outlives(run, err))
		rc = 0;
	rc_end = end_run(run, rc ? &late : err);
	return rc ? rc : rc_end;
}

int td_run_once(struct td_run *run, struct td_err *err)
{
	const struct td_opts *opts = run->opts;
	int rc = reset(run, err);

	if (opts->verbose && opts->has_repeat)
		td_run_say(run, "tdstat: run %d\n", run->runs + 1);
	if (!rc && opts->pre)
		rc = td_hook_run("--pre", opts->pre, &run->given, err);
	if (!rc && opts->pre && td_waiter_has_signal(&run->waiter)) {
		run->stopped = true;
		return td_err_set(err, -EINTR, "stopped before it began");
	}
	if (!rc && opts->sync)
		sync();
	if (!rc)
		rc = td_run_open(run, err);
	if (!rc)
		rc = open_outputs(run, err);
	if (!rc)
		rc = count_to_the_end(run, err);
	td_run_close_counters(run); /* --post must not inherit descriptors */
	if (!rc && opts->post)
		rc = td_hook_run("--post", opts->post, &run->given, err);
	run->runs++;
	return rc;
}

int td_run_finish(struct td_run *run, struct td_err *err)
{
	int rc = run->unwritable ? 0 : td_view_end(&run->view, err);

	return rc && td_run_outlives(run, err) ? 0 : rc;
}
