// SPDX-License-Identifier: GPL-2.0-only
/* What an evaluation works with: the values of operands, from the totals. */
#include "metrics/eval/evaluation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/plan/sets.h"

/* The reference event, or its clone, in a group; -1 if there is none. */
static int own_reference(const struct td_evaluation *e, size_t group)
{
	const struct td_group *g = &e->plan->groups[group];

	if (g->clone >= 0)
		return g->clone;
	if (g->reference >= 0 && e->groups[g->reference] == (int)group)
		return g->reference;
	return -1;
}

bool td_total_ran_always(const struct td_total *total)
{
	return total->running_ns && total->running_ns >= total->enabled_ns;
}

/* The count of the reference event in a run of --no-multiplex, or NaN. */
static double count_in_run(const struct td_evaluation *e, int reference,
			   unsigned int run)
{
	const struct td_plan *plan = e->plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		int own = own_reference(e, g);

		if (own >= 0 && group->reference == reference &&
		    e->totals[own].running_ns &&
		    td_plan_run_counts(plan, group, run))
			return e->totals[own].value;
	}
	return NAN;
}

/*
 * The mean over the runs, each of which weighs the same, as in the counts of
 * groups that are in every run.  A group that several runs counted has its mean
 * already.
 */
static double mean_of_runs(const struct td_evaluation *e, int reference)
{
	double sum = 0;
	int nr = 0;

	for (unsigned int run = 0; run < e->plan->nr_sets; run++) {
		double count = count_in_run(e, reference, run);

		if (isnan(count))
			continue;
		sum += count;
		nr++;
	}
	return nr ? sum / nr : NAN;
}

/*
 * The count of the reference event for the whole time: measured, or else the
 * mean over all groups that counted it in turns, weighted by their time.
 */
static double count_reference(const struct td_evaluation *e, int reference)
{
	const struct td_plan *plan = e->plan;
	double running = 0, sum = 0;

	if (plan->nr_sets > 1)
		return mean_of_runs(e, reference);
	if (td_total_ran_always(&e->totals[reference]))
		return e->totals[reference].value;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		int own = own_reference(e, g);
		const struct td_total *total = &e->totals[own < 0 ? 0 : own];

		if (own < 0 || plan->groups[g].reference != reference ||
		    !total->running_ns)
			continue;
		running += (double)total->running_ns;
		sum += (double)total->running_ns * total->value;
	}
	return running > 0 ? sum / running : NAN;
}

/*
 * Scales the counts of a group that takes turns by its own count of the
 * reference event, not by time: then shares are relative to the slots that the
 * group itself saw.
 */
static void scale_by_reference(const struct td_evaluation *e)
{
	const struct td_plan *plan = e->plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		int own = own_reference(e, g);
		double all, factor;

		if (own < 0)
			continue;
		all = count_reference(e, group->reference);
		/*
		 * the reference counted nothing, so there is nothing to scale
		 */
		if (all == 0 && e->totals[own].value == 0)
			continue;
		factor = all / e->totals[own].value;
		for (size_t i = 0; i < group->nr; i++)
			e->counts[group->members[i]] *= factor;
	}
}

void td_eval_find_groups(const struct td_evaluation *e)
{
	const struct td_plan *plan = e->plan;

	for (size_t i = 0; i < plan->events.nr; i++)
		e->groups[i] = -1;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		for (size_t i = 0; i < plan->groups[g].nr; i++)
			e->groups[plan->groups[g].members[i]] = (int)g;
	}
}

/* A field has 8 bits, so its step is 1/255 of the slots. */
static double step_of(const struct td_evaluation *e, int event)
{
	const struct td_group *group = &e->plan->groups[e->groups[event]];
	const struct td_total *slots = td_eval_slots_of(e, group);

	return slots && slots->nr ? slots->value / 255 : 0;
}

static void fill_counts(const struct td_evaluation *e)
{
	int stepped = e->stepped - 1;

	for (size_t i = 0; i < e->plan->events.nr; i++)
		e->counts[i] = e->totals[i].value;
	if (stepped >= 0 && e->groups[stepped] >= 0)
		e->counts[stepped] += step_of(e, stepped);
	scale_by_reference(e);
}

/* --- operands ------------------------------------------------------------- */

/* The value of a time in seconds; NaN if not known. */
static double time_of(const struct td_times *times, enum td_tool tool)
{
	return times ? td_times_of_tool(times, tool) / 1e9 : NAN;
}

static double sum_of(const struct td_evaluation *e,
		     const struct td_operand *operand)
{
	double sum = operand->events.nr ? 0 : NAN;

	for (size_t i = 0; i < operand->events.nr; i++) {
		int event = operand->events.v[i];

		sum += e->counts[event] *
		       (operand->scaled ? e->plan->events.v[event].scale : 1);
	}
	return sum;
}

/*
 * The number of CPUs, packages or the like where an event was counted.  The events of
 * a cgroup are not enabled where it did not run: they counted 0 there.
 */
static unsigned int nr_counted(const struct td_evaluation *e, int event)
{
	const struct td_total *total = &e->totals[event];

	return total->nr_ran +
	       (e->in_cgroup ? total->nr - total->nr_enabled : 0);
}

static double cpus_of(const struct td_evaluation *e,
		      const struct td_operand *operand)
{
	double cpus = 0;

	for (size_t i = 0; i < operand->events.nr; i++)
		cpus += nr_counted(e, operand->events.v[i]);
	return cpus;
}

/* The mean of the operand's events, which may be several units of an uncore. */
static double places_of(const struct td_evaluation *e,
			const struct td_operand *operand)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < operand->events.nr; i++)
		sum += nr_counted(e, operand->events.v[i]);
	return sum ? (double)sum / (double)operand->events.nr : NAN;
}

