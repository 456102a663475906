// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/call_counts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* --- sums ------------------------------------------------------------------- */

static void join_parts(struct td_call_count *count, size_t nr_values)
{
	td_parts_join(&count->times_ns);
	for (size_t i = 0; i < nr_values; i++)
		td_parts_join(&count->values[i]);
}

/* Its part that is the probes'. */
static double cost_of(const struct td_call_counts *counts, int function,
		      int event)
{
	return counts->costs && counts->costs[function]->values
		       ? counts->costs[function]->values[event]
		       : 0;
}

static uint64_t cost_ns_of(const struct td_call_counts *counts,
			   const struct td_paired_call *call)
{
	return counts->costs && counts->costs[call->function]->times_ns
		       ? counts->costs[call->function]->times_ns[call->group]
		       : 0;
}

/* Sums are differences of 64 bits: fields may be a step less than nothing. */
static void add_count(const struct td_call_counts *counts,
		      struct td_call_count *count, size_t at,
		      const struct td_paired_call *call, uint64_t time_ns)
{
	const struct td_group *group = &counts->plan->groups[at];
	bool ended = at == (size_t)call->group;
	uint64_t size = td_part_size(count->nr + 1);
	size_t part = (size_t)(count->nr / size);

	if (size > td_part_size(count->nr))
		join_parts(count, group->nr);
	count->nr++;
	count->times_ns.v[part] += (double)time_ns;
	for (size_t i = 0; i < group->nr; i++) {
		int event = group->members[i];
		double value = (double)(int64_t)call->sums[event];

		count->values[i].v[part] +=
			value -
			(ended ? cost_of(counts, call->function, event) : 0);
	}
}

static int begin_bucket(struct td_call_bucket *bucket,
			const struct td_plan *plan)
{
	bucket->counts = calloc(plan->nr_groups + 1, sizeof(*bucket->counts));
	if (!bucket->counts)
		return -ENOMEM;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		struct td_call_count *count = &bucket->counts[g];

		count->values =
			calloc(plan->groups[g].nr + 1, sizeof(*count->values));
		if (!count->values)
			return -ENOMEM;
	}
	return 0;
}

static uint64_t sum(const struct td_call_counts *counts, const uint64_t *sums,
		    size_t which)
{
	return sums[counts->plan->events.nr + which];
}

static void add_facts(const struct td_call_counts *counts,
		      struct td_call_bucket *bucket,
		      const struct td_paired_call *call, uint64_t time_ns)
{
	uint64_t waited_ns = sum(counts, call->sums, TD_CALL_WAITED_NS);
	uint64_t switches = sum(counts, call->sums, TD_CALL_SWITCHES);
	uint64_t migrations = sum(counts, call->sums, TD_CALL_MIGRATIONS);
	int pmu = counts->plan->groups[call->group].pmu;

	bucket->calls.counted++;
	bucket->calls.time_ns += time_ns;
	bucket->calls.cost_ns += call->time_ns - time_ns;
	bucket->calls.switched += switches > 0;
	bucket->calls.migrated += migrations > 0;
	bucket->facts.known = true;
	bucket->facts.waited_ns += waited_ns;
	bucket->facts.preempted_ns +=
		sum(counts, call->sums, TD_CALL_PREEMPTED_NS);
	bucket->facts.faults += sum(counts, call->sums, TD_CALL_FAULTS);
	bucket->facts.switches += switches;
	bucket->facts.migrations += migrations;
	if (pmu >= TD_REGION_PMUS)
		return;
	bucket->on[pmu]++;
	bucket->on_ns[pmu] += td_since(time_ns, waited_ns);
}

static void add_slow(const struct td_call_counts *counts,
		     struct td_timed *timed, const struct td_paired_call *call,
		     uint64_t time_ns)
{
	const struct td_slow_call slow = {
		.time_ns = time_ns,
		.start_ns = call->start_ns + counts->wall_ns,
		.tid = call->tid,
		.cpu = call->cpu,
	};

	td_timed_add_slow(timed, &slow);
}

/* A call that was on several kinds of core has counts of each. */
static void add_groups(const struct td_call_counts *counts,
		       struct td_call_bucket *bucket,
		       const struct td_paired_call *call)
{
	size_t nr = 0;

	for (size_t g = 0; g < counts->plan->nr_groups; g++) {
		uint64_t time_ns = sum(counts, call->sums, TD_CALL_GROUPS + g);

		if (!time_ns)
			continue;
		add_count(counts, &bucket->counts[g], g, call, time_ns);
		nr++;
	}
	bucket->calls.moved += nr > 1;
	bucket->calls.lost += !nr;
}

