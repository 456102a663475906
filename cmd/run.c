// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/dry_run.h"
#include "cmd/target.h"
#include "lib/util.h"

#define NS_A_MS UINT64_C(1000000)
/*
 * The longest time between reads: PERF_METRICS has 8 bits a field, and a
 * read starts it afresh (icl_update_topdown_event() in the kernel).
 */
#define LONGEST_MS 1000
/* At opening the threads of a process before giving up. */
#define ATTEMPTS 5

void td_run_init(struct td_run *run, const struct td_opts *opts)
{
	*run = (struct td_run){
		.opts = opts,
		.fs = { -1, -1 },
		.waiter = { -1, -1, -1, .child = -1 },
		.ticks_a_row = 1,
	};
	run->sink.tree = &run->tree;
}

static int start_child(struct td_run *run, struct td_err *err)
{
	int rc;

	if (!run->opts->command)
		return 0;
	rc = td_child_start(&run->child, run->opts->command,
			    &run->waiter.old_mask, err);
	if (rc)
		return rc;
	run->waiter.child = run->child.pidfd;
	if (run->target.enable_on_exec &&
	    td_ints_add(&run->target.tids, run->child.pid))
		return td_err_nomem(err);
	return 0;
}

/* Threads come and go while we look: try a few times. */
static int open_counter(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		if (run->opts->pids.nr)
			rc = td_target_threads(&run->fs, &run->opts->pids,
					       &run->target.tids, err);
		if (rc)
			return rc;
		rc = td_counter_perf_open(&run->counter, &run->plan,
					  &run->machine, &run->target,
					  &run->notes, err);
		if (rc != -ESRCH || !run->opts->pids.nr)
			return rc;
	}
	return td_err_set(err, rc,
			  "-p: threads come and go faster than they can be "
			  "opened: try again");
}

static int open_recording(struct td_run *run, struct td_err *err)
{
	struct td_recording_info info = {
		.interval_ms = run->opts->interval_ms,
		.target = run->target_text,
		.tsc_hz = td_tsc_hz(),
	};
	td_autofree struct td_place *places = NULL;
	int rc;

	if (run->opts->subcommand != TD_RECORD)
		return 0;
	run->recording = fopen(run->opts->output, "we");
	if (!run->recording)
		return td_err_set(err, -errno, "%s: %s", run->opts->output,
				  strerror(errno));
	rc = td_places_read(&run->fs, &run->machine.online, &places, err);
	if (!rc)
		td_recording_write_head(run->recording, &run->machine, places,
					&run->plan, &info);
	return rc;
}

static int check_recording(struct td_run *run, struct td_err *err)
{
	if (!run->recording)
		return 0;
	errno = 0;
	if (fflush(run->recording) == 0 && !ferror(run->recording))
		return 0;
	return td_err_set(err, errno ? -errno : -EIO, "cannot write %s: %s",
			  run->opts->output, strerror(errno ? errno : EIO));
}

void td_run_say_notes(struct td_run *run)
{
	for (; run->notes_said < run->notes.nr; run->notes_said++)
		fprintf(stderr, "tdstat: %s\n", run->notes.v[run->notes_said]);
}

int td_run_open(struct td_run *run, struct td_err *err)
{
	int rc;

	run->target_text = td_target_describe(run->opts);
	if (!run->target_text)
		return td_err_nomem(err);
	rc = td_waiter_open(&run->waiter, &run->opts->pids, err);
	if (!rc)
		rc = start_child(run, err);
	if (!rc)
		rc = open_counter(run, err);
	if (!rc)
		rc = td_sink_open(&run->sink, run->opts, run->target_text,
				  run->opts->interval_ms > 0, err);
	if (!rc)
		rc = open_recording(run, err);
	if (!rc && run->opts->verbose)
		td_describe(stderr, &run->machine, &run->tree, &run->plan,
			    &run->target);
	return rc;
}

static int read_counters(struct td_run *run, struct td_err *err)
{
	struct td_readings delta;
	uint64_t unused;
	int rc = run->counter->ops->read(run->counter, &unused, &delta, err);

	if (rc)
		return rc;
	run->ever_enabled = run->ever_enabled || td_count_enabled(&delta);
	run->ever_running = run->ever_running || td_count_ran(&delta);
	if (!run->sum.v) {
		run->sum.v = calloc(delta.nr + 1, sizeof(*run->sum.v));
		if (!run->sum.v)
			return td_err_nomem(err);
		run->sum.nr = delta.nr;
		memcpy(run->sum.v, delta.v, delta.nr * sizeof(*delta.v));
		return 0;
	}
	td_count_add(&run->sum, &delta);
	return 0;
}

