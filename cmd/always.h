/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_ALWAYS_H
#define TD_CMD_ALWAYS_H

#include <stdbool.h>

struct td_err;
struct td_opts;
struct td_viewer;

/*
 * Counts as td_session_view() does.  What keeps it from counting a command is
 * said, and the command runs anyway, with what can be had of it: its
 * software events and times.  With --require it is an error, and the command
 * does not run.  *counted is false if the command ran without (NULL: not asked).
 */
int td_always_run(const struct td_opts *opts, const struct td_viewer *viewer,
		  bool *counted, int *status, struct td_err *err);
/*
 * The same, where err was found before, which must not write to the output.
 * Returns the error if there is no command to run.
 */
int td_always_run_unseen(const struct td_opts *opts, int *status,
			 struct td_err *err);

#endif
