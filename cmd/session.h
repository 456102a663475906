/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/request.h"
#include "cmd/run/signals.h"
#include "cmd/view/viewer.h"

/* Result of an attempt to count that ended with an error. */
struct td_attempt {
	int runs;  /* number of runs of the command */
	bool pre;  /* --pre was done for the next run */
	bool over; /* no further run: a signal came, a hook failed, the command ran or cannot */
};

/* Receivers of results in addition to the stream; each may be NULL. */
struct td_receivers {
	struct td_focus *focus; /* gets the verdict, and whether a signal ended the session */
	const struct td_viewer *viewer;
	struct td_attempt *attempt;
	bool again; /* the first error was printed: this session shows what is possible */
};

/*
 * Count the request, or show what would be counted (--dry-run).  *status is set to the
 * command's status if one ran.
 */
int td_session_run(const struct td_request *request, int *status, struct td_err *err);
/* Count, and pass reports to a viewer instead of the output (NULL: no viewer). */
int td_session_view(const struct td_request *request, const struct td_viewer *viewer, int *status,
		    struct td_err *err);
/* Count.  Several such sessions share the inherited state. */
int td_session_count(const struct td_request *request, const struct td_inherited *inherited,
		     const struct td_receivers *receivers, int *status, struct td_err *err);
/*
 * Count the whole tree of the same target, as -l auto does, without output, and return the verdict.
 */
int td_session_find(const struct td_request *request, const struct td_inherited *inherited,
		    struct td_focus *focus, struct td_attempt *attempt, int *status,
		    struct td_err *err);

/*
 * Count like td_session_view().  If a command cannot be counted, print the reason and run it
 * anyway, with its software events and times if possible.  With --require, return the error
 * and do not run the command.  *counted is false if it ran uncounted (NULL: not needed).
 */
int td_always_run(const struct td_request *request, const struct td_viewer *viewer, bool *counted,
		  int *status, struct td_err *err);
/*
 * Run the command anyway after another way of counting failed with *err, and with this attempt.
 * Returns the error if the command must not run, or not again.
 */
int td_always_continue(const struct td_request *request, const struct td_inherited *inherited,
		       struct td_attempt *attempt, int *status, struct td_err *err);
/*
 * Run the command anyway after the output, which must not be written, was refused with *err.
 * Returns the error if there is no command.
 */
int td_always_run_unseen(const struct td_request *request, int *status, struct td_err *err);

/* --- parts of td_always_run(), for callers that run several commands -------- */

/* Exit status as in timeout(1) and env(1), if the command was not started. */
#define TD_NOT_STARTED 125

/* Return true if the command must run in spite of *err, and has not yet. */
bool td_always_is_due(const struct td_request *request, const struct td_attempt *attempt,
		      const struct td_err *err);
/* Return a request that runs the same command without counting. */
struct td_request td_always_uncounted(const struct td_request *request);
