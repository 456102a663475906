// SPDX-License-Identifier: GPL-2.0-only
/* Prepares the divisors of ratios for all ids. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "metrics/table/beside.h"
#include "metrics/table/beside_parts.h"

/* Software events can be in a group of any PMU. */
static bool is_software(const struct td_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE ||
	       event->type == PERF_TYPE_TRACEPOINT;
}

/* Counts of events of a typed group: on one PMU, on ANY, and of SOFTWARE. */
#define ANY      UINT32_MAX
#define SOFTWARE (UINT32_MAX - 1)

static uint64_t hash_group(const struct td_event *event, uint32_t pmu)
{
	return td_hash((uint64_t)(uint32_t)event->group << 32 | pmu);
}

static size_t count_in_group(const struct td_index *groups,
			     const struct td_event *event, uint32_t pmu)
{
	size_t nr = td_index_find(groups, hash_group(event, pmu));

	return nr == TD_NOT_FOUND ? 0 : nr;
}

static int add_to_group(struct td_index *groups, const struct td_event *event,
			uint32_t pmu)
{
	return td_index_set(groups, hash_group(event, pmu),
			    count_in_group(groups, event, pmu) + 1);
}

/*
 * Is the event in a group with others?  A typed {} becomes a group for each PMU
 * in it, and software events join the events of any PMU.
 */
static bool has_group(const struct td_index *groups,
		      const struct td_event *event)
{
	if (event->group < 0)
		return false;
	if (is_software(event))
		return count_in_group(groups, event, ANY) > 1;
	return count_in_group(groups, event, (uint32_t)event->pmu) > 1 ||
	       count_in_group(groups, event, SOFTWARE) > 0;
}

static int find_groups(struct td_besides *besides)
{
	const struct td_plan *plan = besides->plan;
	struct td_index groups = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < plan->nr_events; i++) {
		const struct td_event *event = &plan->events[i];

		if (event->group < 0)
			continue;
		rc = add_to_group(&groups, event, ANY);
		if (!rc)
			rc = add_to_group(&groups, event, (uint32_t)event->pmu);
		if (!rc && is_software(event))
			rc = add_to_group(&groups, event, SOFTWARE);
	}
	for (size_t i = 0; !rc && i < plan->nr_events; i++)
		besides->events[i].grouped =
			has_group(&groups, &plan->events[i]);
	td_index_free(&groups);
	return rc;
}

/* Finds the number of a divisor, or gives it the next one. */
static int number_sort(struct td_besides *besides, uint64_t hash, size_t *out)
{
	*out = td_index_find(&besides->sorts, hash);
	if (*out != TD_NOT_FOUND)
		return 0;
	*out = besides->nr_sorts++;
	return td_index_add(&besides->sorts, hash, *out);
}

static int know_event(struct td_besides *besides, size_t i)
{
	const struct td_event *event = &besides->plan->events[i];
	struct td_beside_event *known = &besides->events[i];
	int rc;

	known->kind = td_beside_kind(event);
	known->without = td_beside_without(&event->mods);
	known->sort = known->sort_in_group = NO_SORT;
	if (!td_beside_is_divisor(known->kind) || event->hidden ||
	    event->refusal)
		return 0;
	rc = number_sort(
		besides,
		td_beside_sort(known->kind, known->without, event->pmu, -1),
		&known->sort);
	if (!rc && event->group >= 0)
		rc = number_sort(besides,
				 td_beside_sort(known->kind, known->without,
						event->pmu, event->group),
				 &known->sort_in_group);
	return rc;
}

/* Finds, for one id, the first event of each divisor that was counted. */
static void find_firsts(const struct td_besides *besides,
			const struct td_total *totals, int *firsts)
{
	const struct td_plan *plan = besides->plan;

	for (size_t sort = 0; sort < besides->nr_sorts; sort++)
		firsts[sort] = -1;
	for (size_t i = plan->nr_events; i > 0; i--) {
		const struct td_beside_event *known = &besides->events[i - 1];

		if (known->sort == NO_SORT ||
		    !td_beside_is_counted(&plan->events[i - 1], &totals[i - 1]))
			continue;
		firsts[known->sort] = (int)i - 1;
		if (known->sort_in_group != NO_SORT)
			firsts[known->sort_in_group] = (int)i - 1;
	}
}

int td_besides_build(struct td_besides *besides, const struct td_plan *plan,
		     const struct td_total *totals, size_t nr_ids)
{
	int rc = 0;

	*besides = (struct td_besides){
		.plan = plan,
		.totals = totals,
		.events = calloc(plan->nr_events + 1, sizeof(*besides->events)),
	};
	if (!besides->events)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < plan->nr_events; i++)
		rc = know_event(besides, i);
	if (!rc)
		rc = find_groups(besides);
	if (rc)
		return rc;
	besides->firsts = calloc(nr_ids * besides->nr_sorts + 1,
				 sizeof(*besides->firsts));
	for (size_t id = 0; besides->firsts && id < nr_ids; id++)
		find_firsts(besides, totals + id * plan->nr_events,
			    besides->firsts + id * besides->nr_sorts);
	return besides->firsts ? 0 : -ENOMEM;
}

void td_besides_free(struct td_besides *besides)
{
	free(besides->events);
	free(besides->firsts);
	td_index_free(&besides->sorts);
	*besides = (struct td_besides){ 0 };
}
