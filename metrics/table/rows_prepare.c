// SPDX-License-Identifier: GPL-2.0-only
/* Prepares what many rows of the event table need. */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>

#include "metrics/table/rows_parts.h"

/*
 * Do two events of one typed name share a row, as units of an uncore PMU or
 * kinds of core?
 */
static bool are_merged(const struct td_filling *f, const struct td_event *a,
		       const struct td_event *b)
{
	if (a->spec != b->spec || a->spec < 0 || a->hidden || b->hidden)
		return false;
	return (a->merge && b->merge) || (f->hybrid && a->pmu != b->pmu);
}

bool td_filling_is_of_row(const struct td_filling *f, int event, int other)
{
	return event == other || are_merged(f, &f->plan->events.v[event],
					    &f->plan->events.v[other]);
}

int td_filling_next(const struct td_filling *f, int event,
		    const struct td_total *totals, size_t *at)
{
	while (*at < f->specs.end[event]) {
		int i = f->specs.order[(*at)++];

		if (totals[i].nr && td_filling_is_of_row(f, event, i))
			return i;
	}
	return -1;
}

bool td_filling_has_id(const struct td_filling *f, int event, size_t id)
{
	size_t at = f->specs.first[event];

	return td_filling_next(f, event, td_filling_totals(f, id), &at) >= 0;
}

bool td_filling_belongs_to(const struct td_filling *f, int event, size_t id)
{
	const struct td_event *e = &f->plan->events.v[event];

	return td_filling_has_id(f, event, id) ||
	       (e->refusal && f->looked_at[id * f->nr_pmus + (size_t)e->pmu]);
}

static bool belongs_anywhere(const struct td_filling *f, int event)
{
	for (size_t id = 0; id < f->totals->nr_ids; id++) {
		if (td_filling_belongs_to(f, event, id))
			return true;
	}
	return false;
}

/*
 * Does the event get no row, because it is merged into another, or because
 * another PMU has the cache event that this one does not?
 */
static bool is_left_out(const struct td_filling *f, int event)
{
	const struct td_plan *plan = f->plan;
	const struct td_event *e = &plan->events.v[event];

	for (size_t at = f->specs.first[event]; at < f->specs.end[event];
	     at++) {
		int i = f->specs.order[at];
		const struct td_event *other = &plan->events.v[i];

		if (i == event || e->spec < 0)
			continue;
		if (i < event && are_merged(f, e, other))
			return true;
		if (e->refusal && e->type == PERF_TYPE_HW_CACHE &&
		    !other->refusal)
			return true;
	}
	return false;
}

static int look_at_pmus(struct td_filling *f)
{
	const struct td_plan *plan = f->plan;

	for (size_t i = 0; i < plan->events.nr; i++) {
		if ((size_t)plan->events.v[i].pmu >= f->nr_pmus)
			f->nr_pmus = (size_t)plan->events.v[i].pmu + 1;
	}
	f->looked_at = calloc(f->totals->nr_ids * f->nr_pmus + 1,
			      sizeof(*f->looked_at));
	if (!f->looked_at)
		return -ENOMEM;
	for (size_t id = 0; id < f->totals->nr_ids; id++) {
		const struct td_total *totals = td_filling_totals(f, id);

		for (size_t i = 0; i < plan->events.nr; i++) {
			if (totals[i].nr)
				f->looked_at[id * f->nr_pmus +
					     (size_t)plan->events.v[i].pmu] =
					true;
		}
	}
	return 0;
}

static int sort_events(struct td_filling *f)
{
	size_t nr = f->plan->events.nr;

	f->left_out = calloc(nr + 1, sizeof(*f->left_out));
	f->anywhere = calloc(nr + 1, sizeof(*f->anywhere));
	if (!f->left_out || !f->anywhere)
		return -ENOMEM;
	for (int i = 0; i < (int)nr; i++) {
		f->left_out[i] = is_left_out(f, i);
		f->anywhere[i] = belongs_anywhere(f, i);
	}
	return 0;
}

static int find_elsewhere(struct td_filling *f)
{
	size_t nr = f->plan->events.nr;

	if (!f->totals->tasks)
		return 0;
	f->elsewhere =
		calloc(f->totals->nr_ids * nr + 1, sizeof(*f->elsewhere));
	if (!f->elsewhere)
		return -ENOMEM;
	for (size_t id = 0; id < f->totals->nr_ids; id++)
		td_specs_find_elsewhere(&f->specs, td_filling_totals(f, id),
					f->elsewhere + id * nr);
	return 0;
}

/* Sums the counts of one event over all kinds of core. */
static void sum_kinds(const struct td_filling *f, int event,
		      const struct td_total *totals, struct td_total *sum)
{
	size_t at = f->specs.first[event];
	bool tasks = f->totals->tasks;
	int i;

	sum->value = NAN;
	while ((i = td_filling_next(f, event, totals, &at)) >= 0) {
		if (tasks && isnan(totals[i].value))
			continue;
		sum->value = isnan(sum->value) ? totals[i].value
					       : sum->value + totals[i].value;
		sum->covered_ns += totals[i].covered_ns;
	}
}

/* Computes the divisors of merged rows from the sums. */
static int merge_kinds(struct td_filling *f)
{
	size_t nr = f->plan->events.nr, nr_ids = f->totals->nr_ids;

	if (!f->hybrid)
		return 0;
	f->sums = calloc(nr_ids * nr + 1, sizeof(*f->sums));
	if (!f->sums)
		return -ENOMEM;
	for (size_t i = 0; i < nr_ids * nr; i++)
		sum_kinds(f, (int)(i % nr), td_filling_totals(f, i / nr),
			  &f->sums[i]);
	return td_ratios_build(&f->merged_ratios, f->plan, f->sums, nr_ids);
}

int td_filling_prepare(struct td_filling *f)
{
	int rc = td_specs_build(&f->specs, f->plan);

	if (!rc)
		rc = td_ratios_build(&f->ratios, f->plan, f->totals->v,
				     f->totals->nr_ids);
	if (!rc)
		rc = look_at_pmus(f);
	if (!rc)
		rc = sort_events(f);
	if (!rc)
		rc = find_elsewhere(f);
	return rc ? rc : merge_kinds(f);
}

void td_filling_free(struct td_filling *f)
{
	td_specs_free(&f->specs);
	td_ratios_free(&f->ratios);
	td_ratios_free(&f->merged_ratios);
	free(f->sums);
	free(f->elsewhere);
	free(f->looked_at);
	free(f->left_out);
	free(f->anywhere);
}
