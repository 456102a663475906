/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/report.h"
#include "metrics/verdict/verdict.h"

struct td_source;

/*
 * A receiver of results in place of a stream: a screen, a server.  All functions but report() may
 * be NULL, and ready() only if fd is -1.  Negative results are errors, which end the counting.
 */
struct td_viewer {
	/* called once, when counting has begun; source belongs to all reports */
	int (*begin)(void *ctx, const struct td_source *source, struct td_err *err);
	/*
	 * called before each report, except for cgroups, with the same counts summed up to one row
	 * per PMU, and the verdict on these rows
	 */
	int (*whole)(void *ctx, const struct td_report *whole, const struct td_verdict *verdict,
		     struct td_err *err);
	/* called with each interval's report, which the caller owns */
	int (*report)(void *ctx, const struct td_report *report, struct td_err *err);
	/* called when fd is readable; if it sets *ends, counting ends as after a signal */
	int (*ready)(void *ctx, bool *ends, struct td_err *err);
	int fd; /* -1: nothing to wait for */
	void *ctx;
};

#define TD_FOCUS_NAME 64

/* Copy of a verdict, for a caller that continues with it. */
struct td_focus {
	bool known;       /* there was a verdict */
	bool interrupted; /* a signal ended the counting, and no further step is wanted */
	bool unsure;      /* the biggest loss is not clear; the first node is the best guess */
	double slots_pct; /* share of pmu's slots that are lost to the first node; NaN: unknown */
	enum td_situation situation;
	bool held;               /* another program had the counters most of the time */
	char pmu[TD_FOCUS_NAME]; /* the PMU with the most slots */
	/* the node to look at, then its ancestors */
	char nodes[TD_VERDICT_DEPTH + 1][TD_FOCUS_NAME];
	size_t nr;
};

/* Return why there is no clear biggest loss, as the end of a sentence. */
const char *td_focus_why(const struct td_focus *focus);
/* Copy a verdict, including its names. */
void td_focus_copy(struct td_focus *focus, const struct td_verdict *verdict);
