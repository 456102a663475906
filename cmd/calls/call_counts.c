// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/calls/parts.h"

#include <math.h>

/* The calls of a function with similar durations. */
struct td_call_bucket {
	struct td_region region;       /* sums of these calls; without a name */
	struct td_group_parts *counts; /* one for each group; NULL: no calls */
};

/* --- sums ------------------------------------------------------------------- */

/* Returns the cost of the probes, in counts of an event. */
static double cost_of(const struct td_call_counts *counts, int function, int event)
{
	return counts->costs && counts->costs[function]->values
		       ? counts->costs[function]->values[event]
		       : 0;
}

static uint64_t cost_ns_of(const struct td_call_counts *counts, const struct td_paired_call *call)
{
	return counts->costs && counts->costs[call->function]->times_ns
		       ? counts->costs[call->function]->times_ns[call->group]
		       : 0;
}

/* PERF_METRICS fields may decrease slightly, so differences can be negative. */
static void add_count(const struct td_call_counts *counts, struct td_group_parts *parts, size_t at,
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
			value - (ended ? cost_of(counts, call->function, event) : 0);
	}
}

static uint64_t sum(const struct td_call_counts *counts, const uint64_t *sums, size_t which)
{
	return sums[counts->plan->events.nr + which];
}

static void add_facts(const struct td_call_counts *counts, struct td_call_bucket *bucket,
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
	bucket->region.facts.preempted_ns += sum(counts, call->sums, TD_CALL_PREEMPTED_NS);
	bucket->region.facts.faults += sum(counts, call->sums, TD_CALL_FAULTS);
	bucket->region.facts.switches += switches;
	bucket->region.facts.migrations += migrations;
	if (pmu >= TD_REGION_PMUS)
		return;
	bucket->region.on[pmu]++;
	bucket->region.took_ns[pmu] += time_ns;
	bucket->region.on_ns[pmu] += td_since(time_ns, waited_ns);
	bucket->region.interrupted_ns[pmu] += sum(counts, call->sums, TD_CALL_INTERRUPTED_NS);
}

/* A call that was on several core types has counts of each. */
static void add_groups(const struct td_call_counts *counts, struct td_call_bucket *bucket,
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

void td_call_counts_add(struct td_call_counts *counts, struct td_timed *timed,
			const struct td_paired_call *call)
{
	const struct td_plan *plan = counts->plan;
	size_t function = (size_t)call->function;
	uint64_t time_ns = td_since(call->time_ns, cost_ns_of(counts, call));
	const struct td_slow_call slow = {
		.time_ns = time_ns,
		.start_ns = call->start_ns + counts->wall_ns,
		.tid = call->tid,
		.cpu = call->cpu,
	};
	struct td_call_bucket *bucket;

	while (counts->nr <= function)
		td_array_add(&counts->v, counts->nr++, TD_REGION_BUCKETS * sizeof(*counts->v));
	bucket = &counts->v[function * TD_REGION_BUCKETS + td_region_bucket(time_ns)];
	if (!bucket->counts) {
		bucket->counts = td_calloc(plan->nr_groups + 1, sizeof(*bucket->counts));
		for (size_t g = 0; g < plan->nr_groups; g++)
			td_group_parts_begin(&bucket->counts[g], plan->groups[g].nr);
	}
	td_durations_add(&timed[function].durations, time_ns);
	td_timed_add_slow(&timed[function], &slow);
	add_facts(counts, bucket, call, time_ns);
	add_groups(counts, bucket, call);
}

void td_call_counts_free(struct td_call_counts *counts)
{
	for (size_t i = 0; i < counts->nr * TD_REGION_BUCKETS; i++) {
		struct td_group_parts *parts = counts->v[i].counts;

		for (size_t g = 0; parts && g < counts->plan->nr_groups; g++)
			free(parts[g].values);
		free(parts);
	}
	free(counts->v);
	*counts = (struct td_call_counts){ 0 };
}

/* --- regions ---------------------------------------------------------------- */

/* Consecutive buckets of a function that are one region. */
struct run {
	const struct td_call_bucket *first;
	size_t nr;
};

/* Sums up a member of a group; member -1 is the group's time. */
static struct td_sums sums_of(const struct run *run, size_t group, int member)
{
	struct td_sums all = { 0 };

	for (size_t i = 0; i < run->nr; i++) {
		const struct td_group_parts *count =
			run->first[i].counts ? &run->first[i].counts[group] : NULL;
		struct td_sums sums;

		if (!count || !count->nr)
			continue;
		sums = td_sums_from_parts(member < 0 ? &count->times_ns : &count->values[member],
					  count->nr);
		for (size_t b = 0; b < TD_BATCHES; b++)
			all.v[b] += sums.v[b];
	}
	return all;
}

/* Sums up the durations of calls that ended on the group's PMU. */
static uint64_t time_on(const struct run *run, const struct td_group *group)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < run->nr && group->pmu < TD_REGION_PMUS; i++)
		ns += run->first[i].region.took_ns[group->pmu];
	return ns;
}

