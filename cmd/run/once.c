// SPDX-License-Identifier: GPL-2.0-only
/* One run, from --pre to --post. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/plan/dry_run.h"
#include "cmd/run/run.h"
#include "cmd/view/errors.h"
#include "lib/base/util.h"

/* --- what happens during a run ---------------------------------------------- */

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

	/* first, so that what comes next is in the new file */
	if (wake->what & TD_WAKE_REOPEN)
		rc = td_session_reopen(run->session, err);
	if (!rc && wake->what & TD_WAKE_DELAY)
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

/* --- --no-multiplex -------------------------------------------------------- */

/* With --no-multiplex, chooses the groups of the next run. */
static int session_take_set(struct td_session *session, struct td_err *err)
{
	struct td_plan *plan = &session->job->plan;
	unsigned int run;

	if (plan->nr_sets < 2)
		return 0;
	run = (unsigned int)session->runs % plan->nr_sets;
	return td_plan_take_set(plan, run) ? td_err_nomem(err) : 0;
}

/* Of a short command, nothing has an error. */
static bool has_errors(const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		for (size_t n = 0; n < row->nr_nodes; n++) {
			const struct td_cell *cell =
				&row->cells[row->nodes[n].column];

			if (cell->status == TD_STATUS_OK && !isnan(cell->error))
				return true;
		}
	}
	return false;
}

static void say_difference(struct td_session *session)
{
	const struct td_work *work = &session->view.work;
	double difference = td_work_difference(work);

	if (difference <= TD_SAME_WORK || session->said_difference)
		return;
	session->said_difference = true;
	td_job_say(session->job,
		   "tdstat: the runs did not do the same: they had %.4g to "
		   "%.4g instructions, which is %.1f %% apart; what different "
		   "runs counted belongs together only roughly%s\n",
		   work->least, work->most, 100 * difference,
		   td_view_keeps_runs(&session->view) &&
				   has_errors(&session->view.report)
			   ? ", and the errors are wider for it"
			   : "");
}

/*
 * Puts the groups of the other runs back.  If the run was the last of a result,
 * or with now, the runs so far become one.
 */
static int session_end_set(struct td_session *session, bool now,
			   struct td_err *err)
{
	struct td_plan *plan = &session->job->plan;
	int rc = 0;

	if (plan->nr_sets < 2)
		return 0;
	if (td_plan_put_back(plan))
		return td_err_nomem(err);
	if (session->unwritable ||
	    (!now && (unsigned int)session->runs % plan->nr_sets))
		return 0;
	rc = td_view_join(&session->view, err);
	say_difference(session);
	return rc;
}

/* --- one run --------------------------------------------------------------- */

/*
 * How long the last read waits for a group that cannot be read yet.  A child
 * that was exiting without a CPU was seen to take 1.2 s.
 */
#define LAST_PATIENCE_NS (5000 * TD_NS_A_MS)

/*
 * Opened late, so that a run that cannot begin leaves no empty file.  Signals
 * are let through, as opening a FIFO waits for its reader.
 */
static int open_outputs(struct td_session *session, struct td_err *err)
{
	const struct td_request *request = session->job->request;
	int rc;

	if (session->runs)
		return 0;
	if (request->show.output)
		td_signals_let_through(true);
	rc = td_view_open(&session->view, request, err);
	if (!rc)
		rc = td_view_check_append(&session->view, err);
	if (!rc && request->does.records)
		rc = td_session_open_recorder(session, err);
	td_signals_let_through(false);
	return rc;
}

/* Reads the counters for the last time. */
static int read_last(struct td_run *run, struct td_err *err)
{
	int rc = run->counting.watch ? td_run_take_tasks(run, err) : 0;

	if (!rc)
		rc = td_run_read(run, LAST_PATIENCE_NS, err);
	if (!rc)
		run->clock.end_ns = run->clock.read_ns;
	if (!rc && run->tally.behind)
		td_job_say(run->job,
			   "tdstat: not all counters could be read at the "
			   "end, because a child process was beginning or "
			   "ending: what they counted last is missing\n");
	return rc;
}

/* Writes the last row, or the total if there are no rows. */
static int put_last(struct td_run *run, const struct td_usage *usage,
		    struct td_err *err)
{
	struct td_session *session = run->session;
	bool shown = run->given_up && run->job->request->when.interval_ms &&
		     !run->tally.fresh;
	bool done = td_run_printed_all(run) || shown;
	int rc = 0;

	if (session->unwritable)
		return 0;
	if (!done)
		rc = td_run_put_sum(run,
				    run->given_up ? run->clock.read_ns
						  : usage->elapsed_ns,
				    usage, err);
	if (!rc)
		rc = td_view_end_run(&session->view, usage, err);
	if (!rc && !done && !run->given_up && !run->tally.behind)
		td_note_uncounted(run, usage);
	return rc ? rc
		  : td_recorder_end(&session->recorder, usage,
				    run->engine->child.status, err);
}

