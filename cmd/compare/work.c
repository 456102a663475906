// SPDX-License-Identifier: GPL-2.0-only
/* Instructions and cycles among recorded events, which have only names. */
#include "cmd/compare/work.h"

#include <math.h>
#include <string.h>

#include "lib/plan/clocks.h"

/* The first event of the clock that was counted on the PMU; -1: none. */
static int find(const struct td_plan *plan, const struct td_total *totals,
		int pmu, enum td_clock_event clock)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->pmu == pmu && totals[i].nr &&
		    !isnan(totals[i].value) &&
		    td_clock_modifiers(event->name, clock))
			return (int)i;
	}
	return -1;
}

static bool counted_anything(const struct td_plan *plan,
			     const struct td_total *totals, int pmu)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].pmu == pmu && totals[i].value > 0)
			return true;
	}
	return false;
}

double td_instructions_of(const struct td_plan *plan,
			  const struct td_machine *machine,
			  const struct td_total *totals)
{
	double sum = 0;

	for (int pmu = 0; pmu < (int)machine->nr_core; pmu++) {
		int event = find(plan, totals, pmu, TD_CLOCK_INSTRUCTIONS);

		if (event >= 0)
			sum += totals[event].value;
		else if (counted_anything(plan, totals, pmu))
			return NAN;
	}
	return sum > 0 ? sum : NAN;
}

static double ipc_of(const struct td_plan *plan, const struct td_total *totals,
		     int pmu)
{
	int work = find(plan, totals, pmu, TD_CLOCK_INSTRUCTIONS);
	int clock = find(plan, totals, pmu, TD_CLOCK_CYCLES);

	if (work < 0 || clock < 0 || !(totals[clock].value > 0) ||
	    strcmp(td_clock_modifiers(plan->events.v[work].name,
				      TD_CLOCK_INSTRUCTIONS),
		   td_clock_modifiers(plan->events.v[clock].name,
				      TD_CLOCK_CYCLES)) != 0)
		return NAN;
	return totals[work].value / totals[clock].value;
}

size_t td_ipc_of(const struct td_plan *plan, const struct td_machine *machine,
		 const struct td_total *totals, const char *id,
		 struct td_diff_ipc *v)
{
	size_t nr = 0;

	for (size_t i = 0; i < machine->nr_core; i++) {
		if (machine->pmus[i].skip)
			continue;
		v[nr++] = (struct td_diff_ipc){
			.id = id,
			.pmu = machine->pmus[i].name,
			.value = ipc_of(plan, totals, (int)i),
		};
	}
	return nr;
}
