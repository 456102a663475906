// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/run.h"

#include "cmd/plan/catalog.h"
#include "cmd/say.h"

static struct td_source make_source(struct td_session *session)
{
	const struct td_job *job = session->job;
	const struct td_request *request = job->request;

	return (struct td_source){
		.machine = &job->machine,
		.plan = &job->plan,
		.tree = job->tree,
		.find_facts = td_facts_find,
		.facts_ctx = &session->job->measure.catalog,
		.files_version = job->measure.catalog.events.version,
		.held = job->held,
		.target = &job->target.name,
		.identity = &job->identity,
		.interval = request->when.interval_ms > 0,
		.how = job->target.by_mode ? TD_AGGREGATE_MODE : td_request_aggregation(request),
		.cache_level = request->show.cache_level,
		.as_counted = true,
		.places = &job->places,
		/* like perf stat, because most threads are idle */
		.skip_idle = job->target.all_tasks || job->target.tells_tasks,
		.names = &session->names,
		.latencies = &session->latencies,
		.cgroups = job->target.cgroups.names,
		.containers = job->target.cgroups.containers,
		.nr_cgroups = job->target.cgroups.nr,
		.live_cgroups = job->target.cgroups.nr ? &job->target.cgroups : NULL,
	};
}

static int open_view(struct td_session *session, struct td_err *err)
{
	struct td_job *job = session->job;
	enum td_aggregation how = td_request_aggregation(job->request);

	if (td_aggregation_wants_places(how) &&
	    td_job_read_places(job, how == TD_AGGREGATE_CACHE, err))
		return err->code;
	session->source = make_source(session);
	if (td_view_init(&session->view, &session->source, job->request, err))
		return err->code;
	td_view_note(&session->view, job->request, &job->notes);
	return 0;
}

/* Return the number of runs that make up one result. */
static size_t nr_sets(const struct td_session *session)
{
	return session->job->plan.nr_sets > 1 ? session->job->plan.nr_sets : 1;
}

int td_session_open(struct td_session *session, struct td_job *job,
		    const struct td_inherited *inherited, struct td_err *err)
{
	const struct td_request *request = job->request;
	int rc;

	*session = (struct td_session){
		.job = job,
		.inherited = *inherited,
		.pre_done = request->when.pre_done,
		.engine.waiter = TD_WAITER_NONE,
		.control = TD_CONTROL_NONE,
	};
	rc = open_view(session, err);
	if (!rc)
		rc = td_waiter_open(&session->engine.waiter, &request->target.pids,
				    &request->target.tids, err);
	if (!rc && request->when.control)
		rc = td_control_open(&session->control, request->when.control, err);
	session->engine.waiter.control = session->control.fd;
	session->progress =
		td_progress_make(request, (size_t)request->when.repeat * nr_sets(session));
	return rc;
}

bool td_session_continues(const struct td_session *session)
{
	int repeat = session->job->request->when.repeat;
	int sets = (int)nr_sets(session);

	if (session->engine.signals || session->is_last)
		return false;
	/* a result of --no-multiplex needs several runs */
	return !repeat || session->runs / sets < repeat;
}

int td_session_close(struct td_session *session, int rc, struct td_err *err)
{
	struct td_err late = { 0 }, *first = rc ? &late : err;

	td_waiter_close(&session->engine.waiter);
	td_control_close(&session->control);
	if (td_view_close(&session->view, first) && !rc && !session->unwritable)
		rc = err->code;
	first = rc ? &late : err;
	if (td_recorder_close(&session->recorder, first) && !rc && !session->unwritable)
		rc = err->code;
	td_task_names_free(&session->names);
	td_latencies_free(&session->latencies);
	return rc;
}

void td_counting_close(struct td_counting *counting)
{
	td_counter_close(counting->counter);
	counting->counter = NULL;
	td_switches_close(counting->switches);
	counting->switches = NULL;
	td_ints_free(&counting->cpus.gone);
	td_task_watch_close(counting->watch);
	counting->watch = NULL;
}

void td_run_close(struct td_run *run)
{
	td_child_end(&run->engine->child);
	td_counting_close(&run->counting);
	td_tally_free(&run->tally);
	td_drilling_end(&run->drilling);
	td_offline_free(&run->offline);
	td_newcomers_free(&run->newcomers);
	td_latency_close(&run->latency);
}

int td_run_reset(struct td_run *run, struct td_err *err)
{
	td_run_close(run);
	*run = (struct td_run){
		.session = run->session,
		.job = run->job,
		.engine = run->engine,
		.clock.ticks_a_row = 1,
	};
	return td_engine_reset(run->engine, err);
}

/* --- a command that has started runs to its end, even if counting fails --- */

/* Return true if writing has failed for the first time. */
static bool note_unwritable(struct td_session *session, const struct td_err *err)
{
	FILE *fp = session->view.sink.writer.fp;
	bool failed = (fp && ferror(fp)) || session->recorder.failed;

	if (!failed || session->unwritable)
		return false;
	session->unwritable = true;
	session->unseen = err->reader_gone;
	return true;
}

bool td_run_outlives(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	bool news = note_unwritable(session, err) || !run->given_up;

	run->given_up = session->is_last = true;
	if (!run->engine->child.runs)
		return false;
	if (news && !err->reader_gone)
		td_say_error(err);
	if (news && !err->reader_gone && !session->engine.waiter.child_ended)
		td_job_say(run->job, "tdstat: counting stopped; %s continues\n",
			   run->job->request->target.command[0]);
	td_waiter_stop_counting(&session->engine.waiter);
	td_counting_close(&run->counting);
	*err = (struct td_err){ 0 };
	return true;
}

int td_run_status(const struct td_run *run)
{
	const struct td_session *session = run->session;

	if (run->engine->child.status)
		return run->engine->child.status;
	return session->unwritable && !session->unseen ? 1 : 0;
}
