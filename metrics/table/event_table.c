// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "metrics/table/table.h"

/*
 * Do two events of one typed name share a row, as units of an uncore PMU or
 * kinds of core?
 */
static bool are_merged(const struct td_event_table *t, const struct td_event *a,
		       const struct td_event *b)
{
	if (a->spec != b->spec || a->spec < 0 || a->hidden || b->hidden)
		return false;
	return (a->merge && b->merge) || (t->hybrid && a->pmu != b->pmu);
}

bool td_event_table_is_of_row(const struct td_event_table *t, int event,
			      int other)
{
	return event == other || are_merged(t, &t->plan->events.v[event],
					    &t->plan->events.v[other]);
}

int td_event_table_next(const struct td_event_table *t, int event,
			const struct td_total *totals, size_t *at)
{
	while (*at < t->specs.end[event]) {
		int i = t->specs.order[(*at)++];

		if (totals[i].nr && td_event_table_is_of_row(t, event, i))
			return i;
	}
	return -1;
}

bool td_event_table_has_id(const struct td_event_table *t, int event, size_t id)
{
	size_t at = t->specs.first[event];

	return td_event_table_next(t, event, td_event_table_totals(t, id),
				   &at) >= 0;
}

bool td_event_table_belongs_to(const struct td_event_table *t, int event,
			       size_t id)
{
	const struct td_event *e = &t->plan->events.v[event];

	return td_event_table_has_id(t, event, id) ||
	       (e->refusal && t->looked_at[id * t->nr_pmus + (size_t)e->pmu]);
}

static bool belongs_anywhere(const struct td_event_table *t, int event)
{
	for (size_t id = 0; id < t->totals->nr_ids; id++) {
		if (td_event_table_belongs_to(t, event, id))
			return true;
	}
	return false;
}

/*
 * Does the event get no row, because it is merged into another, or because
 * another PMU has the cache event that this one does not?
 */
static bool is_left_out(const struct td_event_table *t, int event)
{
	const struct td_plan *plan = t->plan;
	const struct td_event *e = &plan->events.v[event];

	for (size_t at = t->specs.first[event]; at < t->specs.end[event];
	     at++) {
		int i = t->specs.order[at];
		const struct td_event *other = &plan->events.v[i];

		if (i == event || e->spec < 0)
			continue;
		if (i < event && are_merged(t, e, other))
			return true;
		if (e->refusal && e->type == PERF_TYPE_HW_CACHE &&
		    !other->refusal)
			return true;
	}
	return false;
}

static int look_at_pmus(struct td_event_table *t)
{
	const struct td_plan *plan = t->plan;

	if (td_array_clear(&t->looked_at, t->totals->nr_ids * t->nr_pmus,
			   sizeof(*t->looked_at)))
		return -ENOMEM;
	for (size_t id = 0; id < t->totals->nr_ids; id++) {
		const struct td_total *totals = td_event_table_totals(t, id);

		for (size_t i = 0; i < plan->events.nr; i++) {
			if (totals[i].nr)
				t->looked_at[id * t->nr_pmus +
					     (size_t)plan->events.v[i].pmu] =
					true;
		}
	}
	return 0;
}

static int place_events(struct td_event_table *t)
{
	if (td_array_clear(&t->anywhere, t->nr_events, sizeof(*t->anywhere)))
		return -ENOMEM;
	for (int i = 0; i < (int)t->nr_events; i++)
		t->anywhere[i] = belongs_anywhere(t, i);
	return 0;
}

static int find_elsewhere(struct td_event_table *t)
{
	size_t nr = t->nr_events;

	if (!t->totals->tasks)
		return 0;
	if (td_array_clear(&t->elsewhere, t->totals->nr_ids * nr,
			   sizeof(*t->elsewhere)))
		return -ENOMEM;
	for (size_t id = 0; id < t->totals->nr_ids; id++)
		td_specs_find_elsewhere(&t->specs, td_event_table_totals(t, id),
					t->elsewhere + id * nr);
	return 0;
}

