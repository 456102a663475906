/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_PLAN_CLOCKS_H
#define TD_LIB_PLAN_CLOCKS_H

#include "lib/plan/plan.h"
#include "lib/plan/reference.h"

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