static int make_room(struct td_call_counts *counts, size_t function)
{
	while (counts->nr <= function) {
		if (!td_array_add(&counts->v, counts->nr, sizeof(*counts->v)))
			return -ENOMEM;
		counts->nr++;
	}
	return 0;
}

int td_call_counts_add(struct td_call_counts *counts, struct td_timed *timed,
		       const struct td_paired_call *call)
{
	size_t function = (size_t)call->function;
	uint64_t time_ns = td_since(call->time_ns, cost_ns_of(counts, call));
	struct td_call_bucket *bucket;

	if (make_room(counts, function))
		return -ENOMEM;
	bucket = &counts->v[function][td_region_bucket(time_ns)];
	if (!bucket->counts && begin_bucket(bucket, counts->plan))
		return -ENOMEM;
	td_durations_add(&timed[function].durations, time_ns);
	add_slow(counts, &timed[function], call, time_ns);
	add_facts(counts, bucket, call, time_ns);
	add_groups(counts, bucket, call);
	return 0;
}

static void free_bucket(const struct td_call_bucket *bucket,
			const struct td_plan *plan)
{
	for (size_t g = 0; bucket->counts && g < plan->nr_groups; g++)
		free(bucket->counts[g].values);
	free(bucket->counts);
}

void td_call_counts_free(struct td_call_counts *counts)
{
	for (size_t i = 0; i < counts->nr * TD_REGION_BUCKETS; i++)
		free_bucket(&counts->v[0][i], counts->plan);
	free(counts->v);
	*counts = (struct td_call_counts){ 0 };
}

/* --- regions ---------------------------------------------------------------- */

static int add_readings(struct td_batched *batched,
			const struct td_call_count *count,
			const struct td_group *group, int region)
{
	struct td_sums times = td_sums_of_parts(&count->times_ns, count->nr);
	int rc = 0;

	for (size_t i = 0; !rc && i < group->nr; i++) {
		struct td_sums values =
			td_sums_of_parts(&count->values[i], count->nr);
		const struct td_reading reading = {
			.event = group->members[i],
			.cpu = -1,
			.region = region,
		};

		rc = td_batched_add(batched, &reading, &values, &times);
	}
	return rc;
}

/* With nothing within it, a bucket is the same with and without it. */
static int add_region(const struct td_call_counts *counts,
		      struct td_regions *regions, struct td_batched *batched,
		      const struct td_call_bucket *bucket, const char *name,
		      bool own)
{
	struct td_region *region = td_regions_add(regions, name, own, false);
	int rc = 0;

	if (!region)
		return -ENOMEM;
	region->calls = bucket->calls;
	region->facts = bucket->facts;
	memcpy(region->on, bucket->on, sizeof(region->on));
	memcpy(region->on_ns, bucket->on_ns, sizeof(region->on_ns));
	for (size_t g = 0; !rc && g < counts->plan->nr_groups; g++) {
		if (bucket->counts[g].nr)
			rc = add_readings(batched, &bucket->counts[g],
					  &counts->plan->groups[g],
					  (int)regions->nr);
	}
	return rc;
}

/* "parse 1.2 - 1.6 us" */
static int add_bucket(const struct td_call_counts *counts,
		      struct td_regions *regions, struct td_batched *batched,
		      size_t function, unsigned int number)
{
	const struct td_call_bucket *bucket = &counts->v[function][number];
	td_autofree char *name = NULL;
	char bounds[TD_DURATION_NAME];
	int rc = 0;

	td_duration_bucket_name(bounds, number);
	if (asprintf(&name, "%s %s", regions->timed[function].name, bounds) <
	    0) {
		name = NULL;
		return -ENOMEM;
	}
	for (int own = 0; !rc && own <= 1; own++)
		rc = add_region(counts, regions, batched, bucket, name, own);
	/* both elements, which are the last ones */
	for (size_t i = regions->nr - 2; !rc && i < regions->nr; i++) {
		regions->v[i].timed = 1 + (int)function;
		regions->v[i].bucket = number;
	}
	return rc;
}

int td_call_counts_to_regions(const struct td_call_counts *counts,
			      struct td_regions *regions,
			      struct td_batched *batched)
{
	int rc = 0;

	for (size_t f = 0; f < counts->nr; f++) {
		for (unsigned int i = 0; !rc && i < TD_REGION_BUCKETS; i++) {
			if (counts->v[f][i].counts)
				rc = add_bucket(counts, regions, batched, f, i);
		}
	}
	td_batched_end(batched);
	return rc;
}
