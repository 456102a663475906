// SPDX-License-Identifier: GPL-2.0-only
/* Prepares the divisors of ratios for all ids. */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "metrics/table/ratio_parts.h"
#include "metrics/table/ratios.h"

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
	if (td_ratio_is_software(event))
		return count_in_group(groups, event, ANY) > 1;
	return count_in_group(groups, event, (uint32_t)event->pmu) > 1 ||
	       count_in_group(groups, event, SOFTWARE) > 0;
}

static int find_groups(struct td_ratios *ratios)
{
	const struct td_plan *plan = ratios->plan;
	struct td_index groups = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < plan->events.nr; i++) {
		const struct td_event *event = &plan->events.v[i];

		if (event->group < 0)
			continue;
		rc = add_to_group(&groups, event, ANY);
		if (!rc)
			rc = add_to_group(&groups, event, (uint32_t)event->pmu);
		if (!rc && td_ratio_is_software(event))
			rc = add_to_group(&groups, event, SOFTWARE);
	}
	for (size_t i = 0; !rc && i < plan->events.nr; i++)
		ratios->events[i].grouped =
			has_group(&groups, &plan->events.v[i]);
	td_index_free(&groups);
	return rc;
}

/* Finds the number of a divisor, or gives it the next one. */
static int number_divisor(struct td_ratios *ratios, uint64_t hash, size_t *out)
{
	*out = td_index_find(&ratios->divisors, hash);
	if (*out != TD_NOT_FOUND)
		return 0;
	*out = ratios->nr_divisors++;
	return td_index_add(&ratios->divisors, hash, *out);
}

static int know_event(struct td_ratios *ratios, size_t i)
{
	const struct td_event *event = &ratios->plan->events.v[i];
	struct td_ratio_event *known = &ratios->events[i];
	int rc;

	known->kind = td_ratio_kind(event);
	known->excluded = td_ratio_excluded(&event->mods);
	known->divisor = known->divisor_in_group = TD_NO_DIVISOR;
	if (!td_ratio_is_divisor(known->kind) || event->hidden ||
	    event->refusal)
		return 0;
	rc = number_divisor(ratios,
			    td_ratio_divisor_key(known->kind, known->excluded,
						 event->pmu, -1),
			    &known->divisor);
	if (!rc && event->group >= 0)
		rc = number_divisor(
			ratios,
			td_ratio_divisor_key(known->kind, known->excluded,
					     event->pmu, event->group),
			&known->divisor_in_group);
	return rc;
}

/* Finds, for one id, the first event of each divisor that was counted. */
static void find_firsts(const struct td_ratios *ratios,
			const struct td_total *totals, int *firsts)
{
	const struct td_plan *plan = ratios->plan;

	for (size_t divisor = 0; divisor < ratios->nr_divisors; divisor++)
		firsts[divisor] = -1;
	for (size_t i = plan->events.nr; i > 0; i--) {
		const struct td_ratio_event *known = &ratios->events[i - 1];

		if (known->divisor == TD_NO_DIVISOR ||
		    !td_ratio_is_counted(&plan->events.v[i - 1],
					 &totals[i - 1]))
			continue;
		firsts[known->divisor] = (int)i - 1;
		if (known->divisor_in_group != TD_NO_DIVISOR)
			firsts[known->divisor_in_group] = (int)i - 1;
	}
}

int td_ratios_build(struct td_ratios *ratios, const struct td_plan *plan)
{
	int rc = 0;

	*ratios = (struct td_ratios){
		.plan = plan,
		.events = calloc(plan->events.nr + 1, sizeof(*ratios->events)),
	};
	if (!ratios->events)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < plan->events.nr; i++)
		rc = know_event(ratios, i);
	return rc ? rc : find_groups(ratios);
}

int td_ratios_count(struct td_ratios *ratios, const struct td_total *totals,
		    size_t nr_ids)
{
	ratios->totals = totals;
	if (td_array_clear(&ratios->firsts, nr_ids * ratios->nr_divisors,
			   sizeof(*ratios->firsts)))
		return -ENOMEM;
	for (size_t id = 0; id < nr_ids; id++)
		find_firsts(ratios, totals + id * ratios->plan->events.nr,
			    ratios->firsts + id * ratios->nr_divisors);
	return 0;
}

void td_ratios_free(struct td_ratios *ratios)
{
	free(ratios->events);
	free(ratios->firsts);
	td_index_free(&ratios->divisors);
	*ratios = (struct td_ratios){ 0 };
}
