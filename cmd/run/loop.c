// SPDX-License-Identifier: GPL-2.0-only
/* Runs from the start of counting to its end. */
#include "cmd/run/run.h"
#include "lib/base/util.h"

/*
 * Threads that have ended hold descriptors until they are read.  Read them when
 * there are this many, and also this part of all, because each read reads all
 * threads.
 */
#define MAX_ENDED  64
#define ENDED_PART 8

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
	bool ends = false;
	int rc = viewer->ready(viewer->ctx, &ends, err);

	if (ends)
		run->session->is_last = run->session->told = true;
	return rc;
}

static int take_wake(struct td_run *run, const struct td_wake *wake,
		     struct td_err *err)
{
	int rc = 0;

	if (wake->what & TD_WAKE_DELAY)
		rc = td_run_end_delay(run, err);
	if (!rc && wake->what & TD_WAKE_CONTROL)
		rc = td_run_take_control(run, err);
	if (!rc && wake->what & TD_WAKE_TASKS)
		rc = td_run_take_tasks(run, err);
	/* what a viewer asks for when a signal ends it all comes too late */
	if (!rc && wake->what & TD_WAKE_VIEWER && !run->engine->signals)
		rc = take_viewer(run, err);
	if (!rc && has_many_ended(run))
		rc = td_run_read_in_time(run, err);
	/* after "stop" it only waits for the command, like perf stat */
	if (!rc && wake->what & TD_WAKE_TICK && !td_run_printed_all(run) &&
	    !run->session->told)
		rc = td_run_tick(run, wake->ticks, err);
	return rc;
}

/* Others than commands end when told to, and when all rows are printed, too. */
static int serve(void *ctx, const struct td_wake *wake, struct td_err *err)
{
	struct td_run *run = ctx;
	int rc;

	/* even if this run reaches its end, a further one would have no target */
	if (wake->what & (TD_WAKE_SIGNAL | TD_WAKE_TARGETS))
		run->session->is_last = true;
	if (run->given_up)
		return 0;
	rc = take_wake(run, wake, err);
	if (rc)
		return td_run_outlives(run, err) ? 0 : rc;
	return run->session->told || td_run_printed_all(run);
}

int td_run_loop(struct td_run *run, struct td_err *err)
{
	return td_engine_run(run->engine, serve, run, err);
}
