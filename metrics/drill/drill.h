/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/drill: decides what -l auto counts.
 *
 * In: the report of about the last second, and the families that are counted.
 * Out: the families (metrics/tree) to count from now on.
 */
#pragma once

#include "lib/count/report.h"
#include "metrics/tree/tree.h"

/* Time for which a family stays on after its node fell below its threshold. */
#define TD_DRILL_HOLD_NS UINT64_C(2000000000)
/* Time for which the path of one node is counted before it may be replaced. */
#define TD_DRILL_TURN_NS UINT64_C(4000000000)
/* Maximum number of multiplexed groups of a PMU: each is counted a third of the time. */
#define TD_DRILL_GROUPS 3

struct td_drill {
	const struct td_tree *tree; /* borrowed */
	/* one for each family of the tree */
	struct td_drill_family {
		const struct td_tree_family *is; /* the family in the tree */
		/* number of its own groups, and of the groups of its pool */
		unsigned int nr_groups, nr_pooled;
		bool retiring; /* the node is below retiring, which is chosen last */
		bool on, pool_on;
		bool leads;        /* chosen before its siblings */
		uint64_t leads_ns; /* time since which it leads */
		bool ever_over;    /* its node was above its threshold at some time */
		uint64_t over_ns;  /* time at which its node was last above its threshold */
		double value;      /* last known value of its node */
		/* used only while a decision is made */
		bool visited;
		bool chosen, pool_chosen; /* the family or its pool will be on */
		bool first;               /* the family will lead */
	} * v;
	size_t nr;
	unsigned int *always; /* for each PMU: number of multiplexed groups without family */
};

/* Sets up drill, with all families off. */
void td_drill_begin(struct td_drill *drill, const struct td_tree *tree, const struct td_plan *plan);
/*
 * Decides which families are on.  report is for the time since the last decision, with a row for
 * each PMU and id.  A family is only on if its ancestors are.  On each PMU, the families on the
 * path from the largest node down to the last level are on.  Other families are on as well if there
 * is room for their groups, or replace them after TD_DRILL_TURN_NS.  Returns true if a family was
 * switched.
 */
bool td_drill_decide(struct td_drill *drill, const struct td_report *report, uint64_t now_ns);
/* Lists the labels of the families and pools that are on. */
void td_drill_list(const struct td_drill *drill, struct td_ints *out);
void td_drill_free(struct td_drill *drill);
