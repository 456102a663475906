/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_REFERENCE_H
#define TD_LIB_PLAN_REFERENCE_H

#include "lib/plan/fit.h"

/* The reference event of a PMU: all groups that take turns count it, too. */
struct td_reference {
	int event; /* index of the plan's event; -1 if not made yet */
	int kind;  /* index of its kind in reference.c, or -1 */
	struct td_claim claim;
};

/*
 * Chooses an event of a fixed counter, which costs no general one. taken has
 * the used fixed counters, as in td_claim.mask. reference->kind is -1 if the
 * core is unknown or no such counter is free.
 */
void td_reference_choose(struct td_reference *reference,
			 const struct td_plan *plan,
			 const struct td_machine *machine, int pmu,
			 uint32_t taken);
/* Adds the event to the plan, unless it is there.  Returns 0 or an error. */
int td_reference_make(struct td_reference *reference, struct td_plan *plan,
		      const struct td_machine *machine, int pmu,
		      struct td_err *err);

#endif
