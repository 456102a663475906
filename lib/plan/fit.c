// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds which events and groups fit the counters simultaneously, and for what part of the
 * time each multiplexed group is counted.
 */
#include "lib/plan/fit.h"

#include <linux/perf_event.h>
#include <math.h>

#include "lib/base/util.h"

#define FIXED_CYCLES TD_FIXED(1)

/*
 * Returns the raw config that the kernel uses for its own event names
 * (intel_perfmon_event_map in arch/x86/events/intel/core.c).  Cache events get a
 * config without constraints.
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

/* Returns the mask of the counter of cycles that the NMI watchdog uses. */
static uint32_t watchdogs(enum td_uarch uarch)
{
	return td_uarch_has(uarch, TD_CORE_NO_FIXED) ? UINT32_C(1) << (td_uarch_general(uarch) - 1)
						     : FIXED_CYCLES;
}

/* Returns the maximum number of general counters that events can use; 0: no limit. */
static int most_general(const struct td_machine *machine, const struct td_pmu *pmu, bool leaks)
{
	int all = td_uarch_general(pmu->uarch);
	/* the watchdog may use a counter that held_general does not include */
	bool less = pmu->held_general && machine->nmi_watchdog &&
		    td_uarch_has(pmu->uarch, TD_CORE_NO_FIXED);
	int left = all - pmu->held_general - less;

	if (leaks && machine->smt && left > all / 2)
		return all / 2;
	return left < all ? left : 0;
}

struct td_claim td_claim_of(const struct td_machine *machine, const struct td_event *event)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];
	uint64_t config = raw_config(event);
	struct td_placement place = td_uarch_place(pmu->uarch, config, machine->kernel);
	struct td_claim claim = { .mask = place.general };

	if (pmu->kind != TD_PMU_CORE || td_event_is_metric(event))
		return (struct td_claim){ 0 };
	if (place.fixed >= 0)
		claim.mask |= TD_FIXED(place.fixed);
	if (machine->nmi_watchdog)
		claim.mask &= ~watchdogs(pmu->uarch);
	claim.held = claim.mask && !(claim.mask & ~pmu->held_fixed);
	if (!claim.held)
		claim.mask &= ~pmu->held_fixed;
	claim.most = most_general(machine, pmu, place.leaks);
	claim.reg = td_uarch_register(config, event->config[1]);
	claim.value = event->config[1];
	return claim;
}

/*
 * Finds a counter for event i.  Moves other events if needed (Kuhn's algorithm for
 * bipartite matching).
 */
static bool place_event(struct td_fit *fit, int i, uint32_t *tried)
{
	for (int c = 0; c < TD_NR_COUNTERS; c++) {
		uint32_t bit = UINT32_C(1) << c;

		if (!(fit->masks[i] & bit) || *tried & bit)
			continue;
		*tried |= bit;
		if (!fit->owners[c] || place_event(fit, fit->owners[c] - 1, tried)) {
			fit->owners[c] = (uint8_t)(i + 1);
			return true;
		}
	}
	return false;
}

/* Can a register contain the value?  Sets *is_new if none contains it yet. */
static bool register_suffices(const struct td_fit *fit, const struct td_claim *claim, bool *is_new)
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
 * Is the number of general counters in use within the limit?  Events that can use a fixed
 * counter get it from the kernel, and are not included.
 */
