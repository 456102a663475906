// SPDX-License-Identifier: GPL-2.0-only
/* Runs from the start of counting to its end. */
#include <signal.h>

#include "cmd/run/run.h"
#include "lib/base/util.h"

/*
 * Threads that have ended hold descriptors until they are read.  Read them when
 * there are this many, and also this part of all, because each read reads all
 * threads.
 */
#define MAX_ENDED  64
#define ENDED_PART 8

/* The time between SIGTERM and SIGKILL of --timeout. */
#define GRACE_NS (1000 * TD_NS_A_MS)

static bool is_alive(const struct td_run *run)
{
	return run->child.pid > 0 && !run->session->waiter.child_ended;
}

static void take_signal(struct td_run *run, const struct td_signal *signal)
{
	struct td_stop *stop = &run->session->stop;

	/* no further run, even if this one reaches its end */
	stop->is_last = true;
	if (is_alive(run))
		td_child_pass_on(&run->child, signal);
	if (!is_alive(run) || run->child.signal_ns)
		stop->signals++;
}

/* Asks the command to end, and kills it a second later. */
static int end_command(struct td_run *run, struct td_err *err)
{
	bool again = run->timed_out;

	run->timed_out = true;
	if (!is_alive(run))
		return 0;
	kill(run->child.pid, again ? SIGKILL : SIGTERM);
	return again ? 0
		     : td_waiter_again(&run->session->waiter, GRACE_NS, err);
}

/*
 * A run with a command ends with it; others end when told to, when all rows are
 * printed, or when the last target has ended.
 */
static bool is_over(const struct td_run *run, const struct td_wake *wake)
{
	const struct td_stop *stop = &run->session->stop;

	if (run->child.pid > 0)
		return run->session->waiter.child_ended;
	return stop->signals || run->timed_out || stop->told ||
	       td_run_printed_all(run) || wake->what & TD_WAKE_TARGETS;
}

/* Keeps the cost of reading all threads low for each one that has ended. */
static bool has_many_ended(const struct td_run *run)
{
	size_t nr = run->counting.nr_ended;

	return nr > MAX_ENDED &&
	       nr * run->job->plan.events.nr > run->tally.nr_read / ENDED_PART;
}

static int take_viewer(struct td_run *run, struct td_err *err)
{
	const struct td_viewer *viewer = run->session->view.viewer;
	struct td_stop *stop = &run->session->stop;
	bool ends = false;
	int rc = viewer->ready(viewer->ctx, &ends, err);

	if (ends)
		stop->is_last = stop->told = true;
	return rc;
}

static int take_wake(struct td_run *run, const struct td_wake *wake,
		     struct td_err *err)
{
	int rc = 0;

	if (wake->what & TD_WAKE_SIGNAL)
		take_signal(run, &wake->signal);
	/* a further run would have no target */
	if (wake->what & TD_WAKE_TARGETS)
		run->session->stop.is_last = true;
	if (wake->what & TD_WAKE_TIMEOUT)
		rc = end_command(run, err);
	if (!rc && wake->what & TD_WAKE_DELAY)
		rc = td_run_end_delay(run, err);
	if (!rc && wake->what & TD_WAKE_CONTROL)
		rc = td_run_take_control(run, err);
	if (!rc && wake->what & TD_WAKE_TASKS)
		rc = td_run_take_tasks(run, err);
	/* what a viewer asks for when a signal ends it all comes too late */
	if (!rc && wake->what & TD_WAKE_VIEWER && !run->session->stop.signals)
		rc = take_viewer(run, err);
	if (!rc && has_many_ended(run))
		rc = td_run_read_in_time(run, err);
	/* after "stop" it only waits for the command, like perf stat */
	if (!rc && wake->what & TD_WAKE_TICK && !td_run_printed_all(run) &&
	    !run->session->stop.told)
		rc = td_run_tick(run, wake->ticks, err);
	return rc;
}

int td_run_loop(struct td_run *run, struct td_err *err)
{
	struct td_wake wake = { 0 };
	int rc = 0;

	td_signals_over(false);
	while (!is_over(run, &wake)) {
		rc = td_waiter_wait(&run->session->waiter, &wake, err);
		if (!rc)
			rc = take_wake(run, &wake, err);
		if (rc && run->given_up) {
			rc = 0; /* the caller waits for the command */
			break;
		}
		if (rc && !td_run_outlives(run, err))
			break;
		rc = 0;
	}
	td_signals_over(true);
	return rc;
}
