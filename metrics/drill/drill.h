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
	/* groups of its own, and of the pool of the families below it */
	unsigned int nr_groups, nr_pooled;
	bool retiring; /* below useful work, which comes last */
	bool on, pool_on;
	/* it is looked at before its siblings, and since when */
	bool leads;
	uint64_t leads_ns;
	/* of its node: */
	bool ever_over;
	uint64_t over_ns; /* when it was last seen over its threshold */
	double value;     /* the last one that was known */
	bool chosen, looked_at, pool_chosen,
		first; /* in the decision that is made */
};

struct td_drill {
	const struct td_tree *tree; /* borrowed */
	struct td_drill_family *v;  /* one for each family of the tree */
	size_t nr;
	/* for each PMU: the groups that take turns and never rest */
	unsigned int *always;
};

/* All families rest.  Returns 0 or -ENOMEM; free it even then. */
int td_drill_begin(struct td_drill *drill, const struct td_tree *tree,
		   const struct td_plan *plan);
/*
 * Sets which families are on.  The report, of the time since the last decision,
 * has a row for each PMU and id.  Families below others are on only with these.
 * On each PMU, the path of the largest node gets to its end; further families
 * are on as far as there is room for their groups, or have it in their turn.  Returns true if anything
 * was switched.
 */
bool td_drill_decide(struct td_drill *drill, const struct td_report *report,
		     uint64_t now_ns);
/*
 * Lists what is on, families and pools, as in families_of_events.  Returns 0 or
 * -ENOMEM; free it even then.
 */
int td_drill_list(const struct td_drill *drill, struct td_ints *out);
void td_drill_free(struct td_drill *drill);

#endif
