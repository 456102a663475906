/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_SETS_H
#define TD_LIB_PLAN_SETS_H

#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * --no-multiplex: the groups of a plan are split into sets that fit the counters, and each
 * run of the command counts one set of each PMU.
 */

/* Returns the number of runs that td_plan_make_sets() would need. */
unsigned int td_plan_count_sets(const struct td_plan *plan, const struct td_machine *machine);
/*
 * Fill in td_group.set and plan->nr_sets.  If there are several sets, each also counts
 * instructions, to check that the runs did the same work.  This event has is_work, and is hidden
 * unless it was requested.
 */
int td_plan_make_sets(struct td_plan *plan, const struct td_machine *machine, struct td_err *err);
/* Does the run (from 0) count the group? */
bool td_plan_run_counts(const struct td_plan *plan, const struct td_group *group, unsigned int run);

/* Park the groups that the run (from 0) does not count. */
void td_plan_select_set(struct td_plan *plan, unsigned int run);
/* Return the parked groups to plan->groups. */
void td_plan_restore_groups(struct td_plan *plan);

#define TD_NO_COUNTER_LEFT "no counter is left"

/*
 * Join all groups of a PMU into one, so that nothing is multiplexed.  Events for which no
 * counter is left are refused with TD_NO_COUNTER_LEFT.  Pure.
 */
void td_plan_join(struct td_plan *plan, const struct td_machine *machine);

#endif
