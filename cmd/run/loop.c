// SPDX-License-Identifier: GPL-2.0-only
/* From the moment that counting began to its end. */
#include <signal.h>

#include "cmd/run/run.h"
#include "lib/base/util.h"

/*
 * So many threads that have ended hold descriptors, until they are read; or
 * this part of those there are, because all of them are read then.
 */
#define MAX_ENDED  64
#define ENDED_PART 8

/* Signals that come nearer to each other were sent by one and the same. */
#define TWICE_NS (100 * TD_NS_A_MS)

/* Between the SIGTERM of --timeout and the SIGKILL. */
#define GRACE_NS (1000 * TD_NS_A_MS)

/*
 * A terminal's ^C reached the command as well, and what becomes of it is the
 * command's business; what kill(1) sent to us alone is passed on.  Who sends
 * that twice does not want to wait for it; timeout(1), or a terminal that hangs
 * up, sends it to us and our group at the same time.
 */
static void pass_on(struct td_run *run, const struct td_wake *wake)
{
	bool alive = run->child.pid > 0 && !run->waiter.child_ended;
	uint64_t now = td_now_ns();
	bool again;

	/* no further run, even if this one goes on to its end */
	run->stopped = true;
	if (alive && !wake->from_process && wake->signal != SIGHUP)
		return;
	again = run->signals && now - run->signal_ns > TWICE_NS;
	if (!run->signals++)
		run->signal_ns = now;
	if (alive)
		kill(run->child.pid, again ? SIGKILL : wake->signal);
}

/* The command is asked to end, and a second later made to. */
static int end_command(struct td_run *run, struct td_err *err)
{
	bool again = run->timed_out;

	run->timed_out = true;
	if (run->child.pid <= 0 || run->waiter.child_ended)
		return 0;
	kill(run->child.pid, again ? SIGKILL : SIGTERM);
	return again ? 0 : td_waiter_again(&run->waiter, GRACE_NS, err);
}

/* With a command, until its end; else until told, or nobody is left. */
static bool is_over(const struct td_run *run, const struct td_wake *wake)
{
	if (run->child.pid > 0)
		return run->waiter.child_ended;
	return run->signals || run->timed_out || run->told_to_stop ||
	       td_run_is_quiet(run) || wake->what & TD_WAKE_TARGETS;
}

/* A look at all threads is to cost little for each that has ended. */
static bool has_many_ended(const struct td_run *run)
{
	return run->nr_ended > MAX_ENDED &&
	       run->nr_ended * run->plan.nr_events > run->nr_read / ENDED_PART;
}

static int take_wake(struct td_run *run, const struct td_wake *wake,
		     struct td_err *err)
{
	int rc = 0;

	if (wake->what & TD_WAKE_SIGNAL)
		pass_on(run, wake);
	if (wake->what & TD_WAKE_TARGETS) /* further runs have nobody */
		run->stopped = true;
	if (wake->what & TD_WAKE_TIMEOUT)
		rc = end_command(run, err);
	if (!rc && wake->what & TD_WAKE_DELAY)
		rc = td_run_end_delay(run, err);
	if (!rc && wake->what & TD_WAKE_CONTROL)
		rc = td_run_take_control(run, err);
	if (!rc && wake->what & TD_WAKE_TASKS)
		rc = td_run_take_tasks(run, err);
	if (!rc && has_many_ended(run))
		rc = td_run_read_in_time(run, err);
	/* told to stop, it only waits for the command: as perf stat does */
	if (!rc && wake->what & TD_WAKE_TICK && !td_run_is_quiet(run) &&
	    !run->told_to_stop)
		rc = td_run_tick(run, wake->ticks, err);
	return rc;
}

int td_run_loop(struct td_run *run, struct td_err *err)
{
	struct td_wake wake = { 0 };
	int rc = 0;

	while (!is_over(run, &wake)) {
		rc = td_waiter_wait(&run->waiter, &wake, err);
		if (!rc)
			rc = take_wake(run, &wake, err);
		if (rc && run->given_up)
			return 0; /* the command's end is waited for later */
		if (rc && !td_run_outlives(run, err))
			return rc;
	}
	return 0;
}
