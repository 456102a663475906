/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_TURNS_H
#define TD_CMD_PLAN_TURNS_H

#include <stdio.h>

#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * --dry-run, at the end: print a line for each core PMU with the share of time that its groups
 * are counted, why they are multiplexed, and how to avoid it.
 */
void td_put_turns(const struct td_machine *machine, const struct td_plan *plan);
/*
 * Print for one PMU, which must have groups, how they are multiplexed: "5 groups, each counted 20 %
 * of the time".  If why is true, print the reason, too.  Returns true if groups are multiplexed.
 */
bool td_put_turns_of(FILE *fp, const struct td_machine *machine, const struct td_plan *plan,
		     int pmu, bool why);

#endif
