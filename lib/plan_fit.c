// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan_fit.h"

#include <linux/perf_event.h>

#include "lib/util.h"

#define FIXED(n)     (UINT32_C(1) << (16 + (n)))
#define FIXED_CYCLES FIXED(1)

/*
 * What the kernel programs for its own names (intel_perfmon_event_map in
 * arch/x86/events/intel/core.c); of caches, an event without constraints.
 */
static uint64_t raw_config(const struct td_event *event)
{
	static const uint64_t map[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = 0x003c,
		[PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0,
		[PERF_COUNT_HW_CACHE_REFERENCES] = 0x4f2e,
		[PERF_COUNT_HW_CACHE_MISSES] = 0x412e,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c4,
		[PERF_COUNT_HW_BRANCH_MISSES] = 0x00c5,
		[PERF_COUNT_HW_BUS_CYCLES] = 0x013c,
		[PERF_COUNT_HW_REF_CPU_CYCLES] = 0x0300,
	};
	uint64_t id = event->config[0] & UINT32_MAX;

	if (event->type == PERF_TYPE_HW_CACHE)
		return 0x412e;
	if (event->type != PERF_TYPE_HARDWARE)
		return event->config[0];
	return id < TD_ARRAY_SIZE(map) && map[id] ? map[id] : 0x412e;
}

/* The counters that could count an event, as one mask; 0: it needs none. */
static uint32_t candidates(const struct td_machine *machine,
			   const struct td_event *event)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];
	struct td_placement place =
		td_uarch_place(pmu->uarch, raw_config(event));
	uint32_t mask;

	if (pmu->kind != TD_PMU_CORE || td_event_is_metric(event))
		return 0;
	mask = place.general;
	if (place.fixed >= 0)
		mask |= FIXED(place.fixed);
	if (machine->nmi_watchdog)
		mask &= ~FIXED_CYCLES;
	return mask;
}

/* Finds event i a counter, moving those that have one (Kuhn's matching). */
static bool place_event(const struct td_fit *fit, int i, int *owner,
			uint32_t *tried)
{
	for (int c = 0; c < TD_NR_COUNTERS; c++) {
		uint32_t bit = UINT32_C(1) << c;

		if (!(fit->masks[i] & bit) || *tried & bit)
			continue;
		*tried |= bit;
		if (owner[c] < 0 || place_event(fit, owner[c], owner, tried)) {
			owner[c] = i;
			return true;
		}
	}
	return false;
}

static bool counters_suffice(const struct td_fit *fit)
{
	int owner[TD_NR_COUNTERS];

	for (int c = 0; c < TD_NR_COUNTERS; c++)
		owner[c] = -1;
	for (int i = 0; i < fit->nr; i++) {
		uint32_t tried = 0;

		if (!place_event(fit, i, owner, &tried))
			return false;
	}
	return true;
}

bool td_fit_add(struct td_fit *fit, const struct td_machine *machine,
		const struct td_event *event)
{
	uint32_t mask = candidates(machine, event);

	if (!mask)
		return true;
	if (fit->nr == TD_NR_COUNTERS)
		return false;
	fit->masks[fit->nr] = mask;
	fit->nr++;
	if (counters_suffice(fit))
		return true;
	fit->nr--;
	return false;
}

static bool add_group(struct td_fit *fit, const struct td_plan *plan,
		      const struct td_machine *machine,
		      const struct td_group *group)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (!td_fit_add(fit, machine, &plan->events[group->members[i]]))
			return false;
	}
	return true;
}

bool td_plan_group_fits(const struct td_plan *plan,
			const struct td_machine *machine, size_t group)
{
	struct td_fit fit = { 0 };

	return add_group(&fit, plan, machine, &plan->groups[group]);
}

/* How many count at once when the first-th of them is the first in the queue. */
static size_t side_by_side(const struct td_plan *plan,
			   const struct td_machine *machine, int pmu,
			   size_t first)
{
	struct td_fit fit = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < plan->nr_groups; i++) {
		const struct td_group *group =
			&plan->groups[(first + i) % plan->nr_groups];

		if (group->pmu != pmu)
			continue;
		/* an exclusive group has the counters for itself */
		if ((group->exclusive && nr) ||
		    !add_group(&fit, plan, machine, group))
			break;
		nr++;
		if (group->exclusive)
			break;
	}
	return nr;
}

/*
 * The kernel lets the groups of a PMU take turns: it fills the counters from
 * the head of a queue until one does not fit (merge_sched_in() in
 * kernel/events/core.c), and at each tick the head goes to its end.
 */
static double average_side_by_side(const struct td_plan *plan,
				   const struct td_machine *machine, int pmu)
{
	size_t sum = 0, nr = 0;

	for (size_t i = 0; i < plan->nr_groups; i++) {
		if (plan->groups[i].pmu != pmu)
			continue;
		sum += side_by_side(plan, machine, pmu, i);
		nr++;
	}
	return sum ? (double)sum / (double)nr : 1;
}

/* On all CPUs, or side by side with everything: 0. */
static double at_once(const struct td_plan *plan,
		      const struct td_machine *machine, int pmu)
{
	if (machine->nr_core < 2 || machine->pmus[pmu].kind != TD_PMU_CORE)
		return 0;
	return average_side_by_side(plan, machine, pmu);
}

void td_plan_fill_at_once(struct td_plan *plan,
			  const struct td_machine *machine)
{
	for (int pmu = 0; pmu < (int)machine->nr_pmus; pmu++) {
		double value = at_once(plan, machine, pmu);

		for (size_t i = 0; i < plan->nr_groups; i++) {
			if (plan->groups[i].pmu == pmu)
				plan->groups[i].at_once = value;
		}
	}
}
