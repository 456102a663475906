// SPDX-License-Identifier: GPL-2.0-only
/* A command that has started runs to its end, even if counting fails. */
#include <errno.h>

#include "cmd/run/run.h"
#include "cmd/say.h"

static bool has_failed(FILE *fp)
{
	return fp && ferror(fp);
}

/* True if writing has failed for the first time. */
static bool note_unwritable(struct td_session *session,
			    const struct td_err *err)
{
	bool now = has_failed(session->view.sink.writer.fp) ||
		   session->recorder.failed;

	if (!now || session->unwritable)
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
	session->lacking |= err->code == -ENOMEM;
	if (!run->engine->child.runs)
		return false;
	if (news && !err->reader_gone)
		td_say_error(err);
	if (news && !err->reader_gone && !session->engine.waiter.child_ended)
		td_job_say(run->job,
			   "tdstat: nothing more is counted: %s goes on\n",
			   run->job->opts->target.command[0]);
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
	if (session->lacking)
		return 1;
	return session->unwritable && !session->unseen ? 1 : 0;
}
