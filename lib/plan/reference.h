/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_REFERENCE_H
#define TD_LIB_PLAN_REFERENCE_H

#include "lib/plan/fit.h"

/* What all groups of a PMU that take turns count besides. */
struct td_reference {
	int event; /* the plan's; -1: it is not made yet */
	int kind;  /* which of the fixed counters' events it is; -1: none */
	struct td_claim claim;
};

/*
 * One that a fixed counter counts, and none of taken, fixed counters as in
 * td_claim.mask, so that it costs nothing.  reference->kind is -1 if there is
 * none: on a core that is not known, and for events that count different rings.
 */
void td_reference_choose(struct td_reference *reference,
			 const struct td_plan *plan,
			 const struct td_machine *machine, int pmu,
			 uint32_t taken);
/* Makes the event, unless it is one of the plan already. */
int td_reference_make(struct td_reference *reference, struct td_plan *plan,
		      const struct td_machine *machine, int pmu,
		      struct td_err *err);

#endif
