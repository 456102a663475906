/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_ALWAYS_H
#define TD_CMD_ALWAYS_H

#include <stdbool.h>

struct td_err;
struct td_inherited;
struct td_opts;
struct td_reached;
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
 * The same for who counts in another way, after *err: reached says how far the
 * command came.  Returns the error if it is not to run, or not again.
 */
int td_always_go_on(const struct td_opts *opts,
		    const struct td_inherited *inherited,
		    struct td_reached *reached, int *status,
		    struct td_err *err);
/*
 * The same, where err was found before, which must not write to the output.
 * Returns the error if there is no command to run.
 */
int td_always_run_unseen(const struct td_opts *opts, int *status,
			 struct td_err *err);

/* For who runs several commands, and says so: the parts of it. */

/* Like that of timeout(1) and env(1), if they do not start the command. */
#define TD_NOT_STARTED 125

/* Is *err of the kind in spite of which a command runs, which did not yet? */
bool td_always_is_due(const struct td_opts *opts,
		      const struct td_reached *reached,
		      const struct td_err *err);
/* The options with which the same command runs, and nothing is counted. */
struct td_opts td_always_uncounted(const struct td_opts *opts);

#endif
