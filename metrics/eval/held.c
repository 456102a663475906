// SPDX-License-Identifier: GPL-2.0-only
/* Whether somebody else had the counters. */
#include "metrics/eval/parts.h"

/* How much of the time of a group's events. */
struct time {
	double enabled_ns, running_ns;
};

/* All groups of a PMU: they take turns, so that one of them runs at any time. */
static struct time time_of(const struct td_evaluation *e, int pmu)
{
	struct time sum = { 0 };

	for (size_t g = 0; g < e->plan->nr_groups; g++) {
		const struct td_group *group = &e->plan->groups[g];
		const struct td_total *total;

		if (group->pmu != pmu || !group->nr)
			continue;
		total = &e->totals[group->members[0]];
		sum.running_ns += (double)total->running_ns;
		if ((double)total->enabled_ns > sum.enabled_ns)
			sum.enabled_ns = (double)total->enabled_ns;
	}
	return sum;
}

/*
 * Groups that count at the same time may hide that others could not, but where
 * all together ran for less than half of the time, they were kept from it.  A
 * task's events are enabled on each kind of core, and run on one at a time.
 */
bool td_eval_is_held(const struct td_evaluation *e)
{
	struct time all = { 0 };

	for (int pmu = 0; pmu < (int)e->tree->nr_pmus; pmu++) {
		struct time one = time_of(e, pmu);

		all.running_ns += one.running_ns;
		if (!e->tasks)
			all.enabled_ns += one.enabled_ns;
		else if (one.enabled_ns > all.enabled_ns)
			all.enabled_ns = one.enabled_ns;
	}
	return all.running_ns < all.enabled_ns / 2;
}
