// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/specs.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>

static int by_spec(const void *a, const void *b, void *ctx)
{
	const struct td_plan *plan = ctx;
	int x = *(const int *)a, y = *(const int *)b;
	int spec_x = plan->events.v[x].spec, spec_y = plan->events.v[y].spec;

	if (spec_x != spec_y)
		return spec_x < spec_y ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The end of a spec's events, which begin at first in the order. */
static size_t end_of_spec(const struct td_specs *specs, size_t first)
{
	const struct td_event *events = specs->plan->events.v;
	size_t end = first + 1;

	while (end < specs->plan->events.nr &&
	       events[specs->order[end]].spec ==
		       events[specs->order[first]].spec)
		end++;
	return end;
}

static bool belong_together(const struct td_specs *specs, size_t first,
			    size_t end)
{
	const struct td_event *events = specs->plan->events.v;
	const struct td_event *one = &events[specs->order[first]];

	for (size_t i = first; one->spec >= 0 && i < end; i++) {
		const struct td_event *other = &events[specs->order[i]];

		if (other->merge || other->pmu != one->pmu)
			return true;
	}
	return false;
}

int td_specs_build(struct td_specs *specs, const struct td_plan *plan)
{
	size_t nr = plan->events.nr, end;

	*specs = (struct td_specs){
		.plan = plan,
		.order = calloc(nr + 1, sizeof(*specs->order)),
		.first = calloc(nr + 1, sizeof(*specs->first)),
		.end = calloc(nr + 1, sizeof(*specs->end)),
	};
	if (!specs->order || !specs->first || !specs->end)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		specs->order[i] = (int)i;
	qsort_r(specs->order, nr, sizeof(*specs->order), by_spec,
		(void *)(uintptr_t)plan);
	for (size_t first = 0; first < nr; first = end) {
		bool together;

		end = end_of_spec(specs, first);
		together = belong_together(specs, first, end);
		for (size_t i = first; i < end; i++) {
			specs->first[specs->order[i]] = together ? first : i;
			specs->end[specs->order[i]] = together ? end : i + 1;
		}
	}
	return 0;
}

void td_specs_free(struct td_specs *specs)
{
	free(specs->order);
	free(specs->first);
	free(specs->end);
	*specs = (struct td_specs){ 0 };
}

/* In place of a PMU on which events of a spec, or of a tree, ran. */
#define NO_PMU       (-1)
#define SEVERAL_PMUS INT_MAX

static bool is_hardware(const struct td_event *event)
{
	return event->type != PERF_TYPE_SOFTWARE;
}

static int find_ran(const struct td_specs *specs, const struct td_total *totals,
		    size_t first, size_t end)
{
	int ran = NO_PMU;

	for (size_t i = first; i < end; i++) {
		int index = specs->order[i];
		const struct td_event *event = &specs->plan->events.v[index];

		if (!totals[index].running_ns || !is_hardware(event))
			continue;
		if (ran < 0)
			ran = event->pmu;
		else if (ran != event->pmu)
			ran = SEVERAL_PMUS;
	}
	return ran;
}

void td_specs_find_elsewhere(const struct td_specs *specs,
			     const struct td_total *totals, bool *out)
{
	size_t nr = specs->plan->events.nr, end;

	for (size_t first = 0; first < nr; first = end) {
		int ran;

		end = end_of_spec(specs, first);
		ran = find_ran(specs, totals, first, end);
		for (size_t i = first; i < end; i++) {
			int index = specs->order[i];
			const struct td_event *event =
				&specs->plan->events.v[index];

			out[index] = isnan(totals[index].value) &&
				     totals[index].enabled_ns &&
				     is_hardware(event) && ran >= 0 &&
				     ran != event->pmu;
		}
	}
}
