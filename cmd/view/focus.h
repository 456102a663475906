/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_FOCUS_H
#define TD_CMD_VIEW_FOCUS_H

#include "metrics/verdict/verdict.h"

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
