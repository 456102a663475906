/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/plan/fit.h"
#include "lib/plan/plan.h"

/*
 * Events of fixed counters that every core has.  They only count while a CPU is not halted.
 * Reference cycles have the frequency of the time-stamp counter, cycles that of the core;
 * instructions are not a clock.
 */
enum td_clock_event {
	TD_CLOCK_REFERENCE,
	TD_CLOCK_CYCLES,
	TD_CLOCK_INSTRUCTIONS,
	TD_NR_CLOCKS,
};

/* The reference event of a PMU, which all multiplexed groups count. */
struct td_reference {
	int event; /* index of the event in the plan; -1: not added yet */
	int kind;  /* enum td_clock_event, or -1 */
	struct td_claim claim;
};

/*
 * Choose an event of a fixed counter, so that it needs no general counter.  used: the fixed
 * counters in use, as in td_claim.mask.  Sets reference->kind to -1 if the core is unknown or no
 * fixed counter is free.
 */
void td_reference_choose(struct td_reference *reference, const struct td_plan *plan,
			 const struct td_machine *machine, int pmu, uint32_t used);
/* Add the event to the plan, unless the plan contains it.  Returns 0 or an error. */
int td_reference_make(struct td_reference *reference, struct td_plan *plan,
		      const struct td_machine *machine, int pmu, struct td_err *err);

/*
 * Returns the modifiers of an event that has a name of the clock: "u" for
 * "cpu_core/cycles/u" and "cycles:u"; NULL for other events, including names with terms.
 */
const char *td_clock_modifiers(const char *event, enum td_clock_event clock);
/* Does the PMU count the clocks, with known encodings? */
bool td_clocks_has(const struct td_machine *machine, int pmu);
/*
 * Add the clocks that the groups of a core PMU lack, as spare events of one group, unless
 * this would take a counter from other events.  Instructions are also added to each multiplexed
 * group that has room for them.
 */
int td_clocks_add(struct td_plan *plan, const struct td_machine *machine, int pmu,
		  struct td_err *err);
/*
 * Remove the PMU's spare events that only fixed counters count, which other programs may hold.
 * Returns false if there are none.
 */
bool td_clocks_drop(struct td_plan *plan, const struct td_machine *machine, int pmu);
/*
 * Returns the event of the plan that counts a clock in all privilege levels, or -1.
 * recorded: the events have names, but no encoding.
 */
int td_clocks_find(const struct td_plan *plan, const struct td_machine *machine, int pmu,
		   enum td_clock_event clock, bool recorded);
