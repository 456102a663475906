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

	for (int attempt = 0; attempt < 5; attempt++) {
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
	return rc;
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

void td_run_say_notes(const struct td_run *run)
{
	for (size_t i = 0; i < run->notes.nr; i++)
		fprintf(stderr, "tdstat: %s\n", run->notes.v[i]);
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
	if (rc)
		return rc;
	td_run_say_notes(run);
	if (run->opts->verbose)
		td_describe(stderr, &run->machine, &run->tree, &run->plan,
			    &run->target);
	return 0;
}

static void look_at(struct td_run *run, const struct td_readings *delta)
{
	for (size_t i = 0; i < delta->nr && !run->ever_running; i++) {
		run->ever_enabled |= delta->v[i].enabled_ns > 0;
		run->ever_running |= delta->v[i].running_ns > 0;
	}
}

static int read_counters(struct td_run *run, struct td_err *err)
{
	struct td_readings delta;
	uint64_t unused;
	int rc = run->counter->ops->read(run->counter, &unused, &delta, err);

	if (rc)
		return rc;
	look_at(run, &delta);
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
	for (size_t i = 0; i < run->sum.nr; i++) {
		struct td_reading *r = &run->sum.v[i];

		r->value = r->enabled_ns = r->running_ns = 0;
	}
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
 * A terminal's ^C reached the command as well; what kill(1) sent to us alone
 * is passed on.  Who asks twice does not want to wait for it.
 */
static void pass_on(struct td_run *run, const struct td_wake *wake)
{
	run->signals++;
	if (run->child.pid <= 0 || run->waiter.child_ended)
		return;
	if (run->signals > 1)
		kill(run->child.pid, SIGKILL);
	else if (wake->from_process)
		kill(run->child.pid, wake->signal);
}

static void on_timeout(struct td_run *run)
{
	run->timed_out = true;
	if (run->child.pid > 0 && !run->waiter.child_ended)
		kill(run->child.pid, SIGTERM);
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
			on_timeout(run);
		if (wake.what & TD_WAKE_TICK && !run->quiet)
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

/* Its counters were on, and none of them ever on the hardware. */
static bool is_held_off(const struct td_run *run, int pmu,
			const struct td_readings *delta)
{
	bool enabled = false;

	for (size_t i = 0; i < delta->nr; i++) {
		const struct td_reading *r = &delta->v[i];

		if (run->plan.events[r->event].pmu != pmu)
			continue;
		if (r->running_ns)
			return false;
		enabled |= r->enabled_ns > 0;
	}
	return enabled;
}

static int taken_pmu(const struct td_run *run, const struct td_readings *delta)
{
	for (int pmu = 0; pmu < (int)run->machine.nr_pmus; pmu++) {
		if (is_held_off(run, pmu, delta))
			return pmu;
	}
	return -1;
}

/*
 * Reads once and forgets it.  The counters of a group start and are read one
 * behind the other: from here on every interval has the same lag at both of
 * its ends.  Counters that opened may still never get onto the hardware, when
 * somebody else's are pinned there: a tenth of a second is many turns (the
 * kernel rotates every 4 ms).
 */
static int read_baseline(struct td_run *run, struct td_err *err)
{
	const struct timespec pause = { 0, 10000000 };
	struct td_readings delta;
	int pmu = -1, rc = 0;
	uint64_t unused;

	for (int i = 0; i < 10; i++) {
		rc = run->counter->ops->read(run->counter, &unused, &delta,
					     err);
		if (rc)
			return rc;
		pmu = run->target.system_wide ? taken_pmu(run, &delta) : -1;
		if (pmu < 0)
			return 0;
		nanosleep(&pause, NULL);
	}
	td_err_set(err, -EBUSY, "%s: its counters are taken by somebody else",
		   run->machine.pmus[pmu].name);
	return td_err_hint(err, "end the other profiler, or the virtual "
				"machine, that holds them");
}

static int begin(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	if (!run->target.enable_on_exec) {
		rc = run->counter->ops->enable(run->counter, err);
		if (!rc)
			rc = read_baseline(run, err);
	}
	if (!rc)
		rc = start_clock(run, err);
	if (!rc && run->child.pid > 0)
		rc = td_child_release(&run->child, run->opts->command[0], err);
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
