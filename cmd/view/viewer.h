/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_VIEWER_H
#define TD_CMD_VIEW_VIEWER_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/count/report.h"
#include "metrics/verdict/verdict.h"

struct td_source;

/*
 * Who gets the results of a run in place of a stream: a screen, a server.  All but
 * report() may be NULL, and ready() if fd is -1.  Negative results are errors,
 * which end the counting.
 */
struct td_viewer {
	/* Once, when counting has begun; source is that of all reports. */
	int (*begin)(void *ctx, const struct td_source *source,
		     struct td_err *err);
	/*
	 * Before each report that is not of cgroups: the same counts with
	 * everything in one row a PMU, and what there is to say of it.
	 */
	int (*whole)(void *ctx, const struct td_report *whole,
		     const struct td_verdict *verdict, struct td_err *err);
	/* Each interval's report, which is the caller's. */
	int (*report)(void *ctx, const struct td_report *report,
		      struct td_err *err);
	/*
	 * There is something to read from fd; with *ends set, counting ends as
	 * after a signal.  fd is -1 if there is nothing to wait for.
	 */
	int (*ready)(void *ctx, bool *ends, struct td_err *err);
	int fd;
	void *ctx;
};

#define TD_FOCUS_NAME 64

/* What a verdict said, for who goes on with it. */
struct td_focus {
	bool known; /* there was a verdict */
	/* a signal ended the counting: nothing is to go on */
	bool interrupted;
	/* no node matters most for sure: the first one is the best guess */
	bool unsure;
	double slots_pct; /* of pmu's slots, what it loses to it; NaN */
	enum td_situation situation;
	bool held; /* somebody else had the counters most of the time */
	char pmu[TD_FOCUS_NAME]; /* the one with the most slots */
	/* the node to look at, then those above it; none: nr is 0 */
	char nodes[TD_VERDICT_DEPTH + 1][TD_FOCUS_NAME];
	size_t nr;
};

/* Why there is no node that matters most for sure, as a sentence ends. */
const char *td_focus_why(const struct td_focus *focus);
/* The verdict's names are copied. */
void td_focus_take(struct td_focus *focus, const struct td_verdict *verdict);

#endif
