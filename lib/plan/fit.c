// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan/fit.h"

#include <linux/perf_event.h>

#include "lib/base/util.h"

#define FIXED_CYCLES TD_FIXED(1)

/*
 * The raw config that the kernel uses for its own event names
 * (intel_perfmon_event_map in arch/x86/events/intel/core.c).  Cache events
 * count as one without constraints.
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

/* The counter of cycles that the NMI watchdog takes. */
static uint32_t watchdogs(enum td_uarch uarch)
{
	return td_uarch_has(uarch, TD_CORE_NO_FIXED)
		       ? UINT32_C(1) << (td_uarch_general(uarch) - 1)
		       : FIXED_CYCLES;
}

struct td_claim td_claim_of(const struct td_machine *machine,
			    const struct td_event *event)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];
	uint64_t config = raw_config(event);
	struct td_placement place = td_uarch_place(pmu->uarch, config);
	struct td_claim claim = { .mask = place.general };

	if (pmu->kind != TD_PMU_CORE || td_event_is_metric(event))
		return (struct td_claim){ 0 };
	if (place.fixed >= 0)
		claim.mask |= TD_FIXED(place.fixed);
	if (machine->nmi_watchdog)
		claim.mask &= ~watchdogs(pmu->uarch);
	if (place.leaks && machine->smt)
		claim.most = td_uarch_general(pmu->uarch) / 2;
	claim.reg = td_uarch_register(config, event->config[1]);
	claim.value = event->config[1];
	return claim;
}

/*
 * Finds a counter for event i and moves others if needed (Kuhn's algorithm for
 * bipartite matching).
 */
static bool place_event(struct td_fit *fit, int i, uint32_t *tried)
{
	for (int c = 0; c < TD_NR_COUNTERS; c++) {
		uint32_t bit = UINT32_C(1) << c;

		if (!(fit->masks[i] & bit) || *tried & bit)
			continue;
		*tried |= bit;
		if (!fit->owners[c] ||
		    place_event(fit, fit->owners[c] - 1, tried)) {
			fit->owners[c] = (uint8_t)(i + 1);
			return true;
		}
	}
	return false;
}

/* True if a register can hold the value; *is_new if none holds it yet. */
static bool register_suffices(const struct td_fit *fit,
			      const struct td_claim *claim, bool *is_new)
{
	int used = 0;

	*is_new = claim->reg != TD_REGISTER_NONE;
	for (int i = 0; i < fit->nr_registers; i++) {
		if (fit->registers[i].reg != claim->reg)
			continue;
		if (fit->registers[i].value == claim->value)
			*is_new = false;
		used++;
	}
	return !*is_new || used < (claim->reg == TD_REGISTER_OFFCORE ? 2 : 1);
}

/*
 * Checks the limit of general counters; an event that can use a fixed counter
 * gets it from the kernel and does not count.
 */
static bool is_within_most(const struct td_fit *fit,
			   const struct td_claim *claim, int most)
{
	uint32_t fixed = fit->fixed | (claim->mask & TD_FIXED_ALL);

	return !most || fit->nr + 1 - __builtin_popcount(fixed) <= most;
}

bool td_fit_add(struct td_fit *fit, const struct td_claim *claim)
{
	int most = claim->most ? claim->most : fit->most;
	uint32_t tried = 0;
	bool is_new;

	if (!claim->mask)
		return true;
	if (fit->nr == TD_NR_COUNTERS ||
	    !register_suffices(fit, claim, &is_new) ||
	    !is_within_most(fit, claim, most))
		return false;
	fit->masks[fit->nr] = claim->mask;
	if (!place_event(fit, fit->nr, &tried)) {
		fit->masks[fit->nr] = 0;
		return false;
	}
	fit->nr++;
	fit->most = most;
	fit->fixed |= claim->mask & TD_FIXED_ALL;
	if (is_new) {
		fit->registers[fit->nr_registers].reg = claim->reg;
		fit->registers[fit->nr_registers].value = claim->value;
		fit->nr_registers++;
	}
	return true;
}

bool td_fit_add_group(struct td_fit *fit, const struct td_plan *plan,
		      const struct td_machine *machine,
		      const struct td_group *group)
{
	struct td_fit with = *fit;

	for (size_t i = 0; i < group->nr; i++) {
		struct td_claim claim = td_claim_of(
			machine, &plan->events.v[group->members[i]]);

		if (!td_fit_add(&with, &claim))
			return false;
	}
	*fit = with;
	return true;
}

bool td_plan_group_fits(const struct td_plan *plan,
			const struct td_machine *machine, size_t group)
{
	struct td_fit fit = { 0 };

	return td_fit_add_group(&fit, plan, machine, &plan->groups[group]);
}

bool td_plan_needs_watchdogs_counter(const struct td_plan *plan,
				     const struct td_machine *machine,
				     size_t group)
{
	const struct td_pmu *pmu = &machine->pmus[plan->groups[group].pmu];
	struct td_machine without = *machine;

	without.nmi_watchdog = false;
	return machine->nmi_watchdog && pmu->kind == TD_PMU_CORE &&
	       pmu->uarch != TD_UARCH_UNKNOWN &&
	       !td_plan_group_fits(plan, machine, group) &&
	       td_plan_group_fits(plan, &without, group);
}
