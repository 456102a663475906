// SPDX-License-Identifier: GPL-2.0-only
/* Computes the values of operands from the totals. */
#include <math.h>

#include "lib/base/util.h"
#include "lib/plan/fit.h"
#include "metrics/eval/evaluation.h"

/* Return the group's clone of the reference event, or the event itself; -1: neither is in it. */
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

/* Return the count of the reference event in a run of --no-multiplex, or NaN. */
static double count_in_run(const struct td_evaluation *e, int reference, unsigned int run)
{
	const struct td_plan *plan = e->plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		int own = own_reference(e, g);

		if (own >= 0 && group->reference == reference && e->totals[own].running_ns &&
		    td_plan_run_counts(plan, group, run))
			return e->totals[own].value;
	}
	return NAN;
}

/*
 * Return the mean count of the reference event over the runs.  All runs have the same weight, as in
 * counts of groups that every run counts, which already are means.
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
 * Return the count of the reference event for the whole time.  If the event was not counted all
 * the time, return the mean over the groups that counted it, weighted by their time.
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

		if (own < 0 || plan->groups[g].reference != reference || !total->running_ns)
			continue;
		running += (double)total->running_ns;
		sum += (double)total->running_ns * total->value;
	}
	return running > 0 ? sum / running : NAN;
}

/*
 * Scale the counts of multiplexed groups by their own counts of the reference event, not by
 * time, so that shares are relative to the slots that the group itself saw.
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

/* Find the total of SLOTS in a group, or NULL.  In recordings, SLOTS need not come first. */
static const struct td_total *slots_of(const struct td_evaluation *e, const struct td_group *group)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (e->kinds[group->members[i]] & TD_IS_SLOTS)
			return &e->totals[group->members[i]];
	}
	return NULL;
}

/* Return the slots per step of a field, which has 8 bits. */
static double step_of(const struct td_evaluation *e, int event)
{
	const struct td_group *group = &e->plan->groups[e->groups[event]];
	const struct td_total *slots = slots_of(e, group);

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

static double sum_of(const struct td_evaluation *e, const struct td_operand *operand)
{
	double sum = operand->events.nr ? 0 : NAN;

	for (size_t i = 0; i < operand->events.nr; i++) {
		int event = operand->events.v[i];

		sum += e->counts[event] * (operand->scaled ? e->plan->events.v[event].scale : 1);
	}
	return sum;
}

/*
 * Return the number of CPUs, packages or other places that counted an event.  The events of a
 * cgroup are not enabled on CPUs where it did not run: they counted 0 there.
 */
static unsigned int nr_counted(const struct td_evaluation *e, int event)
{
	const struct td_total *total = &e->totals[event];

	return total->nr_ran + (e->in_cgroup ? total->nr - total->nr_enabled : 0);
}

static double cpus_of(const struct td_evaluation *e, const struct td_operand *operand)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < operand->events.nr; i++)
		sum += nr_counted(e, operand->events.v[i]);
	return sum;
}

/*
 * Return the number of places, as a mean over the operand's events, which may be on uncore units.
 */
static double places_of(const struct td_evaluation *e, const struct td_operand *operand)
{
	double sum = cpus_of(e, operand);

	return sum > 0 ? sum / (double)operand->events.nr : NAN;
}

/* Return the number of the row's CPUs on the PMU. */
static double cpus_of_pmu(const struct td_evaluation *e, int pmu)
{
	unsigned int most = 0;

	for (size_t i = 0; i < e->plan->events.nr; i++) {
		if (e->plan->events.v[i].pmu == pmu && nr_counted(e, (int)i) > most)
			most = nr_counted(e, (int)i);
	}
	return most ? (double)most : NAN;
}

static double nr_of(const struct td_evaluation *e, const struct td_operand *operand)
{
	if (e->tasks)
		return 1;
	return operand->beside < 0 ? cpus_of_pmu(e, operand->pmu)
				   : places_of(e, &e->tree->operands[operand->beside]);
}

/* Return the count of a clock at one place during the row. */
static double one_clock(const struct td_evaluation *e, const struct td_operand *operand)
{
	double elapsed_ns = e->times ? (double)e->times->elapsed_ns : NAN;
	const struct td_total *total;
	uint64_t ns;

	if (!operand->events.nr)
		return e->tree->tsc_hz * elapsed_ns / 1e9;
	total = &e->totals[operand->events.v[0]];
	/* covered_ns is 0 if counts are not scaled */
	ns = total->covered_ns ? total->covered_ns : total->enabled_ns;
	/* without times, the count is already for one place */
	if (!ns || isnan(elapsed_ns))
		return e->counts[operand->events.v[0]];
	return total->value * elapsed_ns / (double)ns;
}

