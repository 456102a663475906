/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SESSION_H
#define TD_CMD_SESSION_H

#include "cmd/opts/opts.h"
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
 * Counts as opts say, or shows what would be counted (--dry-run).  *status is
 * set to the command's status if one ran.
 */
int td_session_run(const struct td_opts *opts, int *status, struct td_err *err);
/* The same, with a viewer in place of the stream of results (NULL: none). */
int td_session_view(const struct td_opts *opts, const struct td_viewer *viewer,
		    int *status, struct td_err *err);
/*
 * The same, for who counts several times.  told->focus: what the verdict was, if
 * there is one, and whether a signal ended it.
 */
int td_session_tell(const struct td_opts *opts,
		    const struct td_inherited *inherited,
		    const struct td_told *told, int *status,
		    struct td_err *err);
/*
 * Counts the whole tree of the same target as -l auto does, shows nothing, and
 * tells what the verdict is.
 */
int td_session_find(const struct td_opts *opts,
		    const struct td_inherited *inherited,
		    struct td_focus *focus, struct td_reached *reached,
		    int *status, struct td_err *err);

#endif