static void add_readings(struct td_batched *batched, const struct td_call_counts *counts,
			 const struct run *run, size_t at, int region)
{
	const struct td_group *group = &counts->plan->groups[at];
	struct td_sums times = sums_of(run, at, -1);
	uint64_t uncounted_ns = counts->times_only ? time_on(run, group) : 0;

	if (!td_sums_total(&times) && !uncounted_ns)
		return;
	for (size_t i = 0; i < group->nr; i++) {
		struct td_sums values = sums_of(run, at, (int)i);
		const struct td_reading reading = {
			.event = group->members[i],
			.cpu = -1,
			.region = region,
		};

		td_batched_add(batched, &reading, &values, &times);
		/* the time in which the group has not counted */
		batched->readings.v[batched->readings.nr - 1].enabled_ns += uncounted_ns;
	}
}

/*
 * Adds a bucket as a region.  Own and inclusive counts are equal, because there are no inner
 * regions.  The slow calls, which are also in buckets, only have inclusive counts.
 */
static void add_regions(const struct td_call_counts *counts, struct td_regions *regions,
			struct td_batched *batched, size_t function, unsigned int bucket, bool slow)
{
	const struct run run = { &counts->v[function * TD_REGION_BUCKETS + bucket],
				 slow ? TD_REGION_BUCKETS - bucket : 1 };
	td_autofree char *name = td_timed_name(&regions->timed[function], bucket, slow);

	for (int own = 0; own < (slow ? 1 : 2); own++) {
		struct td_region *region = td_regions_add(regions, name, own, false);

		region->timed = 1 + (int)function;
		region->bucket = bucket;
		region->slow = slow;
		for (size_t i = 0; i < run.nr; i++)
			td_region_add_calls(region, &run.first[i].region);
		for (size_t g = 0; g < counts->plan->nr_groups; g++)
			add_readings(batched, counts, &run, g, (int)regions->nr);
	}
}

static void add_cost(const struct td_call_counts *counts, struct td_timed *timed, size_t function)
{
	size_t nr = counts->plan->events.nr;
	uint64_t *cost;

	if (!counts->costs || !counts->costs[function]->values)
		return;
	cost = td_timed_add_cost(timed, nr);
	for (size_t i = 0; i < nr; i++)
		cost[i] = (uint64_t)fmax(round(cost_of(counts, (int)function, (int)i)), 0);
}

void td_call_counts_to_regions(const struct td_call_counts *counts, struct td_regions *regions,
			       struct td_batched *batched)
{
	for (size_t f = 0; f < counts->nr; f++) {
		struct td_timed *timed = &regions->timed[f];
		uint64_t calls[TD_REGION_BUCKETS];

		add_cost(counts, timed, f);
		for (unsigned int i = 0; i < TD_REGION_BUCKETS; i++) {
			calls[i] = counts->v[f * TD_REGION_BUCKETS + i].region.calls.counted;
			if (calls[i])
				add_regions(counts, regions, batched, f, i, false);
		}
		td_timed_choose(timed, calls);
		if (timed->slow)
			add_regions(counts, regions, batched, f, timed->slow, true);
	}
	td_batched_end(batched);
}
