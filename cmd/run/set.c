// SPDX-License-Identifier: GPL-2.0-only
/* --no-multiplex: each run of the command counts a part of the groups. */
#include "cmd/run/run.h"
#include "cmd/view/joined.h"

int td_session_take_set(struct td_session *session, struct td_err *err)
{
	struct td_plan *plan = &session->job->plan;
	unsigned int run;

	if (plan->nr_sets < 2)
		return 0;
	run = (unsigned int)session->runs % plan->nr_sets;
	return td_plan_take_set(plan, run, &session->parked) ? td_err_nomem(err)
							     : 0;
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
		   td_view_keeps_runs(&session->view)
			   ? ", and the errors are wider for it"
			   : "");
}

int td_session_end_set(struct td_session *session, bool now, struct td_err *err)
{
	struct td_plan *plan = &session->job->plan;
	int rc = 0;

	if (plan->nr_sets < 2)
		return 0;
	if (td_plan_put_back(plan, &session->parked))
		return td_err_nomem(err);
	if (session->unwritable ||
	    (!now && (unsigned int)session->runs % plan->nr_sets))
		return 0;
	rc = td_view_join(&session->view, err);
	say_difference(session);
	return rc;
}
