// SPDX-License-Identifier: GPL-2.0-only
/* Finds the events that were not counted all the time. */
#include "metrics/eval/eval.h"

/*
 * Groups that count all the time differ by some ms where tasks begin and end, as
 * each is enabled and disabled in its turn.  What rests does so for a good part
 * of the time, and is said to have been enabled for as long as any other group was
 * between two reads: the sum of that may be longer than one of them was.
 */
#define ALL      0.99
#define NO_RESTS 0.95

/* How long the events of a PMU ran at most, on a CPU or in a task. */
static double longest_run(const struct td_plan *plan,
			  const struct td_total *totals, int pmu)
{
	double longest = 0;

	for (size_t i = 0; i < plan->events.nr; i++) {
		double ns = (double)totals[i].running_ns / totals[i].nr;

		if (plan->events.v[i].pmu == pmu && totals[i].nr &&
		    ns > longest)
			longest = ns;
	}
	return longest;
}

static bool is_partial(const struct td_plan *plan,
		       const struct td_total *totals, size_t event)
{
	const struct td_total *total = &totals[event];
	int pmu = plan->events.v[event].pmu;

	return (double)total->running_ns < ALL * (double)total->covered_ns ||
	       (double)total->running_ns <
		       NO_RESTS * total->nr * longest_run(plan, totals, pmu);
}

void td_eval_find_turns(const struct td_plan *plan,
			const struct td_totals *totals, bool *turns)
{
	for (size_t i = 0; i < totals->nr_ids; i++) {
		const struct td_total *v = totals->v + i * totals->nr_events;

		for (size_t e = 0; e < totals->nr_events; e++)
			turns[e] = turns[e] || is_partial(plan, v, e);
	}
}
