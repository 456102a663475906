// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/dry_run.h"
#include "cmd/target.h"
#include "lib/util.h"

void td_run_init(struct td_run *run, const struct td_opts *opts)
{
	*run = (struct td_run){
		.opts = opts,
		.fs = { -1, -1 },
		.waiter = { -1, -1, -1, .child = -1 },
		.ticks_a_row = 1,
	};
	run->sink.tree = &run->measure.tree;
	run->sink.plan = &run->plan;
	run->sink.machine = &run->machine;
}

int td_run_check_recording(struct td_run *run, struct td_err *err)
{
	if (!run->recording)
		return 0;
	return td_out_check(run->recording, run->opts->output, err);
}

void td_run_say_notes(struct td_run *run)
{
	for (; run->notes_said < run->notes.nr; run->notes_said++)
		fprintf(stderr, "tdstat: %s\n", run->notes.v[run->notes_said]);
}

/* --interval-count rows are out. */
static bool is_quiet(const struct td_run *run)
{
	return run->opts->interval_count &&
	       run->printed == run->opts->interval_count;
}

/* The first one is copied. */
static int add_readings(struct td_readings *sum,
			const struct td_readings *delta)
{
	if (sum->v) {
		td_count_add(sum, delta);
		return 0;
	}
	sum->v = calloc(delta->nr + 1, sizeof(*sum->v));
	if (!sum->v)
		return -ENOMEM;
	sum->nr = delta->nr;
	memcpy(sum->v, delta->v, delta->nr * sizeof(*delta->v));
	return 0;
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
	rc = add_readings(&run->sum, &delta);
	if (!rc && run->opts->verbose)
		rc = add_readings(&run->all, &delta);
	return rc ? td_err_nomem(err) : 0;
}

/* Everything since the last row goes out, and a new row begins. */
static int put_row(struct td_run *run, uint64_t time_ns,
		   const struct td_usage *usage, struct td_err *err)
{
	struct td_times times;
	int rc = td_run_times(run, time_ns, usage, &times, err);

	if (run->recording)
		td_recording_write_counts(run->recording, time_ns, &times,
					  &run->sum);
	if (!rc)
		rc = td_run_check_recording(run, err);
	if (!rc)
		rc = td_sink_counts(&run->sink, time_ns, &times, &run->sum,
				    err);
	td_count_clear(&run->sum);
	run->printed++;
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
	return put_row(run, time_ns, NULL, err);
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
				       TD_CHILD_GRACE_MS * TD_NS_A_MS, err);
}

/* With a command, until its end; else until told, or nobody is left. */
static bool is_over(const struct td_run *run, const struct td_wake *wake)
{
	if (run->child.pid > 0)
		return run->waiter.child_ended;
	return run->signals || run->timed_out || is_quiet(run) ||
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
		if (!rc && wake.what & TD_WAKE_TICK && !is_quiet(run))
			rc = tick(run, wake.ticks, err);
	}
	return rc;
}

/* Why a run that got to its end has not one number. */
static void say_if_nothing(const struct td_run *run)
{
	const char *why = "nothing ran";

	if (run->ever_running || !run->plan.nr_groups)
		return;
	if (run->ever_enabled)
		why = run->plan.asked && run->machine.nmi_watchdog
			      ? "the counters were held by somebody else, or "
				"the NMI watchdog has the one that was missing"
			      : "the counters were held by somebody else";
	if (run->ever_enabled && !run->target.system_wide &&
	    run->machine.nr_core > 1)
		why = "it did not run on the cores that were looked at, or "
		      "somebody else held their counters";
	fprintf(stderr, "tdstat: nothing was counted: %s\n", why);
}

/* The time since the last row, if rows are wanted; else all of it. */
static int put_last(struct td_run *run, struct td_usage *usage,
		    struct td_err *err)
{
	int rc = 0;

	usage->elapsed_ns = elapsed_ns(run);
	if (!is_quiet(run))
		rc = read_counters(run, err);
	if (!rc && run->child.pid > 0 && run->waiter.child_ended)
		rc = td_child_wait(&run->child, usage, err);
	if (!rc && !is_quiet(run))
		rc = put_row(run, usage->elapsed_ns, usage, err);
	if (!rc)
		rc = td_sink_end(&run->sink, usage, err);
	if (!rc)
		say_if_nothing(run);
	td_run_say_notes(run);
	if (run->opts->verbose)
		td_describe_shares(stderr, &run->machine, &run->plan,
				   &run->all);
	if (rc || !run->recording)
		return rc;
	td_recording_write_end(run->recording, usage, run->child.status);
	return td_run_check_recording(run, err);
}

int td_run_count(struct td_run *run, struct td_err *err)
{
	struct td_usage usage = { 0 };
	int rc = td_run_begin(run, err);

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
	free(run->all.v);
	free(run->target_text);
	td_notes_free(&run->notes);
	td_target_free(&run->target);
	td_measure_free(&run->measure);
	td_plan_free(&run->plan);
	td_event_text_free(&run->text);
	td_machine_free(&run->machine);
	td_sysfs_close(&run->fs);
	return rc;
}
