/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_TURNS_H
#define TD_CMD_PLAN_TURNS_H

#include <stdio.h>

#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * The end of --dry-run, a line for each core PMU: how long each group will be
 * counted, what makes them take turns, and what prevents it.
 */
void td_put_turns(FILE *fp, const struct td_machine *machine,
		  const struct td_plan *plan);

#endif
