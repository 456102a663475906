// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/call_counts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* --- sums ------------------------------------------------------------------- */

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
		      struct td_group_parts *parts, size_t at,
		      const struct td_paired_call *call, uint64_t time_ns)
{
	const struct td_group *group = &counts->plan->groups[at];
	bool ended = at == (size_t)call->group;
	size_t part = td_group_parts_next(parts, group->nr);

	parts->times_ns.v[part] += (double)time_ns;
	for (size_t i = 0; i < group->nr; i++) {
		int event = group->members[i];
		double value = (double)(int64_t)call->sums[event];

		parts->values[i].v[part] +=
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
		if (td_group_parts_begin(&bucket->counts[g],
					 plan->groups[g].nr))
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

	bucket->region.calls.counted++;
	bucket->region.calls.time_ns += time_ns;
	bucket->region.calls.cost_ns += call->time_ns - time_ns;
	bucket->region.calls.switched += switches > 0;
	bucket->region.calls.migrated += migrations > 0;
	bucket->region.facts.known = true;
	bucket->region.facts.interrupts = counts->interrupts;
	bucket->region.facts.waited_ns += waited_ns;
	bucket->region.facts.preempted_ns +=
		sum(counts, call->sums, TD_CALL_PREEMPTED_NS);
	bucket->region.facts.faults += sum(counts, call->sums, TD_CALL_FAULTS);
	bucket->region.facts.switches += switches;
	bucket->region.facts.migrations += migrations;
	if (pmu >= TD_REGION_PMUS)
		return;
	bucket->region.on[pmu]++;
	bucket->region.took_ns[pmu] += time_ns;
	bucket->region.on_ns[pmu] += td_since(time_ns, waited_ns);
	bucket->region.interrupted_ns[pmu] +=
		sum(counts, call->sums, TD_CALL_INTERRUPTED_NS);
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
	bucket->region.calls.moved += nr > 1;
	bucket->region.calls.lost += !nr && !counts->times_only;
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

/* The buckets of a function that are one region. */
struct run {
	const struct td_call_bucket *first;
	size_t nr;
};

static void add_sums(struct td_sums *to, const struct td_parts *parts,
		     uint64_t nr)
{
	struct td_sums sums = td_sums_of_parts(parts, nr);

	for (size_t i = 0; i < TD_BATCHES; i++)
		to->v[i] += sums.v[i];
}

/* Of a member of a group; -1: of its time. */
static struct td_sums sums_of(const struct run *run, size_t group, int member)
{
	struct td_sums sums = { 0 };

	for (size_t i = 0; i < run->nr; i++) {
		const struct td_group_parts *count =
			run->first[i].counts ? &run->first[i].counts[group]
					     : NULL;

		if (count && count->nr)
			add_sums(&sums,
				 member < 0 ? &count->times_ns
					    : &count->values[member],
				 count->nr);
	}
	return sums;
}

/* How long calls took that ended on the group's PMU. */
static uint64_t time_on(const struct run *run, const struct td_group *group)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < run->nr && group->pmu < TD_REGION_PMUS; i++)
		ns += run->first[i].region.took_ns[group->pmu];
	return ns;
}

/* A reading of a group that has not counted meanwhile says so. */
static int add_reading(struct td_batched *batched,
		       const struct td_reading *reading,
		       const struct td_sums *values,
		       const struct td_sums *times, uint64_t uncounted_ns)
{
	int rc = td_batched_add(batched, reading, values, times);

	if (!rc)
		batched->readings.v[batched->readings.nr - 1].enabled_ns +=
			uncounted_ns;
	return rc;
}

static int add_readings(struct td_batched *batched,
			const struct td_call_counts *counts,
			const struct run *run, size_t at, int region)
{
	const struct td_group *group = &counts->plan->groups[at];
	struct td_sums times = sums_of(run, at, -1);
	uint64_t uncounted_ns = counts->times_only ? time_on(run, group) : 0;
	int rc = 0;

	if (!td_sums_total(&times) && !uncounted_ns)
		return 0;
	for (size_t i = 0; !rc && i < group->nr; i++) {
		struct td_sums values = sums_of(run, at, (int)i);
		const struct td_reading reading = {
			.event = group->members[i],
			.cpu = -1,
			.region = region,
		};

		rc = add_reading(batched, &reading, &values, &times,
				 uncounted_ns);
	}
	return rc;
}

/* What is to be set is set already. */
static int add_region(const struct td_call_counts *counts,
		      struct td_regions *regions, struct td_batched *batched,
		      const struct run *run, const struct td_region *like,
		      const char *name)
{
	struct td_region *region =
		td_regions_add(regions, name, like->own, false);
	int rc = 0;

	if (!region)
		return -ENOMEM;
	region->timed = like->timed;
	region->bucket = like->bucket;
	region->slow = like->slow;
	for (size_t i = 0; i < run->nr; i++)
		td_region_add_calls(region, &run->first[i].region);
	for (size_t g = 0; !rc && g < counts->plan->nr_groups; g++)
		rc = add_readings(batched, counts, run, g, (int)regions->nr);
	return rc;
}

/*
 * With nothing within it, a bucket is the same with and without that.  The slow calls
 * are in buckets already, and only inclusive.
 */
static int add_one(const struct td_call_counts *counts,
		   struct td_regions *regions, struct td_batched *batched,
		   size_t function, unsigned int bucket, bool slow)
{
	const struct run run = { &counts->v[function][bucket],
				 slow ? TD_REGION_BUCKETS - bucket : 1 };
	td_autofree char *name =
		td_timed_name(&regions->timed[function], bucket, slow);
	int rc = name ? 0 : -ENOMEM;

	for (int own = 0; !rc && own <= !slow; own++) {
		const struct td_region like = { .own = own,
						.timed = 1 + (int)function,
						.bucket = bucket,
						.slow = slow };

		rc = add_region(counts, regions, batched, &run, &like, name);
	}
	return rc;
}

static int add_function(const struct td_call_counts *counts,
			struct td_regions *regions, struct td_batched *batched,
			size_t function)
{
	struct td_timed *timed = &regions->timed[function];
	uint64_t calls[TD_REGION_BUCKETS];
	int rc = 0;

	for (unsigned int i = 0; !rc && i < TD_REGION_BUCKETS; i++) {
		calls[i] = counts->v[function][i].region.calls.counted;
		if (calls[i])
			rc = add_one(counts, regions, batched, function, i,
				     false);
	}
	if (rc)
		return rc;
	td_timed_choose(timed, calls);
	return timed->slow ? add_one(counts, regions, batched, function,
				     timed->slow, true)
			   : 0;
}

int td_call_counts_to_regions(const struct td_call_counts *counts,
			      struct td_regions *regions,
			      struct td_batched *batched)
{
	int rc = 0;

	for (size_t f = 0; !rc && f < counts->nr; f++)
		rc = add_function(counts, regions, batched, f);
	td_batched_end(batched);
	return rc;
}
