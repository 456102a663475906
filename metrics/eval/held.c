// SPDX-License-Identifier: GPL-2.0-only
/* Whether somebody else had the counters. */
#include "metrics/eval/parts.h"

/* NULL: the group is another PMU's. */
static const struct td_total *leader_of(const struct td_evaluation *e, int pmu,
					size_t group)
{
	const struct td_group *g = &e->plan->groups[group];

	return g->pmu == pmu && g->nr ? &e->totals[g->members[0]] : NULL;
}

/* All groups of a PMU together: they take turns, so that one runs at any time. */
static double running_ns(const struct td_evaluation *e, int pmu)
{
	double sum = 0;

	for (size_t g = 0; g < e->plan->nr_groups; g++) {
		const struct td_total *leader = leader_of(e, pmu, g);

		sum += leader ? (double)leader->running_ns : 0;
	}
	return sum;
}

static double enabled_ns(const struct td_evaluation *e, int pmu)
{
	double most = 0;

	for (size_t g = 0; g < e->plan->nr_groups; g++) {
		const struct td_total *leader = leader_of(e, pmu, g);

		if (leader && (double)leader->enabled_ns > most)
			most = (double)leader->enabled_ns;
	}
	return most;
}

/*
 * Groups that count at the same time may hide that others could not, but where
 * all together ran for less than half of the time, they were kept from it.  A
 * task's events are enabled on each kind of core, and run on one at a time.
 */
bool td_eval_is_held(const struct td_evaluation *e)
{
	double ran = 0, enabled = 0;

	for (int pmu = 0; pmu < (int)e->tree->nr_pmus; pmu++) {
		double one = enabled_ns(e, pmu);

		ran += running_ns(e, pmu);
		if (!e->tasks)
			enabled += one;
		else if (one > enabled)
			enabled = one;
	}
	return ran < enabled / 2;
}