/* Everything since the last row goes out, and a new row begins. */
static int put_row(struct td_run *run, uint64_t time_ns, struct td_err *err)
{
	int rc;

	if (run->recording)
		td_recording_write_counts(run->recording, time_ns, &run->sum);
	rc = check_recording(run, err);
	if (!rc)
		rc = td_sink_counts(&run->sink, time_ns, &run->sum, err);
	td_count_clear(&run->sum);
	run->printed++;
	if (run->opts->interval_count &&
	    run->printed == run->opts->interval_count)
		run->quiet = true;
	return rc;
}

static uint64_t elapsed_ns(const struct td_run *run)
{
	return td_now_ns() - run->waiter.start_ns;
}

/* A deadline has passed: read, and if it is a row's, write. */
static int tick(struct td_run *run, uint64_t ticks, struct td_err *err)
{
	uint64_t time_ns = elapsed_ns(run);
	int rc = read_counters(run, err);

	run->ticks += ticks;
	if (rc || !run->opts->interval_ms ||
	    run->ticks / run->ticks_a_row == run->rows)
		return rc;
	run->rows = run->ticks / run->ticks_a_row;
	return put_row(run, time_ns, err);
}

/*
 * A terminal's ^C reached the command as well, and what becomes of it is the
 * command's business; what kill(1) sent to us alone is passed on.  Who sends
 * that twice does not want to wait for it.
 */
static void pass_on(struct td_run *run, const struct td_wake *wake)
{
	bool alive = run->child.pid > 0 && !run->waiter.child_ended;

	if (alive && !wake->from_process)
		return;
	run->signals++;
	if (alive)
		kill(run->child.pid, run->signals > 1 ? SIGKILL : wake->signal);
}

/* The command is asked to end, and a second later made to. */
static int on_timeout(struct td_run *run, struct td_err *err)
{
	bool again = run->timed_out;

	run->timed_out = true;
	if (run->child.pid <= 0 || run->waiter.child_ended)
		return 0;
	kill(run->child.pid, again ? SIGKILL : SIGTERM);
	return again ? 0
		     : td_waiter_again(&run->waiter,
				       TD_CHILD_GRACE_MS * NS_A_MS, err);
}

/* With a command, until its end; else until told, or nobody is left. */
static bool is_over(const struct td_run *run, const struct td_wake *wake)
{
	if (run->child.pid > 0)
		return run->waiter.child_ended;
	return run->signals || run->timed_out || run->quiet ||
	       wake->what & TD_WAKE_TARGETS;
}

static int loop(struct td_run *run, struct td_err *err)
{
	struct td_wake wake = { 0 };
	int rc = 0;

	while (!rc && !is_over(run, &wake)) {
		rc = td_waiter_wait(&run->waiter, &wake, err);
		if (rc)
			break;
		if (wake.what & TD_WAKE_SIGNAL)
			pass_on(run, &wake);
		if (wake.what & TD_WAKE_TIMEOUT)
			rc = on_timeout(run, err);
		if (!rc && wake.what & TD_WAKE_TICK && !run->quiet)
			rc = tick(run, wake.ticks, err);
	}
	return rc;
}

/* Why a run that got to its end has not one number. */
static void say_if_nothing(const struct td_run *run)
{
	if (run->ever_running)
		return;
	fprintf(stderr, "tdstat: nothing was counted: %s\n",
		run->ever_enabled ? "the counters were held by somebody else"
				  : "nothing ran");
}

/* The time since the last row, if rows are wanted; else all of it. */
static int put_last(struct td_run *run, struct td_usage *usage,
		    struct td_err *err)
{
	int rc = 0;

	usage->elapsed_ns = elapsed_ns(run);
	if (!run->quiet)
		rc = read_counters(run, err);
	if (!rc && run->child.pid > 0 && run->waiter.child_ended)
		rc = td_child_wait(&run->child, usage, err);
	if (!rc && !run->quiet)
		rc = put_row(run, usage->elapsed_ns, err);
	if (!rc)
		rc = td_sink_end(&run->sink, usage, err);
	if (!rc)
		say_if_nothing(run);
	td_run_say_notes(run);
	if (rc || !run->recording)
		return rc;
	td_recording_write_end(run->recording, usage, run->child.status);
	return check_recording(run, err);
}

