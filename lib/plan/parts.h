/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_PARTS_H
#define TD_LIB_PLAN_PARTS_H

#include "lib/plan/fit.h"

/* --- pack.c --------------------------------------------------------------- */

/* The packing of one PMU's events into groups, which are numbered from 0. */
struct td_packing {
	const struct td_claim *claims; /* one for each event of the plan */
	int pmu;
	int *events; /* events to place; td_pack() sorts them */
	size_t nr;
	const struct td_need *needs; /* needs on all PMUs */
	size_t nr_needs;
	/* initial contents of the first group, and of each further group */
	struct td_fit first, further;

	/* The result, in memory of the caller: */
	int *homes; /* for each event of the plan: its group, or a negative number below */
	int *order; /* the events in the order in which they were placed; room for nr */
	size_t nr_placed, nr_groups;
};

#define TD_NOWHERE    (-1) /* an event still to place */
#define TD_NOT_PACKED (-2) /* an event that is not packed */

/*
 * Packs events into as few groups as the counters allow.  Keeps the events of a need in
 * one group where possible, lower ranks first.
 */
void td_pack(struct td_packing *p);

#endif
