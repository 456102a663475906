// SPDX-License-Identifier: GPL-2.0-only
/* Starts a run: from open counters to the moment when they count. */
#include "cmd/run/run.h"
#include "lib/base/util.h"

/* With -D, counters stay disabled; with -D -1, the clock still starts. */
static int begin_delay(struct td_run *run, struct td_err *err)
{
	int delay_ms = run->job->opts->when.delay_ms;

	td_job_say(run->job, "Events disabled\n");
	if (delay_ms < 0)
		return td_run_begin_time(run, err);
	return td_waiter_delay(&run->engine->waiter,
			       (uint64_t)delay_ms * TD_NS_A_MS, err);
}

static int begin_counting(struct td_run *run, struct td_err *err)
{
	int rc = 0;

	run->counting.on = true;
	if (!run->job->target.enable_on_exec)
		rc = td_run_enable(run, err);
	return rc;
}

/*
 * Takes the time of the wall clock once, for what is shown and for what is
 * recorded, so that both say the same.  The start is still to come with -D.
 */
static void take_start(struct td_session *session)
{
	int delay_ms = session->job->opts->when.delay_ms;
	uint64_t delay_ns = delay_ms > 0 ? (uint64_t)delay_ms * TD_NS_A_MS : 0;
	uint64_t start_ns = td_wall_ns() + delay_ns;
	struct td_clocks clocks = td_clocks_now();

	clocks.mono_ns += delay_ns;
	session->recorder.start_ns = start_ns;
	session->recorder.clocks = clocks;
	td_view_start(&session->view, start_ns, &clocks);
}

/* What the first line of a recording takes long for, before the time is taken. */
static int prepare_recorder(struct td_run *run, struct td_err *err)
{
	return run->session->recorder.fp
		       ? td_job_read_places(run->job, true, err)
		       : 0;
}

int td_run_begin(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	struct td_recorder *recorder = &session->recorder;
	struct td_job *job = run->job;
	int rc = td_drilling_begin(&run->drilling, job, err);

	if (!rc)
		rc = prepare_recorder(run, err);
	if (!rc && !job->opts->when.delay_ms)
		rc = begin_counting(run, err);
	take_start(session);
	if (!rc && !recorder->replaces)
		rc = td_recorder_begin(recorder, job, &session->source, err);
	if (!rc)
		rc = job->opts->when.delay_ms ? begin_delay(run, err)
					      : td_run_begin_time(run, err);
	run->first_pid = td_last_pid(&job->fs);
	if (!rc && run->engine->child.pid > 0)
		rc = td_child_release(&run->engine->child,
				      job->opts->target.command[0], err);
	if (!rc && recorder->replaces)
		rc = td_recorder_begin(recorder, job, &session->source, err);
	if (!rc)
		td_job_say_notes(job);
	return rc ? rc : td_view_begin(&session->view, err);
}
