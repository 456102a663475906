/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_CLOCKS_H
#define TD_LIB_PLAN_CLOCKS_H

#include "lib/plan/fit.h"
#include "lib/plan/plan.h"

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
 * The modifiers of an event with one of the names of the clock: "u" of
 * "cpu_core/cycles/u" and "cycles:u"; NULL: it is another event.  Terms behind a
 * name change what it counts.
 */
const char *td_clock_modifiers(const char *event, enum td_clock_event clock);
/* Does the PMU have such events, as far as it is known how to ask for them? */
bool td_clocks_has(const struct td_machine *machine, int pmu);
/*
 * Adds the clocks that the groups of a core PMU lack, as spare events of one
 * group, unless this would take a counter from others.
 */
int td_clocks_add(struct td_plan *plan, const struct td_machine *machine,
		  int pmu, struct td_err *err);
/*
 * The event of the plan that counts a clock in all privilege levels, or -1.
 * recorded: the events have names, but no bits.
 */
int td_clocks_find(const struct td_plan *plan, const struct td_machine *machine,
		   int pmu, enum td_clock_event clock, bool recorded);

#endif
