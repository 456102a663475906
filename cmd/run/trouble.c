// SPDX-License-Identifier: GPL-2.0-only
/* A command that has started runs to its end, even if counting fails. */
#include "cmd/run/run.h"
#include "cmd/say.h"

/* True if writing has failed for the first time. */
static bool note_unwritable(struct td_run *run, const struct td_err *err)
{
	bool now = (run->view.sink.writer.fp &&
		    ferror(run->view.sink.writer.fp)) ||
		   (run->recording && ferror(run->recording));

	if (!now || run->unwritable)
		return false;
	run->unwritable = true;
	run->unseen = err->reader_gone;
	return true;
}

bool td_run_outlives(struct td_run *run, struct td_err *err)
{
	bool news = note_unwritable(run, err) || !run->given_up;

	run->given_up = run->stopped = true;
	if (!run->child.runs)
		return false;
	if (news && !err->reader_gone)
		td_say_error(err);
	if (news && !err->reader_gone && !run->waiter.child_ended)
		td_run_say(run, "tdstat: nothing more is counted: %s goes on\n",
			   run->opts->command[0]);
	td_waiter_stop_counting(&run->waiter);
	td_run_close_counters(run);
	*err = (struct td_err){ 0 };
	return true;
}

int td_run_status(const struct td_run *run)
{
	if (run->child.status)
		return run->child.status;
	return run->unwritable && !run->unseen ? 1 : 0;
}
