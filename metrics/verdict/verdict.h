/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/verdict: says which node of the tree matters most, if one does.
 *
 * In: a finished report of everything that is counted.
 * Out: struct td_verdict: values, names of the report, and no sentences.
 */
#ifndef TD_METRICS_VERDICT_VERDICT_H
#define TD_METRICS_VERDICT_VERDICT_H

#include "lib/count/report.h"
#include "metrics/verdict/siblings.h"

enum td_situation {
	/* no tree, or rows of several ids: nothing to say */
	TD_SITUATION_NONE,
	TD_SITUATION_NOT_COUNTED,
	TD_SITUATION_IDLE,    /* the CPUs had next to nothing to do */
	TD_SITUATION_SHORT,   /* too few reads, so no value has an error */
	TD_SITUATION_UNKNOWN, /* no value has an error, for other reasons */
	TD_SITUATION_UNLIKE,  /* the nodes cannot be compared */
	TD_SITUATION_SUM,     /* level 1 is not all of the slots */
	TD_SITUATION_NOTHING, /* no node is over its threshold */
	TD_SITUATION_NEAR,    /* one is, but by less than its error */
	TD_SITUATION_TIE, /* one is, and is not the largest of all for sure */
	TD_SITUATION_RETIRING, /* most slots did work */
	TD_SITUATION_CLEAR,
};

/* What to count next to learn more. */
enum td_deeper {
	TD_DEEPER_NOTHING,
	TD_DEEPER_LEVEL, /* the tree down to td_verdict.level */
	TD_DEEPER_GROUP, /* the children of the path's last node */
};

#define TD_VERDICT_DEPTH 6 /* the levels of Intel's trees */

struct td_verdict {
	enum td_situation situation;
	bool by_size; /* the tree has no thresholds */
	bool waits;   /* the tasks did not run most of the time */
	bool held;    /* somebody else had the counters most of the time */
	/*
	 * not steady: for a good part of the time another node had the most slots
	 * than row->phases.first
	 */
	bool changed;
	/* of tasks, a share of one CPU; NaN: unknown */
	double busy_pct;
	double sum_pct;           /* of level 1, where that is the situation */
	const struct td_row *row; /* the PMU with the most slots; or NULL */
	/* nodes that matter most on their levels, each below the one before */
	struct td_found path[TD_VERDICT_DEPTH];
	size_t nr_path;
	/*
	 * the next sibling of the path's last node, or of one above it if that
	 * is over its threshold and larger; of retiring, the loss
	 */
	struct td_found runner_up;
	/*
	 * one over its threshold, and a sibling that may be larger, over it or
	 * not: below the path's end, or the largest losses if most slots did
	 * work
	 */
	struct td_found tied[2];
	/* or: over their thresholds for sure, but shares of different things */
	struct td_found over[2];
	bool no_loss;     /* beside retiring, nothing is over its threshold */
	bool short_below; /* the nodes there have no errors */
	enum td_deeper deeper;
	int level;
	/*
	 * Of rows of several ids, which have no other verdict: the ids that
	 * lost the most slots.  lost_pct and lost_error are of all kinds of core,
	 * the rest is that of the id's first row.  id NULL: there are none.
	 */
	struct td_row losers[2];
	size_t nr_losers; /* ids that lost any */
	size_t nr_alike;  /* of these, the first and those that lost as much */
	double between_pct; /* of all slots, lost between functions; else 0 */
};

/* The report must outlive the verdict; its rows of an id stand together. */
void td_verdict_find(struct td_verdict *verdict,
		     const struct td_report *report);

/* Of a machine with so many kinds of core besides that of the verdict. */
#define TD_VERDICT_OTHERS 3

/*
 * Finds those of the other kinds of core that had more than a fifth of the
 * slots.  Returns how many there are.
 */
size_t td_verdict_find_others(struct td_verdict others[TD_VERDICT_OTHERS],
			      const struct td_verdict *verdict,
			      const struct td_report *report);

/* The last node of the path, or NULL. */
const struct td_found *td_verdict_last(const struct td_verdict *verdict);
/* The node of the path that the runner-up, which there has to be, is a sibling of. */
const struct td_found *td_verdict_beside(const struct td_verdict *verdict);
/* The node to look at next: the only one that is over, or the path's last. */
const struct td_found *td_verdict_focus(const struct td_verdict *verdict);
/*
 * The next of the nodes that the verdict names whose events have errata; NULL behind
 * the last one.  *at is 0 before the first.
 */
const struct td_found *td_verdict_in_doubt(const struct td_verdict *verdict,
					   size_t *at);

#endif
