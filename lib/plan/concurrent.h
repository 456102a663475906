/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_CONCURRENT_H
#define TD_LIB_PLAN_CONCURRENT_H

#include "lib/plan/fit.h"

/* The groups of a PMU that count at the same time; zeroed, there are none. */
struct td_concurrent {
	struct td_fit fit;
	size_t nr;
	bool closed; /* an exclusive group lets no other join */
};

/* Adds a group.  Returns false if it does not fit; *concurrent is unchanged. */
bool td_concurrent_add(struct td_concurrent *concurrent,
		       const struct td_plan *plan,
		       const struct td_machine *machine,
		       const struct td_group *group);
/* The pinned groups of a PMU, which count all the time. */
struct td_concurrent td_concurrent_pinned(const struct td_plan *plan,
					  const struct td_machine *machine,
					  int pmu);

/* Fills in td_group.at_once; call it when the groups are final. */
void td_plan_fill_at_once(struct td_plan *plan,
			  const struct td_machine *machine);
/*
 * The groups that are sampled for the same tasks take turns with those of plan, which
 * so have less time: lowers td_group.at_once, but where a pinned group tells the time.
 */
void td_plan_share_turns(struct td_plan *plan, const struct td_plan *sampled,
			 const struct td_machine *machine);
/*
 * Sets shares, one for each group, to the part of the time in which the kernel
 * will count it: 1 if it is always.  0 if it never fits.
 */
void td_plan_shares(const struct td_plan *plan,
		    const struct td_machine *machine, double *shares);

#endif