static bool is_within_most(const struct td_fit *fit, const struct td_claim *claim, int most)
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
	if (claim->held || fit->nr == TD_NR_COUNTERS || !register_suffices(fit, claim, &is_new) ||
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

/* Adds all events of a group, or none if they do not fit. */
static bool fit_add_group(struct td_fit *fit, const struct td_plan *plan,
			  const struct td_machine *machine, const struct td_group *group)
{
	struct td_fit with = *fit;

	for (size_t i = 0; i < group->nr; i++) {
		struct td_claim claim = td_claim_of(machine, &plan->events.v[group->members[i]]);

		if (!td_fit_add(&with, &claim))
			return false;
	}
	*fit = with;
	return true;
}

bool td_plan_group_fits(const struct td_plan *plan, const struct td_machine *machine, size_t group)
{
	struct td_fit fit = { 0 };

	return fit_add_group(&fit, plan, machine, &plan->groups[group]);
}

bool td_plan_needs_watchdogs_counter(const struct td_plan *plan, const struct td_machine *machine,
				     size_t group)
{
	const struct td_pmu *pmu = &machine->pmus[plan->groups[group].pmu];
	struct td_machine without = *machine;

	without.nmi_watchdog = false;
	return machine->nmi_watchdog && pmu->kind == TD_PMU_CORE &&
	       pmu->uarch != TD_UARCH_UNKNOWN && !td_plan_group_fits(plan, machine, group) &&
	       td_plan_group_fits(plan, &without, group);
}

/* --- groups that count at the same time ----------------------------------- */

bool td_concurrent_add(struct td_concurrent *concurrent, const struct td_plan *plan,
		       const struct td_machine *machine, const struct td_group *group)
{
	if (concurrent->closed || (group->exclusive && concurrent->nr) ||
	    !fit_add_group(&concurrent->fit, plan, machine, group))
		return false;
	concurrent->nr++;
	concurrent->closed = group->exclusive;
	return true;
}

struct td_concurrent td_concurrent_pinned(const struct td_plan *plan,
					  const struct td_machine *machine, int pmu)
{
	struct td_concurrent concurrent = { .nr = 0 };

	for (size_t i = 0; i < plan->nr_groups; i++) {
		const struct td_group *group = &plan->groups[i];

		if (group->pmu == pmu && group->pinned)
			td_concurrent_add(&concurrent, plan, machine, group);
	}
	return concurrent;
}

/*
 * Returns the number of groups, including pinned ones, that count simultaneously when
 * group first is at the head of the queue.
 */
static size_t side_by_side(const struct td_plan *plan, const struct td_machine *machine, int pmu,
			   struct td_concurrent concurrent, size_t first)
{
	for (size_t i = 0; i < plan->nr_groups; i++) {
		const struct td_group *group = &plan->groups[(first + i) % plan->nr_groups];

		if (group->pmu == pmu && !group->pinned &&
		    !td_concurrent_add(&concurrent, plan, machine, group))
			break;
	}
	return concurrent.nr;
}

/* Returns the number of groups of a PMU that are multiplexed. */
static size_t count_queue(const struct td_plan *plan, int pmu)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->nr_groups; i++)
		nr += plan->groups[i].pmu == pmu && !plan->groups[i].pinned;
	return nr;
}

/*
 * Returns the average number of groups of a PMU that count simultaneously.  After the pinned
 * groups, the kernel adds groups from the head of a queue until one does not fit
 * (merge_sched_in() in kernel/events/core.c); each tick moves the head to the end.
 */
static double average_side_by_side(const struct td_plan *plan, const struct td_machine *machine,
				   int pmu)
{
	const struct td_concurrent pinned = td_concurrent_pinned(plan, machine, pmu);
	size_t sum = 0, nr = 0, queue = count_queue(plan, pmu);

	for (size_t i = 0; i < plan->nr_groups; i++) {
		size_t now;

		if (plan->groups[i].pmu != pmu || plan->groups[i].pinned)
			continue;
		now = side_by_side(plan, machine, pmu, pinned, i);
		/* all of them fit, in any order */
		if (now == pinned.nr + queue)
			return (double)now;
		sum += now;
		nr++;
	}
	if (!nr) /* all groups are pinned, or there are no groups */
		return fmax(1, (double)pinned.nr);
	return sum ? (double)sum / (double)nr : 1;
}

/* Returns td_group.at_once: 0 unless the machine is hybrid and this is a core PMU. */
static double at_once(const struct td_plan *plan, const struct td_machine *machine, int pmu)
{
	if (machine->nr_core < 2 || machine->pmus[pmu].kind != TD_PMU_CORE)
		return 0;
	return average_side_by_side(plan, machine, pmu);
}