/* Sums the counts of one event over all kinds of core. */
static void sum_kinds(const struct td_event_table *t, int event,
		      const struct td_total *totals, struct td_total *sum)
{
	size_t at = t->specs.first[event];
	bool tasks = t->totals->tasks;
	int i;

	sum->value = NAN;
	while ((i = td_event_table_next(t, event, totals, &at)) >= 0) {
		if (tasks && isnan(totals[i].value))
			continue;
		sum->value = isnan(sum->value) ? totals[i].value
					       : sum->value + totals[i].value;
		sum->covered_ns += totals[i].covered_ns;
	}
}

/* Computes the divisors of merged rows from the sums. */
static int merge_kinds(struct td_event_table *t)
{
	size_t nr = t->nr_events, nr_ids = t->totals->nr_ids;

	if (!t->hybrid)
		return 0;
	if (td_array_clear(&t->sums, nr_ids * nr, sizeof(*t->sums)))
		return -ENOMEM;
	for (size_t i = 0; i < nr_ids * nr; i++)
		sum_kinds(t, (int)(i % nr), td_event_table_totals(t, i / nr),
			  &t->sums[i]);
	return td_ratios_count(&t->merged_ratios, t->sums, nr_ids);
}

/* --- once for a plan ------------------------------------------------------- */

static size_t count_refused(const struct td_plan *plan)
{
	size_t nr = 0;

	for (size_t i = 0; i < plan->events.nr; i++)
		nr += plan->events.v[i].refusal != NULL;
	return nr;
}

static int build(struct td_event_table *t, size_t nr_refused)
{
	size_t nr = t->plan->events.nr;
	int rc = td_specs_build(&t->specs, t->plan);

	t->left_out = calloc(nr + 1, sizeof(*t->left_out));
	t->names = calloc(nr + 1, sizeof(*t->names));
	if (!rc)
		rc = td_ratios_build(&t->ratios, t->plan);
	if (!rc && t->hybrid)
		rc = td_ratios_build(&t->merged_ratios, t->plan);
	if (rc || !t->left_out || !t->names)
		return -ENOMEM;
	t->nr_events = nr;
	t->nr_refused = nr_refused;
	for (int i = 0; i < (int)nr; i++) {
		size_t pmu = (size_t)t->plan->events.v[i].pmu;

		t->nr_pmus = pmu >= t->nr_pmus ? pmu + 1 : t->nr_pmus;
		t->left_out[i] = is_left_out(t, i);
	}
	return 0;
}

/* The kernel may refuse an event later, too. */
int td_event_table_fit(struct td_event_table *t)
{
	size_t nr_refused = count_refused(t->plan);

	if (t->left_out && t->nr_events == t->plan->events.nr &&
	    t->nr_refused == nr_refused)
		return 0;
	td_event_table_free(t);
	return build(t, nr_refused);
}

int td_event_table_prepare(struct td_event_table *t)
{
	int rc = td_ratios_count(&t->ratios, t->totals->v, t->totals->nr_ids);

	if (!rc)
		rc = look_at_pmus(t);
	if (!rc)
		rc = place_events(t);
	if (!rc)
		rc = find_elsewhere(t);
	return rc ? rc : merge_kinds(t);
}

void td_event_table_free(struct td_event_table *t)
{
	for (size_t i = 0; i < t->nr_events; i++)
		free(t->names[i]);
	td_specs_free(&t->specs);
	td_ratios_free(&t->ratios);
	td_ratios_free(&t->merged_ratios);
	free(t->report.rows);
	free(t->sums);
	free(t->elsewhere);
	free(t->looked_at);
	free(t->left_out);
	free(t->names);
	free(t->anywhere);
	*t = (struct td_event_table){ .plan = t->plan, .hybrid = t->hybrid };
}