static void say_last(struct td_run *run)
{
	const struct td_job *job = run->job;

	td_run_explain(run);
	if (job->request->verbose && !job->request->show.quiet)
		td_describe_shares(&job->machine, &job->plan, &run->tally.all);
	fflush(stderr); /* before the output of --post */
}

/* The time that was counted, without what the last read took to be looked at. */
static uint64_t elapsed_ns(const struct td_run *run)
{
	if (!run->clock.began)
		return 0;
	return run->clock.end_ns ? run->clock.end_ns : td_run_now(run);
}

/* Shows what was counted, also after an error. */
static int end_run(struct td_run *run, struct td_err *err)
{
	struct td_usage usage = { .elapsed_ns = elapsed_ns(run) };
	struct td_err late = { 0 };
	int rc = 0, rc_put;

	if (run->engine->child.pid > 0)
		rc = td_child_wait(&run->engine->child, &usage, err);
	td_progress_clear(&run->session->progress);
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
	rc = td_engine_run(run->engine, serve, run, err);
	if (!rc && !run->given_up && !td_run_printed_all(run))
		rc = read_last(run, err);
	if (rc && td_run_outlives(run, err))
		rc = 0;
	rc_end = end_run(run, rc ? &late : err);
	return rc ? rc : rc_end;
}

/*
 * Runs the shell command of --pre or --post, if there is one, with the signals
 * and limits that we were started with.
 */
static int run_hook(const struct td_session *session, const char *option,
		    const char *command, struct td_err *err)
{
	pid_t pid = command ? fork() : 0, ended;
	int status;

	if (!command)
		return 0;
	if (pid == 0) {
		td_signals_hold();
		td_inherited_restore(&session->inherited);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		return td_err_set(err, -errno, "%s %s: fork: %s", option,
				  command, strerror(errno));
	do {
		ended = waitpid(pid, &status, 0);
	} while (ended < 0 && errno == EINTR);
	if (ended < 0)
		return td_err_set(err, -errno, "%s: waitpid: %s", option,
				  strerror(errno));
	if (WIFSIGNALED(status))
		return td_err_set(err, -EINTR, "%s %s: ended by signal %d",
				  option, command, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return td_err_set(err, -EIO, "%s %s: exit status %d", option,
				  command, WEXITSTATUS(status));
	return 0;
}

/*
 * Runs --pre, unless a session that failed has done so.  A signal may come
 * meanwhile, before there is a command to end.
 */
static int run_pre(struct td_session *session, struct td_err *err)
{
	const struct td_when *when = &session->job->request->when;
	bool done = session->pre_done;
	struct td_signal signal;
	int rc = done ? 0 : run_hook(session, "--pre", when->pre, err);

	session->pre_done = !rc;
	session->held_back = rc != 0;
	if (rc || !when->pre || done)
		return rc;
	do {
		if (!td_signals_take(&signal))
			return 0;
	} while (!td_signals_is_ending(&signal));
	session->is_last = session->held_back = true;
	return td_err_set(err, -EINTR, "stopped before it began");
}

static int run_post(struct td_session *session, struct td_err *err)
{
	int rc = run_hook(session, "--post", session->job->request->when.post,
			  err);

	session->held_back |= rc != 0;
	return rc;
}

/* A single run ends when it ends. */
static void show_progress(struct td_session *session)
{
	struct td_progress *progress = &session->progress;

	if (progress->all != 1)
		td_progress_run(progress, "run", (size_t)session->runs + 1,
				progress->all);
}

int td_run_once(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	const struct td_request *request = run->job->request;
	struct td_err late = { 0 };
	int rc = td_run_reset(run, err), rc_set;

	session->pre_done = request->when.pre_done && !session->runs;
	if (!rc)
		rc = session_take_set(session, err);
	if (request->verbose &&
	    (request->when.has_repeat || run->job->plan.nr_sets > 1))
		td_job_say(run->job, "tdstat: run %d\n", session->runs + 1);
	if (!rc)
		rc = run_pre(session, err);
	if (!rc && request->when.sync)
		sync();
	if (!rc)
		rc = td_run_open(run, err);
	if (!rc)
		rc = open_outputs(session, err);
	if (!rc)
		show_progress(session);
	if (!rc)
		rc = count_to_the_end(run, err);
	td_progress_clear(&session->progress);
	/* not inherited by --post */
	td_counting_close(&run->counting);
	td_latency_close(&run->latency);
	session->runs++;
	session->begun += run->engine->child.runs;
	rc_set = session_end_set(session, false, rc ? &late : err);
	rc = rc ? rc : rc_set;
	if (!rc)
		rc = run_post(session, err);
	return rc;
}

int td_run_finish(struct td_run *run, struct td_err *err)
{
	struct td_session *session = run->session;
	int rc = session_end_set(session, true, err);

	if (!rc && !session->unwritable)
		rc = td_view_end(&session->view, err);

	return rc && td_run_outlives(run, err) ? 0 : rc;
}
