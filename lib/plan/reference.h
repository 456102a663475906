/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_REFERENCE_H
#define TD_LIB_PLAN_REFERENCE_H

#include "lib/plan/fit.h"

/*
 * Events of fixed counters that every core has.  They go on only while a CPU is
 * not halted: the reference cycles at the speed of the time-stamp counter, the
 * cycles at the speed of the core; instructions are no clock.
 */
enum td_clock_event {
	TD_CLOCK_REFERENCE,
	TD_CLOCK_CYCLES,
	TD_CLOCK_INSTRUCTIONS,
	TD_NR_CLOCKS,
};

/* The reference event of a PMU: all groups that take turns count it, too. */
struct td_reference {
	int event; /* index of the plan's event; -1 if not made yet */
	int kind;  /* enum td_clock_event, or -1 */
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

/*
 * The event of this kind that the plan has already on the PMU, with the
 * privilege levels that a reference would have; -1 if there is none.
 */
int td_reference_find(const struct td_plan *plan,
		      const struct td_machine *machine, int pmu,
		      enum td_clock_event kind);
/* What such an event, which need not be in the plan, takes of the counters. */
struct td_claim td_reference_claim(const struct td_machine *machine, int pmu,
				   enum td_clock_event kind);

#endif
