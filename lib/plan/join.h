/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_JOIN_H
#define TD_LIB_PLAN_JOIN_H

#include "lib/plan/plan.h"

#define TD_NO_COUNTER_LEFT "no counter is left"

/*
 * Makes one group of all those of a PMU, for counting without turns.  Events that the
 * counters do not hold besides are refused, with the reason above.
 * Pure.  Returns 0 or -ENOMEM.
 */
int td_plan_join(struct td_plan *plan, const struct td_machine *machine,
		 struct td_err *err);

#endif
