// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/totals_sum.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>

#include "lib/base/util.h"

/* --- the counts of each event as typed ------------------------------------ */

static int by_spec(const void *a, const void *b, void *ctx)
{
	const struct td_plan *plan = ctx;
	int x = *(const int *)a, y = *(const int *)b;
	int spec_x = plan->events.v[x].spec, spec_y = plan->events.v[y].spec;

	if (spec_x != spec_y)
		return spec_x < spec_y ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Returns the end of a spec's events, which begin at first in the order. */
static size_t end_of_spec(const struct td_specs *specs, size_t first)
{
	const struct td_event *events = specs->plan->events.v;
	size_t end = first + 1;

	while (end < specs->plan->events.nr &&
	       events[specs->order[end]].spec == events[specs->order[first]].spec)
		end++;
	return end;
}

static bool belong_together(const struct td_specs *specs, size_t first, size_t end)
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

void td_specs_build(struct td_specs *specs, const struct td_plan *plan)
{
	size_t nr = plan->events.nr, end;

	*specs = (struct td_specs){
		.plan = plan,
		.order = td_calloc(nr + 1, sizeof(*specs->order)),
		.first = td_calloc(nr + 1, sizeof(*specs->first)),
		.end = td_calloc(nr + 1, sizeof(*specs->end)),
	};
	for (size_t i = 0; i < nr; i++)
		specs->order[i] = (int)i;
	qsort_r(specs->order, nr, sizeof(*specs->order), by_spec, (void *)(uintptr_t)plan);
	for (size_t first = 0; first < nr; first = end) {
		bool together;

		end = end_of_spec(specs, first);
		together = belong_together(specs, first, end);
		for (size_t i = first; i < end; i++) {
			specs->first[specs->order[i]] = together ? first : i;
			specs->end[specs->order[i]] = together ? end : i + 1;
		}
	}
}

void td_specs_free(struct td_specs *specs)
{
	free(specs->order);
	free(specs->first);
	free(specs->end);
	*specs = (struct td_specs){ 0 };
}

/* Values instead of the PMU on which the events of a spec ran. */
#define NO_PMU       (-1)
#define SEVERAL_PMUS INT_MAX

static bool is_hardware(const struct td_event *event)
{
	return event->type != PERF_TYPE_SOFTWARE;
}

static int find_ran(const struct td_specs *specs, const struct td_total *totals, size_t first,
		    size_t end)
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

void td_specs_find_elsewhere(const struct td_specs *specs, const struct td_total *totals, bool *out)
{
	size_t nr = specs->plan->events.nr, end;

	for (size_t first = 0; first < nr; first = end) {
		int ran;

		end = end_of_spec(specs, first);
		ran = find_ran(specs, totals, first, end);
		for (size_t i = first; i < end; i++) {
			int index = specs->order[i];
			const struct td_event *event = &specs->plan->events.v[index];

			out[index] = isnan(totals[index].value) && totals[index].enabled_ns &&
				     is_hardware(event) && ran >= 0 && ran != event->pmu;
		}
	}
}

/* --- sums ----------------------------------------------------------------- */

static bool is_same(const struct td_total_id *a, const struct td_total_id *b)
{
	if (!a->cgroup != !b->cgroup || strcmp(a->name, b->name) != 0)
		return false;
	return !a->cgroup || strcmp(a->cgroup, b->cgroup) == 0;
}

static uint64_t hash_id(const struct td_total_id *id)
{
	return td_hash_more(td_hash_text(id->name), id->cgroup ? td_hash_text(id->cgroup) : 0);
}

/* Tries the position hint first, because rounds usually have the same ids in the same order. */
static size_t find_id(const struct td_totals_sum *sum, const struct td_total_id *id, size_t hint)
{
	const struct td_totals *totals = &sum->totals;
	size_t step = 0, at;
	uint64_t hash;

	if (hint < totals->nr_ids && is_same(&totals->ids[hint], id))
		return hint;
	hash = hash_id(id);
	do {
		at = td_index_next(&sum->index, hash, &step);
	} while (at != TD_NOT_FOUND && !is_same(&totals->ids[at], id));
	return at == TD_NOT_FOUND ? totals->nr_ids : at;
}

static size_t row_size(const struct td_totals *totals)
{
	return totals->nr_events ? totals->nr_events : 1;
}

/* Makes each of nr rows longer; new elements are 0. */
static void widen_rows(void *array, size_t nr, size_t old_size, size_t new_size)
{
	char *old, *wide = td_calloc(nr, new_size);

	memcpy(&old, array, sizeof(old));
	for (size_t i = 0; i < nr; i++)
		memcpy(wide + i * new_size, old + i * old_size, old_size);
	memcpy(array, &wide, sizeof(wide));
	free(old);
}

/* Adds events: if the kernel refused a group of a later run, its parts are additional events. */
static void widen(struct td_totals_sum *sum, size_t nr_events)
{
	struct td_totals *totals = &sum->totals;
	size_t old = row_size(totals), nr = totals->nr_ids;

	if (!nr || nr_events <= totals->nr_events)
		return;
	widen_rows(&totals->v, nr, old * sizeof(*totals->v), nr_events * sizeof(*totals->v));
	widen_rows(&sum->nr_values, nr, old * sizeof(*sum->nr_values),
		   nr_events * sizeof(*sum->nr_values));
	widen_rows(&sum->nr_reads, nr, old * sizeof(*sum->nr_reads),
		   nr_events * sizeof(*sum->nr_reads));
	for (size_t i = 0; i < nr; i++) {
		for (size_t e = totals->nr_events; e < nr_events; e++)
			totals->v[i * nr_events + e].value = NAN;
	}
}

static void add_id(struct td_totals_sum *sum, const struct td_total_id *id)
{
	struct td_totals *totals = &sum->totals;
	size_t nr = totals->nr_ids, row = row_size(totals);
	struct td_total_id *new_id = td_array_add(&totals->ids, nr, sizeof(*new_id));
	struct td_total *v = td_array_add(&totals->v, nr, row * sizeof(*v));

	td_array_add(&sum->nr_values, nr, row * sizeof(*sum->nr_values));
	td_array_add(&sum->nr_reads, nr, row * sizeof(*sum->nr_reads));
	td_index_add(&sum->index, hash_id(id), nr);
	*new_id = (struct td_total_id){ td_strdup(id->name), id->cgroup, id->container,
					td_strdup(id->label) };
	for (size_t e = 0; e < row; e++)
		v[e].value = NAN;
	totals->nr_ids++;
}

static void add_total(struct td_total *to, unsigned int *nr_values, const struct td_total *from,
		      double weight)
{
	double value = weight * from->value;

	to->nr = from->nr > to->nr ? from->nr : to->nr;
	if (from->nr_enabled > to->nr_enabled)
		to->nr_enabled = from->nr_enabled;
	to->nr_ran = from->nr_ran > to->nr_ran ? from->nr_ran : to->nr_ran;
	to->enabled_ns += from->enabled_ns;
	to->running_ns += from->running_ns;
	to->covered_ns += from->covered_ns;
	to->run_enabled_ns += from->run_enabled_ns;
	to->run_covered_ns += from->run_covered_ns;
	to->where += from->where;
	if (isnan(from->value))
		return;
	to->value = isnan(to->value) ? value : to->value + value;
	(*nr_values)++;
}

void td_times_add(struct td_times *sum, const struct td_times *more, bool first)
{
	sum->has_cpu_times = more->has_cpu_times && (first || sum->has_cpu_times);
	sum->elapsed_ns += more->elapsed_ns;
	sum->user_ns += more->user_ns;
	sum->system_ns += more->system_ns;
}

struct td_times td_times_part(const struct td_times *times, double share)
{
	struct td_times part = *times;

	part.elapsed_ns = (uint64_t)(share * (double)times->elapsed_ns);
	part.user_ns = (uint64_t)(share * (double)times->user_ns);
	part.system_ns = (uint64_t)(share * (double)times->system_ns);
	return part;
}

static bool is_first_of_pmu(const struct td_events *events, size_t e)
{
	for (size_t i = e; i-- > 0;) {
		if (events->v[i].pmu == events->v[e].pmu)
			return false;
	}
	return true;
}

/*
 * Adds the time of the PMU of events->v[first] to the sum: the maximum time that any event of the
 * PMU was enabled, including events of other rounds.
 */
static void add_longest(struct td_total *to, const struct td_total *from,
			const struct td_events *events, size_t first)
{
	uint64_t enabled_ns = 0, covered_ns = 0;

	for (size_t e = first; e < events->nr; e++) {
		if (events->v[e].pmu != events->v[first].pmu)
			continue;
		if (from[e].enabled_ns > enabled_ns)
			enabled_ns = from[e].enabled_ns;
		if (from[e].covered_ns > covered_ns)
			covered_ns = from[e].covered_ns;
	}
	for (size_t e = first; e < events->nr; e++) {
		if (events->v[e].pmu != events->v[first].pmu)
			continue;
		to[e].run_enabled_ns += enabled_ns;
		to[e].run_covered_ns += covered_ns;
	}
}

/* An addend.  Arrays have an element for each event. */
struct weighted_totals {
	const struct td_totals *totals;
	const double *weights; /* NULL: 1 */
	struct td_specs specs;
	bool *elsewhere;
};

static void add_row(struct td_totals_sum *sum, const struct weighted_totals *addend, size_t i)
{
	const struct td_totals *more = addend->totals;
	const struct td_total *from = more->v + i * more->nr_events;
	size_t id = find_id(sum, &more->ids[i], i);
	size_t first = id * sum->totals.nr_events;

	if (id == sum->totals.nr_ids)
		add_id(sum, &more->ids[i]);
	if (more->tasks)
		td_specs_find_elsewhere(&addend->specs, from, addend->elsewhere);
	for (size_t e = 0; e < more->nr_events; e++) {
		add_total(&sum->totals.v[first + e], &sum->nr_values[first + e], &from[e],
			  addend->weights ? addend->weights[e] : 1);
		sum->nr_values[first + e] += addend->elsewhere[e];
		sum->nr_reads[first + e] += from[e].nr > 0;
	}
	for (size_t e = 0; sum->joins && e < more->nr_events; e++) {
		if (is_first_of_pmu(&addend->specs.plan->events, e))
			add_longest(sum->totals.v + first, from, &addend->specs.plan->events, e);
	}
}

void td_totals_sum_add_weighted(struct td_totals_sum *sum, const struct td_plan *plan,
				const struct td_totals *more, const struct td_times *times,
				const double *weights)
{
	struct td_totals *totals = &sum->totals;
	td_autofree bool *elsewhere = td_calloc(more->nr_events + 1, sizeof(*elsewhere));
	struct weighted_totals addend = { more, weights, { 0 }, elsewhere };

	td_specs_build(&addend.specs, plan);
	widen(sum, more->nr_events);
	if (more->nr_events > totals->nr_events)
		totals->nr_events = more->nr_events;
	totals->tasks = more->tasks;
	totals->all = more->all;
	totals->by_id = more->by_id;
	for (size_t i = 0; i < more->nr_ids; i++)
		add_row(sum, &addend, i);
	td_specs_free(&addend.specs);
	td_times_add(&sum->times, times, !sum->rounds);
	sum->rounds++;
}

void td_totals_sum_add(struct td_totals_sum *sum, const struct td_plan *plan,
		       const struct td_totals *more, const struct td_times *times)
{
	td_totals_sum_add_weighted(sum, plan, more, times, NULL);
}

void td_totals_sum_divide(struct td_totals_sum *sum)
{
	struct td_totals *totals = &sum->totals;
	unsigned int rounds = sum->rounds ? sum->rounds : 1;

	for (size_t i = 0; i < totals->nr_ids * totals->nr_events; i++) {
		struct td_total *total = &totals->v[i];
		unsigned int nr = sum->joins && sum->nr_reads[i] ? sum->nr_reads[i] : rounds;

		if (sum->nr_values[i])
			total->value /= sum->nr_values[i];
		total->enabled_ns /= nr;
		total->running_ns /= nr;
		total->covered_ns /= nr;
		total->run_enabled_ns /= rounds;
		total->run_covered_ns /= rounds;
	}
	sum->times.elapsed_ns /= rounds;
	sum->times.user_ns /= rounds;
	sum->times.system_ns /= rounds;
}

void td_totals_sum_free(struct td_totals_sum *sum)
{
	td_totals_free(&sum->totals);
	td_index_free(&sum->index);
	free(sum->nr_values);
	free(sum->nr_reads);
	*sum = (struct td_totals_sum){ 0 };
}
