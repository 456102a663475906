/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SESSION_H
#define TD_CMD_SESSION_H

#include <stdbool.h>

#include "cmd/request.h"
#include "cmd/run/signals.h"
#include "cmd/view/viewer.h"

/* How far a session came that ended with an error. */
struct td_reached {
	int runs;  /* of the command, that it made */
	bool pre;  /* --pre was done for the next one */
	bool over; /* no further one is wanted: a signal came, a hook failed */
};

/* Who is told, besides the stream of results; NULL: nobody. */
struct td_told {
	struct td_focus *focus;
	const struct td_viewer *viewer;
	struct td_reached *reached;
	bool again; /* the first error is said already */
};

/*
 * Counts as the request says, or shows what would be counted (--dry-run).  *status is
 * set to the command's status if one ran.
 */
int td_session_run(const struct td_request *request, int *status,
		   struct td_err *err);
/* The same, with a viewer in place of the stream of results (NULL: none). */
int td_session_view(const struct td_request *request,
		    const struct td_viewer *viewer, int *status,
		    struct td_err *err);
/*
 * The same, for who counts several times.  told->focus: what the verdict was, if
 * there is one, and whether a signal ended it.
 */
int td_session_tell(const struct td_request *request,
		    const struct td_inherited *inherited,
		    const struct td_told *told, int *status,
		    struct td_err *err);
/*
 * Counts the whole tree of the same target as -l auto does, shows nothing, and
 * tells what the verdict is.
 */
int td_session_find(const struct td_request *request,
		    const struct td_inherited *inherited,
		    struct td_focus *focus, struct td_reached *reached,
		    int *status, struct td_err *err);

/*
 * Counts as td_session_view() does.  What keeps it from counting a command is
 * said, and the command runs anyway, with what can be had of it: its
 * software events and times.  With --require it is an error, and the command
 * does not run.  *counted is false if the command ran without (NULL: not asked).
 */
int td_always_run(const struct td_request *request,
		  const struct td_viewer *viewer, bool *counted, int *status,
		  struct td_err *err);
/*
 * The same for who counts in another way, after *err: reached says how far the
 * command came.  Returns the error if it is not to run, or not again.
 */
int td_always_go_on(const struct td_request *request,
		    const struct td_inherited *inherited,
		    struct td_reached *reached, int *status,
		    struct td_err *err);
/*
 * The same, where err was found before, which must not write to the output.
 * Returns the error if there is no command to run.
 */
int td_always_run_unseen(const struct td_request *request, int *status,
			 struct td_err *err);

/* For who runs several commands, and says so: the parts of it. */

/* Like that of timeout(1) and env(1), if they do not start the command. */
#define TD_NOT_STARTED 125

/* Is *err of the kind in spite of which a command runs, which did not yet? */
bool td_always_is_due(const struct td_request *request,
		      const struct td_reached *reached,
		      const struct td_err *err);
/* The request with which the same command runs, and nothing is counted. */
struct td_request td_always_uncounted(const struct td_request *request);

#endif
