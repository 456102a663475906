// SPDX-License-Identifier: GPL-2.0-only
/* Looks for counts of slots that are not possible. */
#include <math.h>
#include <string.h>

#include "metrics/eval/misfits.h"
#include "metrics/eval/parts.h"

/*
 * The four fields of level 1 are all of the slots.  With 8 bits each they come
 * to 255 to 257 of 255, and a read between SLOTS and PERF_METRICS adds a little.
 */
#define LEAST_SUM 0.99

/* As much more than its width may a core have because of the reads' order. */
#define MOST_WIDTH 1.02

/* The kernel and the metric files have names of their own for some. */
static unsigned int kind_of(const struct td_event *event)
{
	if (td_event_is_named(event, "slots") ||
	    td_event_is_named(event, "TOPDOWN.SLOTS"))
		return TD_IS_SLOTS;
	if (td_event_is_named(event, "cycles") ||
	    td_event_is_named(event, "cpu-cycles") ||
	    td_event_is_named(event, "CPU_CLK_UNHALTED.THREAD"))
		return TD_IS_CYCLES;
	if (!strstr(event->name, "topdown-"))
		return 0;
	return td_event_is_level_1(event) ? TD_IS_FIELD | TD_IS_LEVEL_1
					  : TD_IS_FIELD;
}

/* The event that the formulas of a PMU subtract; -1: none. */
static int find_dropped(const struct td_tree *tree, int pmu)
{
	for (size_t i = 0; i < tree->nr_operands; i++) {
		const struct td_operand *operand = &tree->operands[i];

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

/* The first member, but recordings may have their events in another order. */
const struct td_total *td_eval_slots_of(const struct td_evaluation *e,
					const struct td_group *group)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (e->kinds[group->members[i]] & TD_IS_SLOTS)
			return &e->totals[group->members[i]];
	}
	return NULL;
}

bool td_evaluation_has_step(const struct td_evaluation *e, int event)
{
	return e->kinds[event] & TD_IS_FIELD && e->groups[event] >= 0 &&
	       td_eval_slots_of(e, &e->plan->groups[e->groups[event]]);
}

/* The share of the slots that the group's fields of level 1 are; NaN: unknown. */
static double sum_of_fields(const struct td_evaluation *e,
			    const struct td_group *group)
{
	const struct td_total *slots = td_eval_slots_of(e, group);
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

/* The slots of a cycle, over the width of the core; NaN: unknown. */
static double fullness(const struct td_evaluation *e,
		       const struct td_group *group)
{
	int width = td_uarch_width(e->tree->machine->pmus[group->pmu].uarch);

	const struct td_total *slots = td_eval_slots_of(e, group);

	if (!slots || !width)
		return NAN;
	for (size_t i = 0; i < group->nr; i++) {
		int event = group->members[i];

		if (e->kinds[event] & TD_IS_CYCLES &&
		    e->totals[event].value > 0)
			return slots->value / e->totals[event].value / width;
	}
	return NAN;
}

enum td_misfit td_eval_slots_misfit(const struct td_evaluation *e, int pmu,
				    double *most)
{
	enum td_misfit misfit = TD_FITS;

	*most = NAN;
	for (size_t g = 0; g < e->plan->nr_groups; g++) {
		const struct td_group *group = &e->plan->groups[g];
		double sum;

		if (!group->nr || group->pmu != pmu)
			continue;
		sum = sum_of_fields(e, group);
		*most = fmax(*most, sum);
		if (sum < LEAST_SUM || sum > TD_MOST_SUM)
			misfit = TD_MISFIT_SUM;
		else if (!misfit && fullness(e, group) > MOST_WIDTH)
			misfit = TD_MISFIT_WIDTH;
	}
	return misfit;
}

double td_eval_correction(const struct td_evaluation *e, int pmu)
{
	int slots = e->tree->slots[pmu], dropped = e->dropped[pmu];

	return dropped < 0 || slots < 0
		       ? NAN
		       : TD_PERCENT * e->counts[dropped] / e->values[slots];
}
