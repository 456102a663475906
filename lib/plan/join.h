/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_JOIN_H
#define TD_LIB_PLAN_JOIN_H

#include "lib/plan/plan.h"

/*
 * Makes one group of all those of a PMU, for counting without turns.  What the
 * counters do not hold besides is refused, and a note counts it.
 * Pure.  Returns 0 or -ENOMEM.
 */
int td_plan_join(struct td_plan *plan, const struct td_machine *machine,
		 struct td_notes *notes, struct td_err *err);

#endif
