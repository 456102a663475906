// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cmd/plan/dry_run.h"
#include "cmd/plan/job.h"
#include "cmd/run/run.h"

static void tell_reached(const struct td_run *run, struct td_reached *reached)
{
	const struct td_session *session = run->session;

	*reached = (struct td_reached){
		.runs = session->begun,
		.pre = session->pre_done,
		.over = session->held_back ||
			td_child_is_over(&session->engine.child),
	};
}

static int count(struct td_job *job, const struct td_inherited *inherited,
		 const struct td_told *told, int *status, struct td_err *err)
{
	struct td_focus *focus = told->focus;
	struct td_session session;
	struct td_run run = {
		.session = &session,
		.job = job,
		.engine = &session.engine,
	};
	struct td_err late = { 0 };
	int rc, rc_finish;

	td_signals_keep_hangup(td_session_keeps_hangup(job->opts));
	rc = td_session_open(&session, job, inherited, err);
	session.view.focus = focus;
	session.view.viewer = told->viewer;
	session.view.instead = told->again;
	session.engine.waiter.viewer = told->viewer ? told->viewer->fd : -1;
	do {
		if (!rc)
			rc = td_run_once(&run, err);
	} while (!rc && td_session_goes_on(&session));
	if (told->reached)
		tell_reached(&run, told->reached);
	/* show the results of earlier runs if a run fails */
	rc_finish = td_run_finish(&run, rc ? &late : err);
	/* if a run failed, only the status of a command that could not run */
	if (!rc || !session.engine.child.reaped)
		*status =
			rc ? session.engine.child.status : td_run_status(&run);
	td_run_close(&run);
	if (focus)
		focus->interrupted =
			session.engine.signals ||
			(session.is_last && job->opts->target.command);
	return td_session_close(&session, rc ? rc : rc_finish, err);
}

/* Checked first, before a descriptor of ours gets this number. */
static int check_log_fd(const struct td_opts *opts, struct td_err *err)
{
	int flags = opts->show.log_fd ? fcntl(opts->show.log_fd, F_GETFL)
				      : O_WRONLY;

	if (flags < 0)
		return td_err_set(err, -errno, "--log-fd %d: %s",
				  opts->show.log_fd, strerror(errno));
	if ((flags & O_ACCMODE) == O_RDONLY)
		return td_err_set(err, -EBADF,
				  "--log-fd %d: it is open for reading only",
				  opts->show.log_fd);
	return 0;
}

int td_session_tell(const struct td_opts *opts,
		    const struct td_inherited *inherited,
		    const struct td_told *told, int *status, struct td_err *err)
{
	struct td_job job;
	int rc = check_log_fd(opts, err);

	if (rc)
		return rc;
	rc = td_job_plan(&job, opts, err);
	if (!rc)
		rc = opts->dry_run ? td_dry_run(&job, err)
				   : count(&job, inherited, told, status, err);
	if (rc && !told->again &&
	    td_opts_want_events(opts)) /* why no event is left */
		td_job_say_notes(&job);
	td_job_free(&job);
	return rc;
}

int td_session_view(const struct td_opts *opts, const struct td_viewer *viewer,
		    int *status, struct td_err *err)
{
	const struct td_told told = { .viewer = viewer };
	struct td_inherited inherited = { 0 };

	td_inherited_change(&inherited);
	return td_session_tell(opts, &inherited, &told, status, err);
}

int td_session_run(const struct td_opts *opts, int *status, struct td_err *err)
{
	return td_session_view(opts, NULL, status, err);
}

int td_session_find(const struct td_opts *opts,
		    const struct td_inherited *inherited,
		    struct td_focus *focus, struct td_reached *reached,
		    int *status, struct td_err *err)
{
	const struct td_told told = { .focus = focus, .reached = reached };
	struct td_opts counting = *opts;

	*focus = (struct td_focus){ 0 };
	counting.does = (struct td_does){ .latencies = true };
	counting.show.format = TD_FORMAT_TEXT;
	counting.ask = (struct td_ask){ .level = TD_MAX_LEVEL, .drill = true };
	counting.show.quiet = counting.show.verdict = true;
	return td_session_tell(&counting, inherited, &told, status, err);
}
