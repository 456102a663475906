// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan/clocks.h"

#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "lib/machine/uarch.h"

/* --- adding --------------------------------------------------------------- */

/* The group that counts most of the time: a pinned one, else the first. */
static int find_group(const struct td_plan *plan, int pmu)
{
	int first = -1;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu != pmu)
			continue;
		if (plan->groups[g].pinned)
			return (int)g;
		first = first < 0 ? (int)g : first;
	}
	return first;
}

/* Can all events of the PMU and one more count at the same time? */
static bool fits_beside_all(const struct td_plan *plan,
			    const struct td_machine *machine, int pmu,
			    const struct td_claim *claim)
{
	struct td_fit fit = { 0 };

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		for (size_t i = 0; group->pmu == pmu && i < group->nr; i++) {
			struct td_claim other = td_claim_of(
				machine, &plan->events.v[group->members[i]]);

			if (!td_fit_add(&fit, &other))
				return false;
		}
	}
	return td_fit_add(&fit, claim);
}

/* Has the event a fixed counter that no other event of the PMU can use? */
static bool has_own_counter(const struct td_plan *plan,
			    const struct td_machine *machine, int pmu,
			    const struct td_claim *claim)
{
	uint32_t fixed = claim->mask & TD_FIXED_ALL;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		for (size_t i = 0; group->pmu == pmu && i < group->nr; i++)
			fixed &=
				~td_claim_of(machine,
					     &plan->events.v[group->members[i]])
					 .mask;
	}
	return fixed != 0;
}

static int add(struct td_plan *plan, const struct td_machine *machine, int pmu,
	       enum td_clock_event kind, struct td_err *err)
{
	struct td_claim claim = td_reference_claim(machine, pmu, kind);
	struct td_reference made = { .event = -1, .kind = (int)kind };
	int group = find_group(plan, pmu), rc;

	if (group < 0 || td_reference_find(plan, machine, pmu, kind) >= 0 ||
	    (!has_own_counter(plan, machine, pmu, &claim) &&
	     !fits_beside_all(plan, machine, pmu, &claim)))
		return 0;
	rc = td_reference_make(&made, plan, machine, pmu, err);
	if (rc)
		return rc;
	plan->events.v[made.event].spare = true;
	return td_group_add(&plan->groups[group], &made.event, 1)
		       ? td_err_nomem(err)
		       : 0;
}

bool td_clocks_has(const struct td_machine *machine, int pmu)
{
	const struct td_pmu *core = &machine->pmus[pmu];

	return td_vendor_of(&machine->cpuid)->architectural &&
	       td_pmu_format(core, "event") && td_pmu_format(core, "umask");
}

int td_clocks_add(struct td_plan *plan, const struct td_machine *machine,
		  int pmu, struct td_err *err)
{
	int rc = 0;

	if (!td_clocks_has(machine, pmu))
		return 0;
	for (enum td_clock_event i = 0; !rc && i < TD_NR_CLOCKS; i++)
		rc = add(plan, machine, pmu, i, err);
	return rc;
}

/* --- finding -------------------------------------------------------------- */

/* Names in sysfs and in the model's files. */
static const struct {
	enum td_clock_event clock;
	const char *name;
} names[] = {
	{ TD_CLOCK_REFERENCE, "ref-cycles" },
	{ TD_CLOCK_REFERENCE, "CPU_CLK_UNHALTED.REF_TSC" },
	{ TD_CLOCK_REFERENCE, "CPU_CLK_UNHALTED.REF" },
	{ TD_CLOCK_CYCLES, "cpu-cycles" },
	{ TD_CLOCK_CYCLES, "cycles" },
	{ TD_CLOCK_CYCLES, "CPU_CLK_UNHALTED.THREAD" },
	{ TD_CLOCK_CYCLES, "CPU_CLK_UNHALTED.THREAD_P" },
	{ TD_CLOCK_CYCLES, "CPU_CLK_UNHALTED.CORE" },
	{ TD_CLOCK_CYCLES, "CPU_CLK_UNHALTED.CORE_P" },
	{ TD_CLOCK_CYCLES, "ls_not_halted_cyc" },
	{ TD_CLOCK_INSTRUCTIONS, "instructions" },
	{ TD_CLOCK_INSTRUCTIONS, "INST_RETIRED.ANY" },
	{ TD_CLOCK_INSTRUCTIONS, "INST_RETIRED.ANY_P" },
	{ TD_CLOCK_INSTRUCTIONS, "ex_ret_instr" },
};

const char *td_clock_modifiers(const char *event, enum td_clock_event clock)
{
	const char *slash = strchr(event, '/');
	const char *name = slash ? slash + 1 : event;
	size_t len = strcspn(name, slash ? "/" : ":");

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		if (names[i].clock == clock && strlen(names[i].name) == len &&
		    strncasecmp(name, names[i].name, len) == 0)
			return name + len + (name[len] != '\0');
	}
	return NULL;
}

static bool counts_all(const struct td_modifiers *mods)
{
	return !mods->user && !mods->kernel && !mods->hypervisor &&
	       !mods->guest && !mods->host && !mods->non_idle;
}

static int find_named(const struct td_plan *plan, int pmu,
		      enum td_clock_event clock)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];
		const char *modifiers = td_clock_modifiers(event->name, clock);

		if (event->pmu == pmu && !event->refusal && modifiers &&
		    !*modifiers)
			return (int)i;
	}
	return -1;
}

int td_clocks_find(const struct td_plan *plan, const struct td_machine *machine,
		   int pmu, enum td_clock_event clock, bool recorded)
{
	int event;

	if (recorded)
		return find_named(plan, pmu, clock);
	event = td_reference_find(plan, machine, pmu, clock);
	return event >= 0 && counts_all(&plan->events.v[event].mods) ? event
								     : -1;
}