/* Rows longer than a second are read inside. */
static int start_clock(struct td_run *run, struct td_err *err)
{
	uint64_t row_ms = (uint64_t)run->opts->interval_ms;

	if (!row_ms)
		row_ms = LONGEST_MS;
	run->ticks_a_row = (row_ms + LONGEST_MS - 1) / LONGEST_MS;
	return td_waiter_start(&run->waiter,
			       row_ms * NS_A_MS / run->ticks_a_row,
			       (uint64_t)run->opts->timeout_ms * NS_A_MS, err);
}

static int all_held(const struct td_run *run, int pmu, struct td_err *err)
{
	td_err_set(err, -EBUSY, "%s: its counters are taken by somebody else",
		   run->machine.pmus[pmu].name);
	return td_err_hint(err, "end the other profiler, or the virtual "
				"machine, that holds them");
}

/*
 * CPUs whose counters opened, and never got onto the hardware: somebody else's
 * are pinned there.  0: none; 1: some, as at this look; an error when it is
 * the last look and a PMU has none left, else a note.
 */
static int check_held(struct td_run *run, const struct td_readings *delta,
		      bool last, struct td_err *err)
{
	int found = 0;

	for (int pmu = 0; pmu < (int)run->machine.nr_pmus; pmu++) {
		td_autofree char *text = NULL;
		struct td_ints held, cpus;
		size_t all;

		if (!run->tree.sets[pmu])
			continue;
		if (td_count_held_cpus(delta, &run->plan, pmu, &held) ||
		    td_plan_cpus(&run->machine.pmus[pmu], &run->target, &cpus))
			return td_err_nomem(err);
		text = td_ints_format(&held);
		found |= held.nr > 0;
		all = cpus.nr;
		td_ints_free(&cpus);
		td_ints_free(&held);
		if (!last || !text || !text[0])
			continue;
		if (held.nr == all)
			return all_held(run, pmu, err);
		td_notes_add(&run->notes,
			     "%s: somebody else has the counters of CPU(s) %s: "
			     "not counted there",
			     run->machine.pmus[pmu].name, text);
	}
	return found;
}

/*
 * Reads once and forgets it.  The counters of a group start and are read one
 * behind the other: from here on every interval has the same lag at both of
 * its ends.  A tenth of a second is many turns for counters that wait for the
 * hardware (the kernel rotates every 4 ms).
 */
static int read_baseline(struct td_run *run, struct td_err *err)
{
	const struct timespec pause = { 0, 10000000 };
	struct td_readings delta;
	uint64_t unused;
	int rc;

	for (int looks = 10;; looks--) {
		rc = run->counter->ops->read(run->counter, &unused, &delta,
					     err);
		if (rc || !run->target.system_wide)
			return rc;
		rc = check_held(run, &delta, looks == 0, err);
		if (rc <= 0 || looks == 0)
			return rc < 0 ? rc : 0;
		nanosleep(&pause, NULL);
	}
}

/* Threads that began while the counters were opened have half of them. */
static int enable_counter(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		rc = run->counter->ops->enable(run->counter, err);
		if (!rc)
			rc = read_baseline(run, err);
		if (rc != -ECHILD || !run->opts->pids.nr)
			return rc;
		td_counter_close(run->counter);
		run->counter = NULL;
		rc = open_counter(run, err);
		if (rc)
			return rc;
	}
	return rc;
}

static int begin(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	if (!run->target.enable_on_exec)
		rc = enable_counter(run, err);
	if (!rc)
		rc = start_clock(run, err);
	if (!rc && run->child.pid > 0)
		rc = td_child_release(&run->child, run->opts->command[0], err);
	if (!rc)
		td_run_say_notes(run);
	return rc ? rc : td_sink_begin(&run->sink, err);
}

int td_run_count(struct td_run *run, struct td_err *err)
{
	struct td_usage usage = { 0 };
	int rc = begin(run, err);

	if (!rc)
		rc = loop(run, err);
	return rc ? rc : put_last(run, &usage, err);
}

int td_run_close(struct td_run *run, int rc, struct td_err *err)
{
	struct td_err late = { 0 }, *first = rc ? &late : err;

	td_child_end(&run->child);
	td_counter_close(run->counter);
	td_waiter_close(&run->waiter);
	if (td_sink_close(&run->sink, first) && !rc)
		rc = err->code;
	if (run->recording && fclose(run->recording) && !rc)
		rc = td_err_set(err, -errno, "cannot write %s: %s",
				run->opts->output, strerror(errno));
	free(run->sum.v);
	free(run->target_text);
	td_notes_free(&run->notes);
	td_target_free(&run->target);
	td_tree_free(&run->tree);
	td_plan_free(&run->plan);
	td_machine_free(&run->machine);
	td_sysfs_close(&run->fs);
	return rc;
}