void td_plan_fill_at_once(struct td_plan *plan, const struct td_machine *machine)
{
	for (int pmu = 0; pmu < (int)machine->nr_pmus; pmu++) {
		double value = at_once(plan, machine, pmu);

		for (size_t i = 0; i < plan->nr_groups; i++) {
			if (plan->groups[i].pmu == pmu)
				plan->groups[i].at_once = value;
		}
	}
}

/* --- with the groups of a sampler ------------------------------------------ */

/* Returns a group of the queue of two plans, in which those of the second plan come last. */
static const struct td_group *group_at(const struct td_plan *plan, const struct td_plan *sampled,
				       size_t at)
{
	at %= plan->nr_groups + sampled->nr_groups;
	return at < plan->nr_groups ? &plan->groups[at] : &sampled->groups[at - plan->nr_groups];
}

/* Returns the number of groups of plan that count when group first is at the head. */
static size_t beside_sampled(const struct td_plan *plan, const struct td_plan *sampled,
			     const struct td_machine *machine, size_t first)
{
	struct td_concurrent concurrent = { .nr = 0 };
	int pmu = group_at(plan, sampled, first)->pmu;
	size_t all = plan->nr_groups + sampled->nr_groups, nr = 0;

	for (size_t i = 0; i < all; i++) {
		const struct td_group *group = group_at(plan, sampled, first + i);
		bool counts = (first + i) % all < plan->nr_groups; /* else it samples */

		if (group->pmu != pmu)
			continue;
		if (!td_concurrent_add(&concurrent, counts ? plan : sampled, machine, group))
			break;
		nr += counts;
	}
	return nr;
}

static double average_beside(const struct td_plan *plan, const struct td_plan *sampled,
			     const struct td_machine *machine, int pmu)
{
	size_t all = plan->nr_groups + sampled->nr_groups, sum = 0, nr = 0;

	for (size_t i = 0; i < all; i++) {
		if (group_at(plan, sampled, i)->pmu != pmu)
			continue;
		sum += beside_sampled(plan, sampled, machine, i);
		nr++;
	}
	return (double)sum / (double)nr;
}

static bool is_sampled(const struct td_plan *sampled, int pmu)
{
	for (size_t i = 0; i < sampled->nr_groups; i++) {
		if (sampled->groups[i].pmu == pmu)
			return true;
	}
	return false;
}

void td_plan_share_turns(struct td_plan *plan, const struct td_plan *sampled,
			 const struct td_machine *machine)
{
	for (size_t i = 0; i < plan->nr_groups; i++) {
		struct td_group *group = &plan->groups[i];
		double beside;

		if (group->at_once <= 0 || !is_sampled(sampled, group->pmu) ||
		    td_concurrent_pinned(plan, machine, group->pmu).nr)
			continue;
		beside = average_beside(plan, sampled, machine, group->pmu);
		if (beside > 0)
			group->at_once = beside;
	}
}

/* --- shares ---------------------------------------------------------------- */

/* Adds 1 to the share of each group that counts when group first is at the head. */
static void add_shares(const struct td_plan *plan, const struct td_machine *machine, size_t first,
		       struct td_concurrent concurrent, double *shares)
{
	int pmu = plan->groups[first].pmu;

	for (size_t i = 0; i < plan->nr_groups; i++) {
		size_t g = (first + i) % plan->nr_groups;

		if (plan->groups[g].pmu != pmu || plan->groups[g].pinned)
			continue;
		if (!td_concurrent_add(&concurrent, plan, machine, &plan->groups[g]))
			return;
		shares[g]++;
	}
}

void td_plan_shares(const struct td_plan *plan, const struct td_machine *machine, double *shares)
{
	for (size_t g = 0; g < plan->nr_groups; g++)
		shares[g] = 0;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (!group->pinned)
			add_shares(plan, machine, g,
				   td_concurrent_pinned(plan, machine, group->pmu), shares);
	}
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (group->pinned)
			shares[g] = 1;
		else
			shares[g] /= (double)count_queue(plan, group->pmu);
	}
}