/* Return a time in seconds, or NaN if it is not known. */
static double time_of(const struct td_evaluation *e, enum td_tool tool)
{
	double ns = e->times ? td_times_of_tool(e->times, tool) : NAN;

	/* files of perf stat without duration_time */
	return tool == TD_TOOL_DURATION_TIME && !(ns > 0) ? NAN : ns / 1e9;
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
			e->values[i] = one_clock(e, operand);
			if (operand->beside >= 0)
				e->values[i] *= nr_of(e, operand);
			break;
		case TD_OPERAND_PLACES:
			e->values[i] = nr_of(e, operand);
			break;
		case TD_OPERAND_TIME:
			e->values[i] = time_of(e, operand->tool);
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

/* --- events that were not counted all the time ----------------------------- */

/*
 * ALL: groups that count all the time may differ by a few ms when tasks begin and end, because
 * groups are enabled and disabled one by one.  NO_PAUSES: paused groups miss more of the time than
 * this.  Their enabled time between two reads is the maximum over all groups, so the sum may exceed
 * the time of any single group.
 */
#define ALL       0.99
#define NO_PAUSES 0.95

/* Return the maximum time for which events of a PMU ran, per CPU or task. */
static double longest_run(const struct td_plan *plan, const struct td_total *totals, int pmu)
{
	double longest = 0;

	for (size_t i = 0; i < plan->events.nr; i++) {
		double ns = (double)totals[i].running_ns / totals[i].nr;

		if (plan->events.v[i].pmu == pmu && totals[i].nr && ns > longest)
			longest = ns;
	}
	return longest;
}

static bool is_partial(const struct td_plan *plan, const struct td_total *totals, size_t event)
{
	const struct td_total *total = &totals[event];
	int pmu = plan->events.v[event].pmu;

	return (double)total->running_ns < ALL * (double)total->covered_ns ||
	       (double)total->running_ns < NO_PAUSES * total->nr * longest_run(plan, totals, pmu);
}

void td_eval_find_turns(const struct td_plan *plan, const struct td_totals *totals, bool *turns)
{
	for (size_t i = 0; i < totals->nr_ids; i++) {
		const struct td_total *v = totals->v + i * totals->nr_events;

		for (size_t e = 0; e < totals->nr_events; e++)
			turns[e] = turns[e] || is_partial(plan, v, e);
	}
}

/* --- counts of slots ------------------------------------------------------- */

/*
 * Minimum sum of the four fields of level 1, which together are all slots.  With 8 bits each they
 * sum to 255 to 257 of 255, and the delay between reading SLOTS and PERF_METRICS adds a little.
 */
#define MIN_SUM 0.99

#define MAX_WIDTH 1.02 /* above 1 because the counters are read one after another */

/* Classify an event by its name; the kernel and the metric files use different names. */
static unsigned int kind_of(const struct td_event *event)
{
	if (td_event_is_named(event, "slots") || td_event_is_named(event, "TOPDOWN.SLOTS"))
		return TD_IS_SLOTS;
	if (td_event_is_named(event, "cycles") || td_event_is_named(event, "cpu-cycles") ||
	    td_event_is_named(event, "CPU_CLK_UNHALTED.THREAD"))
		return TD_IS_CYCLES;
	if (!strstr(event->name, "topdown-"))
		return 0;
	return td_event_is_level_1(event) ? TD_IS_FIELD | TD_IS_LEVEL_1 : TD_IS_FIELD;
}

/* Return the event for dropped uops that the formulas of a PMU subtract; -1: none. */
static int find_dropped(const struct td_tree *tree, int pmu)
{
	td_for_each(const struct td_operand, operand, tree->operands, tree->nr_operands) {
		if (operand->pmu == pmu && operand->events.nr == 1 &&
		    strcasestr(operand->name, "UOP_DROPPING"))
			return operand->events.v[0];
	}
	return -1;
}

void td_eval_find_kinds(const struct td_evaluation *e)
{
	for (size_t i = 0; i < e->plan->events.nr; i++)
		e->kinds[i] = kind_of(&e->plan->events.v[i]);
	for (int pmu = 0; pmu < (int)e->tree->nr_pmus; pmu++)
		e->dropped[pmu] = find_dropped(e->tree, pmu);
}

bool td_evaluation_has_step(const struct td_evaluation *e, int event)
{
	return e->kinds[event] & TD_IS_FIELD && e->groups[event] >= 0 &&
	       slots_of(e, &e->plan->groups[e->groups[event]]);
}

/* Return the sum of the group's level 1 fields, divided by its slots; NaN: unknown. */
static double sum_of_fields(const struct td_evaluation *e, const struct td_group *group)
{
	const struct td_total *slots = slots_of(e, group);
	double sum = 0;
	int nr = 0;

	if (!slots)
		return NAN;
	for (size_t i = 0; i < group->nr; i++) {
		if (!(e->kinds[group->members[i]] & TD_IS_LEVEL_1))
			continue;
		sum += e->totals[group->members[i]].value;
		nr++;
	}
	return nr == 4 && slots->value > 0 ? sum / slots->value : NAN;
}

/* Return the slots per cycle, divided by the width of the core; NaN: unknown. */
static double fullness(const struct td_evaluation *e, const struct td_group *group)
{
	int width = td_uarch_width(e->tree->machine->pmus[group->pmu].uarch);
	const struct td_total *slots = slots_of(e, group);

	if (!slots || !width)
		return NAN;
	for (size_t i = 0; i < group->nr; i++) {
		int event = group->members[i];

		if (e->kinds[event] & TD_IS_CYCLES && e->totals[event].value > 0)
			return slots->value / e->totals[event].value / width;
	}
	return NAN;
}

enum td_misfit td_eval_slots_misfit(const struct td_evaluation *e, int pmu, double *most)
{
	enum td_misfit misfit = TD_FITS;

	*most = NAN;
	td_for_each(const struct td_group, group, e->plan->groups, e->plan->nr_groups) {
		double sum;

		if (!group->nr || group->pmu != pmu)
			continue;
		sum = sum_of_fields(e, group);
		*most = fmax(*most, sum);
		if (sum < MIN_SUM || sum > TD_MAX_SUM)
			misfit = TD_MISFIT_SUM;
		else if (!misfit && fullness(e, group) > MAX_WIDTH)
			misfit = TD_MISFIT_WIDTH;
	}
	return misfit;
}
