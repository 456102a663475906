/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_TURNS_H
#define TD_CMD_PLAN_TURNS_H

#include <stdio.h>

#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * The end of --dry-run, a line for each core PMU: how long each group will be
 * counted, what makes them take turns, and what prevents it.
 * 0 or -ENOMEM.
 */
int td_put_turns(const struct td_machine *machine, const struct td_plan *plan);
/*
 * The same of one PMU, which has groups: "5 groups, each counted 20 % of the
 * time", and, with why, the reason.  Returns true if groups take turns.
 */
bool td_put_turns_of(FILE *fp, const struct td_machine *machine,
		     const struct td_plan *plan, int pmu, bool why);

#endif
