// SPDX-License-Identifier: GPL-2.0-only
/* Which groups count at the same time, and how long each one's turns are. */
#include "lib/plan/concurrent.h"

#include <math.h>

bool td_concurrent_add(struct td_concurrent *concurrent,
		       const struct td_plan *plan,
		       const struct td_machine *machine,
		       const struct td_group *group)
{
	if (concurrent->closed || (group->exclusive && concurrent->nr) ||
	    !td_fit_add_group(&concurrent->fit, plan, machine, group))
		return false;
	concurrent->nr++;
	concurrent->closed = group->exclusive;
	return true;
}

struct td_concurrent td_concurrent_pinned(const struct td_plan *plan,
					  const struct td_machine *machine,
					  int pmu)
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
 * The number of groups that count at the same time, with the pinned ones, when
 * group first is at the head of the queue.
 */
static size_t side_by_side(const struct td_plan *plan,
			   const struct td_machine *machine, int pmu,
			   struct td_concurrent concurrent, size_t first)
{
	for (size_t i = 0; i < plan->nr_groups; i++) {
		const struct td_group *group =
			&plan->groups[(first + i) % plan->nr_groups];

		if (group->pmu == pmu && !group->pinned &&
		    !td_concurrent_add(&concurrent, plan, machine, group))
			break;
	}
	return concurrent.nr;
}

/* The number of groups of a PMU that take turns. */
static size_t count_queue(const struct td_plan *plan, int pmu)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->nr_groups; i++)
		nr += plan->groups[i].pmu == pmu && !plan->groups[i].pinned;
	return nr;
}

/*
 * The kernel rotates the groups of a PMU. Beside the pinned ones, it adds
 * groups from the head of a queue until one does not fit (merge_sched_in() in
 * kernel/events/core.c), and each tick moves the head to the end.
 */
static double average_side_by_side(const struct td_plan *plan,
				   const struct td_machine *machine, int pmu)
{
	const struct td_concurrent pinned =
		td_concurrent_pinned(plan, machine, pmu);
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
	if (!nr) /* all groups are pinned, or there are none */
		return fmax(1, (double)pinned.nr);
	return sum ? (double)sum / (double)nr : 1;
}

/* See td_group.at_once; 0 unless the machine is hybrid and this a core PMU. */
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

/* --- with the groups of a sampler ------------------------------------------ */

/* A queue of the groups of two plans; the second's come last. */
static const struct td_group *group_at(const struct td_plan *plan,
				       const struct td_plan *sampled, size_t at)
{
	at %= plan->nr_groups + sampled->nr_groups;
	return at < plan->nr_groups ? &plan->groups[at]
				    : &sampled->groups[at - plan->nr_groups];
}

/* The number of plan's groups that count when group first is at the head. */
static size_t beside_sampled(const struct td_plan *plan,
			     const struct td_plan *sampled,
			     const struct td_machine *machine, size_t first)
{
	struct td_concurrent concurrent = { .nr = 0 };
	int pmu = group_at(plan, sampled, first)->pmu;
	size_t all = plan->nr_groups + sampled->nr_groups, nr = 0;

	for (size_t i = 0; i < all; i++) {
		const struct td_group *group =
			group_at(plan, sampled, first + i);
		bool counts =
			(first + i) % all < plan->nr_groups; /* or samples */

		if (group->pmu != pmu)
			continue;
		if (!td_concurrent_add(&concurrent, counts ? plan : sampled,
				       machine, group))
			break;
		nr += counts;
	}
	return nr;
}

static double average_beside(const struct td_plan *plan,
			     const struct td_plan *sampled,
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

/* Adds to shares the groups that count when group first is at the head. */
static void add_shares(const struct td_plan *plan,
		       const struct td_machine *machine, size_t first,
		       struct td_concurrent concurrent, double *shares)
{
	int pmu = plan->groups[first].pmu;

	for (size_t i = 0; i < plan->nr_groups; i++) {
		size_t g = (first + i) % plan->nr_groups;

		if (plan->groups[g].pmu != pmu || plan->groups[g].pinned)
			continue;
		if (!td_concurrent_add(&concurrent, plan, machine,
				       &plan->groups[g]))
			return;
		shares[g]++;
	}
}

void td_plan_shares(const struct td_plan *plan,
		    const struct td_machine *machine, double *shares)
{
	for (size_t g = 0; g < plan->nr_groups; g++)
		shares[g] = 0;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (!group->pinned)
			add_shares(
				plan, machine, g,
				td_concurrent_pinned(plan, machine, group->pmu),
				shares);
	}
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (group->pinned)
			shares[g] = 1;
		else
			shares[g] /= (double)count_queue(plan, group->pmu);
	}
}
