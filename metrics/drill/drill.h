/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/drill: decides what -l auto counts.
 *
 * In: the report of the last second or so, and what is counted since when.
 * Out: which families (metrics/tree) are to be counted from now on.
 */
#ifndef TD_METRICS_DRILL_DRILL_H
#define TD_METRICS_DRILL_DRILL_H

#include "lib/count/report.h"
#include "metrics/tree/tree.h"

/* A family stays on for so long after its node fell below its threshold. */
#define TD_DRILL_HOLD_NS UINT64_C(2000000000)
/* The path of one node is counted for so long before others have their turn. */
#define TD_DRILL_TURN_NS UINT64_C(4000000000)
/* Groups of a PMU that take turns: each is counted a third of the time. */
#define TD_DRILL_GROUPS 3

struct td_drill_family {
	const struct td_tree_family *is; /* of the tree */
	/* groups of its own, and of what only families below it share */
	unsigned int nr_groups, nr_pooled;
	bool retiring; /* below useful work, which comes last */
	bool on, pool_on;
	/* it comes before its siblings, and since when */
	bool leads;
	uint64_t leads_ns;
	/* of its node: */
	bool ever_over;
	uint64_t over_ns; /* when it was last seen over its threshold */
	double value;     /* the last one that was known */
	/* only while a decision is made: */
	bool looked_at;           /* it was considered */
	bool chosen, pool_chosen; /* they will be on */
	bool first;               /* it will lead */
};

struct td_drill {
	const struct td_tree *tree; /* borrowed */
	struct td_drill_family *v;  /* one for each family of the tree */
	size_t nr;
	/* for each PMU: the groups that take turns beside those of families */
	unsigned int *always;
};

/* All families rest.  Returns 0 or -ENOMEM; free it even then. */
int td_drill_begin(struct td_drill *drill, const struct td_tree *tree,
		   const struct td_plan *plan);
/*
 * Decides which families are on.  The report is of the time since the last
 * decision and has a row for each PMU and id.  A family is on only if those
 * above it are.  On each PMU, the families from the largest node down to the
 * last level are on; others are too if there is room for their groups, or else
 * when it is their turn.  Returns true if anything was switched.
 */
bool td_drill_decide(struct td_drill *drill, const struct td_report *report,
		     uint64_t now_ns);
/*
 * Lists what is on, families and pools, by their labels.  Returns 0 or -ENOMEM;
 * free it even then.
 */
int td_drill_list(const struct td_drill *drill, struct td_ints *out);
void td_drill_free(struct td_drill *drill);

#endif