/* The CPUs of the PMU in the row. */
static double cpus_of_pmu(const struct td_evaluation *e, int pmu)
{
	unsigned int most = 0;

	for (size_t i = 0; i < e->plan->events.nr; i++) {
		if (e->plan->events.v[i].pmu == pmu &&
		    nr_counted(e, (int)i) > most)
			most = nr_counted(e, (int)i);
	}
	return most ? (double)most : NAN;
}

static double nr_of(const struct td_evaluation *e,
		    const struct td_operand *operand)
{
	if (e->tasks)
		return 1;
	return operand->beside < 0
		       ? cpus_of_pmu(e, operand->pmu)
		       : places_of(e, &e->tree->operands[operand->beside]);
}

/* What a clock counts at one place in the time of the row. */
static double one_clock(const struct td_evaluation *e,
			const struct td_operand *operand)
{
	double elapsed_ns = e->times ? (double)e->times->elapsed_ns : NAN;
	const struct td_total *total;
	uint64_t ns;

	if (!operand->events.nr)
		return e->tree->tsc_hz * elapsed_ns / 1e9;
	total = &e->totals[operand->events.v[0]];
	/* covered_ns is 0 if counts are not scaled */
	ns = total->covered_ns ? total->covered_ns : total->enabled_ns;
	/* of counts of which only the value is known, it is that of one place */
	if (!ns || isnan(elapsed_ns))
		return e->counts[operand->events.v[0]];
	/* CPUs count it all the time, tasks while they run */
	return total->value * elapsed_ns / (double)ns;
}

static double clock_of(const struct td_evaluation *e,
		       const struct td_operand *operand)
{
	return one_clock(e, operand) *
	       (operand->beside < 0 ? 1 : nr_of(e, operand));
}

void td_eval_fill_operands(const struct td_evaluation *e)
{
	const struct td_tree *tree = e->tree;

	fill_counts(e);
	for (size_t i = 0; i < tree->nr_operands; i++) {
		const struct td_operand *operand = &tree->operands[i];

		switch (operand->kind) {
		case TD_OPERAND_CONSTANT:
			break;
		case TD_OPERAND_LATENCY:
			e->values[i] = tree->constants[i];
			break;
		case TD_OPERAND_EVENT:
			e->values[i] = sum_of(e, operand);
			break;
		case TD_OPERAND_SOURCES:
			e->values[i] = (double)operand->events.nr;
			break;
		case TD_OPERAND_CPUS:
			e->values[i] = cpus_of(e, operand);
			break;
		case TD_OPERAND_CLOCK:
			e->values[i] = clock_of(e, operand);
			break;
		case TD_OPERAND_PLACES:
			e->values[i] = nr_of(e, operand);
			break;
		case TD_OPERAND_TIME:
			e->values[i] = time_of(e->times, operand->tool);
			break;
		case TD_OPERAND_METRIC:
			e->values[i] = NAN;
			break;
		}
	}
}

bool td_eval_ran_on(const struct td_evaluation *e, int pmu)
{
	const struct td_plan *plan = e->plan;

	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].pmu == pmu && e->totals[i].running_ns)
			return true;
	}
	return false;
}

/* --- what was not counted all the time ------------------------------------ */

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

/* --- what is made once for all intervals ----------------------------------- */

int td_evaluation_make(struct td_evaluation *e, const struct td_tree *tree,
		       const struct td_plan *plan, struct td_err *err)
{
	size_t nr = tree->nr_operands;

	*e = (struct td_evaluation){ .tree = tree, .plan = plan };
	e->values = calloc(nr + 1, sizeof(*e->values));
	e->clocks = calloc(tree->nr_pmus + 1, sizeof(*e->clocks));
	e->dropped = calloc(tree->nr_pmus + 1, sizeof(*e->dropped));
	e->shifted = calloc(nr + 1, sizeof(*e->shifted));
	if (!e->values || !e->clocks || !e->dropped || !e->shifted)
		return td_err_nomem(err);
	if (nr)
		memcpy(e->values, tree->constants, nr * sizeof(*e->values));
	return 0;
}

int td_evaluation_fit(struct td_evaluation *e, bool *grown)
{
	size_t nr = e->plan->events.nr;
	size_t nr_gaps = TD_NR_ABSENCES * e->tree->nr_pmus + nr;
	unsigned int *kinds;
	double *counts;
	int *groups;
	char **gaps;

	*grown = e->nr_gaps < nr_gaps || !e->gaps;
	if (!*grown)
		return 0;
	counts = reallocarray(e->counts, nr + 1, sizeof(*counts));
	e->counts = counts ? counts : e->counts;
	groups = reallocarray(e->groups, nr + 1, sizeof(*groups));
	e->groups = groups ? groups : e->groups;
	kinds = reallocarray(e->kinds, nr + 1, sizeof(*kinds));
	e->kinds = kinds ? kinds : e->kinds;
	gaps = reallocarray(e->gaps, nr_gaps + 1, sizeof(*gaps));
	e->gaps = gaps ? gaps : e->gaps;
	if (!counts || !groups || !kinds || !gaps)
		return -ENOMEM;
	for (; e->nr_gaps < nr_gaps; e->nr_gaps++)
		gaps[e->nr_gaps] = NULL;
	return 0;
}

void td_evaluation_free(struct td_evaluation *e)
{
	for (size_t i = 0; i < e->nr_gaps; i++)
		free(e->gaps[i]);
	free(e->gaps);
	free(e->values);
	free(e->shifted);
	free(e->counts);
	free(e->groups);
	free(e->kinds);
	free(e->clocks);
	free(e->dropped);
	*e = (struct td_evaluation){ 0 };
}
