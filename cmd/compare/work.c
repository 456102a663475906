// SPDX-License-Identifier: GPL-2.0-only
/* Instructions and cycles among recorded events, which have only names. */
#include "cmd/compare/work.h"

#include <math.h>
#include <string.h>

static const char *const instructions[] = {
	"instructions",
	"inst_retired.any",
	"inst_retired.any_p",
	"ex_ret_instr",
	NULL,
};

static const char *const cycles[] = {
	"cpu-cycles",
	"cycles",
	"cpu_clk_unhalted.thread",
	"cpu_clk_unhalted.thread_p",
	"cpu_clk_unhalted.core",
	"cpu_clk_unhalted.core_p",
	"ls_not_halted_cyc",
	NULL,
};

/*
 * The modifiers of an event with one of the names: "u" of "cpu_core/cycles/u" and
 * "cycles:u"; NULL: it is another event.  Terms behind a name change what it counts.
 */
static const char *modifiers_of(const char *event, const char *const *names)
{
	const char *slash = strchr(event, '/');
	const char *name = slash ? slash + 1 : event;
	size_t len = strcspn(name, slash ? "/" : ":");

	for (; *names; names++) {
		if (strlen(*names) == len && !strncasecmp(name, *names, len))
			return name + len + (name[len] != '\0');
	}
	return NULL;
}

/* The first of the names that was counted on the PMU; -1: none. */
static int find(const struct td_plan *plan, const struct td_total *totals,
		int pmu, const char *const *names)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->pmu == pmu && totals[i].nr &&
		    !isnan(totals[i].value) && modifiers_of(event->name, names))
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
		int event = find(plan, totals, pmu, instructions);

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
	int work = find(plan, totals, pmu, instructions);
	int clock = find(plan, totals, pmu, cycles);

	if (work < 0 || clock < 0 || !(totals[clock].value > 0) ||
	    strcmp(modifiers_of(plan->events.v[work].name, instructions),
		   modifiers_of(plan->events.v[clock].name, cycles)) != 0)
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
