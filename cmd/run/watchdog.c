// SPDX-License-Identifier: GPL-2.0-only
/* Explains groups that were opened and never counted. */
#include "cmd/run/watchdog.h"

#include "lib/plan/fit.h"

size_t td_note_watchdog(const struct td_plan *plan,
			const struct td_machine *machine,
			const struct td_readings *all, struct td_notes *notes)
{
	size_t nr = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		/*
		 * NaN if it was never enabled; a cgroup may have no running
		 * task
		 */
		if (group->cgroup || td_readings_share(all, group) != 0 ||
		    !td_plan_needs_watchdogs_counter(plan, machine, g))
			continue;
		td_notes_add(notes,
			     "the group of %s was not counted: it needs the "
			     "counter of %s that the NMI watchdog has; "
			     "sysctl kernel.nmi_watchdog=0 frees it, and :W "
			     "after the group lets its events take turns",
			     plan->events.v[group->members[0]].name,
			     machine->pmus[group->pmu].name);
		nr++;
	}
	return nr;
}
