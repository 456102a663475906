/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_PACK_H
#define TD_LIB_PLAN_PACK_H

#include "lib/plan/fit.h"

/*
 * One PMU's events on their way into groups.  Groups are numbers here: 0, 1
 * and so on.
 */
struct td_packing {
	const struct td_claim *claims; /* one an event of the plan */
	int pmu;
	int *events; /* those that want a place */
	size_t nr;
	const struct td_need *needs; /* of all PMUs */
	size_t nr_needs;
	/* What the first group has from the start, and what the others have. */
	struct td_fit first, further;

	/* The result. */
	int *homes; /* one an event of the plan: its group, < 0: none */
	int *order; /* the events as they were placed; room for nr */
	size_t nr_placed;
	size_t nr_groups;
};

#define TD_NOWHERE (-1) /* wants a place */
#define TD_APART   (-2) /* not one of those that are packed */

/*
 * As few groups as the counters force, and in them the events of a need
 * together, those of lower ranks first.  -ENOMEM.
 */
int td_pack(struct td_packing *p);

#endif
