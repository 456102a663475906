/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_SETS_H
#define TD_LIB_PLAN_SETS_H

#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * --no-multiplex: the groups of a plan are split into sets that the counters
 * hold at once, and each run of the command counts one set of each PMU.
 */

/* The number of runs that td_plan_make_sets() would need; 0: out of memory. */
unsigned int td_plan_count_sets(const struct td_plan *plan,
				const struct td_machine *machine);
/*
 * Fills in td_group.set and plan->nr_sets.  If there is more than one set, each
 * also counts instructions, to see if the runs did the same work: the event
 * has is_work, and is a hidden one if it was not asked for.
 */
int td_plan_make_sets(struct td_plan *plan, const struct td_machine *machine,
		      struct td_err *err);
/* True if the run (from 0) counts the group. */
bool td_plan_run_counts(const struct td_plan *plan,
			const struct td_group *group, unsigned int run);

/* Parks the groups that the run (from 0) does not count.  0 or -ENOMEM. */
int td_plan_take_set(struct td_plan *plan, unsigned int run);
/* Puts the parked ones back.  0 or -ENOMEM. */
int td_plan_put_back(struct td_plan *plan);

#define TD_NO_COUNTER_LEFT "no counter is left"

/*
 * Makes one group of all those of a PMU, for counting without turns.  Events that the
 * counters do not hold besides are refused, with the reason above.
 * Pure.  Returns 0 or -ENOMEM.
 */
int td_plan_join(struct td_plan *plan, const struct td_machine *machine,
		 struct td_err *err);

#endif
