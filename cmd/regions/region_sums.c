// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/regions/region_sums.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* Names of the row outside of all regions, and of a region that has this name. */
#define OUTSIDE        "(outside)"
#define MARKED_OUTSIDE "(outside), a region"

/*
 * A call is distinguishable from an empty one if it counts this many times as much.  With
 * RDPMC it also has to move the fields of PERF_METRICS by a few steps, each a 255th of the
 * slots after which lib/region/call.c resets them.
 */
#define TIMES_THE_COST  10
#define MIN_SLOTS_RDPMC (4 * 2e6 / 255)

/*
 * A consistent view of a record, or of the calls of one of its buckets, even if its process
 * ended while changing it.
 */
struct record {
	const struct td_region_record *at;
	const struct td_region_head *head;
	const struct td_region_calls *calls;
	const struct td_region_sum *sum;
	const struct td_region_sum *points;
	uint64_t point_size;
	unsigned int nr_points;
};

static const struct td_region_sum *point_of(const struct record *record, unsigned int i)
{
	return (const void *)((const char *)record->points + i * record->point_size);
}

static struct record make_record(const struct td_region_file *file,
				 const struct td_region_record *at)
{
	uint64_t size = file->head->sum_size;

	return (struct record){
		.at = at,
		.head = file->head,
		.calls = at->pending ? &at->next : &at->calls,
		.sum = td_region_sum_at(at, size, at->pending ? TD_REGION_COPY : TD_REGION_SUM),
		.points = td_region_sum_at(at, size, TD_REGION_FIRST_POINT),
		.point_size = size,
		.nr_points = TD_REGION_POINTS,
	};
}

/* Return the valid side of a bucket: the other one if the record marks it as pending. */
static uint32_t side_of(const struct td_region_record *at, const struct td_region_bucket *bucket,
			unsigned int place)
{
	uint32_t other = !bucket->side;

	return at->pending == td_region_pending(place, other) ? other : bucket->side;
}

static struct record make_bucket(const struct record *of, const struct td_region_bucket *bucket,
				 uint32_t side)
{
	uint64_t nr = of->head->nr_values;

	return (struct record){
		.at = of->at,
		.head = of->head,
		.calls = &bucket->sides[side].calls,
		.sum = td_region_bucket_sum_at(bucket, nr, side),
		.points = td_region_bucket_sum_at(bucket, nr, TD_REGION_BUCKET_FIRST_POINT),
		.point_size = td_region_bucket_sum_size(nr),
		.nr_points = TD_REGION_BUCKET_POINTS,
	};
}

/* --- batches ---------------------------------------------------------------- */

/* Special indices of values: the times of a sum. */
enum {
	TIME = -1,
	OWN_TIME = -2,
};

static uint64_t value_of(const struct td_region_sum *sum, int value)
{
	if (value == TIME)
		return sum->time_ns;
	return value == OWN_TIME ? sum->own_ns : (uint64_t)sum->values[value];
}

/* The sums at the last point. */
struct since {
	uint64_t calls, value;
};

/* Add the growth since the last point, minus its cost, to the batch of its first call. */
static void add_until(const struct record *record, struct since *since, uint64_t calls,
		      uint64_t value, double cost, double batches[TD_BATCHES])
{
	size_t batch = td_batch_of(since->calls, record->calls->counted);

	batches[batch] +=
		(double)(int64_t)(value - since->value) - cost * (double)(calls - since->calls);
	*since = (struct since){ calls, value };
}

/* Fill the batches.  cost: the cost of all calls. */
static void fill_batches(const struct record *record, int value, double cost,
			 double batches[TD_BATCHES])
{
	uint64_t counted = record->calls->counted;
	double each = counted ? cost / (double)counted : 0;
	struct since since = { 0 };

	for (unsigned int i = 0; i < record->nr_points; i++) {
		const struct td_region_sum *point = point_of(record, i);

		if (point->counted > since.calls && point->counted < counted)
			add_until(record, &since, point->counted, value_of(point, value), each,
				  batches);
	}
	add_until(record, &since, counted, value_of(record->sum, value), each, batches);
}

/* --- cost ------------------------------------------------------------------- */

/*
 * Return the part of a count that the counting causes: the inner cost of an empty call for
 * each call, and its outer cost for each enclosed call.
 */
static double cost_of(const struct td_region_calls *calls, bool own, double inner, double outer)
{
	uint64_t whole = calls->counted - calls->recursive;

	if (own)
		return (double)calls->counted * inner + (double)calls->children * outer;
	return (double)whole * inner + (double)calls->nested * (inner + outer);
}

/* Return the cost of an event.  The outside only has outer costs. */
static double cost_of_event(const struct record *record, bool own, size_t value, int group)
{
	const struct td_region_calls *calls = record->calls;
	double inner = record->head->cost[0][value];
	double outer = record->head->cost[1][value];
	double part = calls->counted ? (double)calls->on[1 + group] / (double)calls->counted : 0;

	if (record->at->kind == TD_REGION_OUTSIDE)
		return part * (double)calls->children * outer;
	return part * cost_of(calls, own, inner, outer);
}

/* Return the mean cost of a call over all core types. */
static double mean_ns(const struct record *record, const uint64_t cost_ns[TD_REGION_GROUPS])
{
	const uint64_t *on = &record->calls->on[1];
	double calls = 0, ns = 0;

	for (size_t g = 0; g < TD_REGION_GROUPS; g++) {
		calls += (double)on[g];
		ns += (double)on[g] * (double)cost_ns[g];
	}
	return calls > 0 ? ns / calls : 0;
}

static double cost_of_time(const struct record *record, bool own)
{
	double inner = mean_ns(record, record->head->cost_ns[0]);
	double outer = mean_ns(record, record->head->cost_ns[1]);

	if (record->at->kind == TD_REGION_OUTSIDE)
		return (double)record->calls->children * outer;
	return cost_of(record->calls, own, inner, outer);
}

/* --- readings --------------------------------------------------------------- */

static struct td_sums sums_of_event(const struct record *record, bool own, size_t value, int group,
				    bool field)
{
	double cost = cost_of_event(record, own, value, group);
	size_t at = value + (own ? record->head->nr_values : 0);
	double batches[TD_BATCHES] = { 0 };

	fill_batches(record, (int)at, cost, batches);
	for (unsigned int i = 0; field && i < TD_BATCHES; i++)
		batches[i] /= TD_REGION_FIELD_WHOLE;
	return td_sums_round(batches);
}

/* Return the part of the time that was spent on the PMU of a group. */
static struct td_sums times_of(const struct record *record, bool own, double part)
{
	double batches[TD_BATCHES] = { 0 };

	fill_batches(record, own ? OWN_TIME : TIME, cost_of_time(record, own), batches);
	for (unsigned int i = 0; i < TD_BATCHES; i++)
		batches[i] *= part;
	return td_sums_round(batches);
}

static void add_readings(struct td_region_files *files, const struct record *record, int region,
			 bool own)
{
	const struct td_region_calls *calls = record->calls;

	for (size_t i = 0; i < files->nr_values; i++) {
		const struct td_region_value *value = &files->values[i];
		double part = (double)calls->on[1 + value->group] / (double)calls->counted;
		struct td_sums values = sums_of_event(record, own, i, value->group, value->field);
		struct td_sums times = times_of(record, own, part);
		const struct td_reading reading = {
			.event = value->event,
			.cpu = -1,
			.tid = (int)record->at->tid,
			.region = region,
		};

		/* shorter than the cost, but not zero */
		if (part > 0 && !td_sums_total(&times))
			times.v[0] = 1;
		td_batched_add(&files->counts, &reading, &values, &times);
	}
}

/* --- calls ------------------------------------------------------------------ */

/* Return the number of calls without an end; 0 outside of regions, which never begins. */
static uint64_t open_calls(const struct record *record)
{
	const struct td_region_calls *calls = record->calls;

	return td_since(record->at->begun, calls->counted + calls->lost + calls->skipped);
}

static void add_calls(struct td_calls *to, const struct record *record, bool own)
{
	const struct td_region_calls *from = record->calls;
	struct td_sums times = times_of(record, own, 1);

	to->counted += from->counted;
	to->recursive += from->recursive;
	to->lost += from->lost;
	to->skipped += from->skipped;
	to->moved += from->moved;
	to->migrated += from->migrated;
	to->switched += from->switched;
	to->time_ns += (uint64_t)td_sums_total(&times);
	to->cost_ns += (uint64_t)cost_of_time(record, own);
	to->threads++;
}

static void add_on(const struct td_region_files *files, struct td_region *region,
		   const struct td_region_calls *calls)
{
	bool done[TD_REGION_PMUS] = { false };

	for (size_t i = 0; i < files->nr_values; i++) {
		const struct td_region_value *value = &files->values[i];

		if (value->pmu >= TD_REGION_PMUS || done[value->pmu])
			continue;
		done[value->pmu] = true;
		region->on[value->pmu] += calls->on[1 + value->group];
	}
}

static const char *name_of(const struct record *record)
{
	if (record->at->kind == TD_REGION_OUTSIDE)
		return OUTSIDE;
	return strcmp(record->at->name, OUTSIDE) == 0 ? MARKED_OUTSIDE : record->at->name;
}

/* Return the region of the record, after adding its calls. */
static struct td_region *add_region(struct td_region_files *files, const struct record *record,
				    bool own)
{
	bool outside = record->at->kind == TD_REGION_OUTSIDE;
	const char *name = name_of(record);
	struct td_region *region = td_regions_find(&files->regions, name, own);

	if (!region)
		region = td_regions_add(&files->regions, name, own, outside);
	add_calls(&region->calls, record, own);
	region->calls.open += open_calls(record);
	add_on(files, region, record->calls);
	return region;
}

static void add_one(struct td_region_files *files, const struct record *record, bool own)
{
	const struct td_region *region = add_region(files, record, own);

	/* all calls may have been lost */
	if (record->calls->counted)
		add_readings(files, record, 1 + (int)(region - files->regions.v), own);
}

/* --- buckets ---------------------------------------------------------------- */

static struct td_timed *find_timed(struct td_region_files *files, const char *name)
{
	struct td_timed *timed = td_regions_find_timed(&files->regions, name);

	if (timed)
		return timed;
	timed = td_regions_add_timed(&files->regions, name);
	timed->engine = TD_BY_MARKS;
	return timed;
}

static void add_steps(struct td_durations *durations, const struct td_region_bucket *bucket,
		      uint32_t side)
{
	uint64_t *counts = durations->counts + (size_t)TD_REGION_BUCKET_STEPS * bucket->number;

	for (size_t i = 0; i < TD_REGION_BUCKET_STEPS; i++)
		counts[i] += bucket->sides[side].steps[i];
	durations->nr += bucket->sides[side].calls.counted;
}

/* Add the times to the PMUs on which the calls ended. */
static void add_times(const struct td_region_files *files, struct td_region *region,
		      const struct record *record, uint64_t waited_ns)
{
	bool done[TD_REGION_PMUS] = { false };

	for (size_t i = 0; i < files->nr_values; i++) {
		const struct td_region_value *value = &files->values[i];
		double part = (double)record->calls->on[1 + value->group] /
			      (double)record->calls->counted;
		struct td_sums times = times_of(record, false, part);
		uint64_t took_ns = (uint64_t)td_sums_total(&times);

		if (value->pmu >= TD_REGION_PMUS || done[value->pmu])
			continue;
		done[value->pmu] = true;
		region->took_ns[value->pmu] += took_ns;
		region->on_ns[value->pmu] +=
			td_since(took_ns, (uint64_t)(part * (double)waited_ns));
	}
}

static void add_bucket(struct td_region_files *files, const struct record *record,
		       struct td_timed *timed, const struct td_region_bucket *bucket, uint32_t side)
{
	struct record of_bucket = make_bucket(record, bucket, side);
	struct td_region *region;

	/* the process ended in its first call, or the bucket is damaged */
	if (!of_bucket.calls->counted || bucket->number >= TD_REGION_BUCKETS)
		return;
	region = td_regions_bucket(&files->regions, timed, bucket->number, false);
	add_steps(&timed->durations, bucket, side);
	add_calls(&region->calls, &of_bucket, false);
	add_on(files, region, of_bucket.calls);
	add_times(files, region, &of_bucket, bucket->sides[side].waited_ns);
	region->facts.known = region->facts.waiting_only = true;
	region->facts.waited_ns += bucket->sides[side].waited_ns;
	add_readings(files, &of_bucket, 1 + (int)(region - files->regions.v), false);
}

static void add_slowest(const struct td_region_files *files, const struct td_region_record *at,
			const struct td_region_buckets *buckets, struct td_timed *timed)
{
	for (size_t i = 0; i < TD_REGION_SLOWEST; i++) {
		const struct td_region_slow *slow = &buckets->slowest[i];
		const struct td_slow_call call = {
			.time_ns = slow->time_ns,
			.start_ns = slow->end_ns - slow->time_ns + files->wall_ns,
			.tid = (int)at->tid,
			.cpu = (int)slow->cpu,
		};

		if (!slow->time_ns || slow->time_ns > slow->end_ns || slow->cpu > INT_MAX)
			continue;
		td_timed_add_slow(timed, &call);
		if (slow->time_ns > timed->durations.max_ns)
			timed->durations.max_ns = slow->time_ns;
	}
}

static void add_buckets(struct td_region_files *files, const struct record *record)
{
	const struct td_region_buckets *buckets =
		td_region_buckets_of(record->at, record->head->sum_size);
	struct td_timed *timed = find_timed(files, name_of(record));

	for (unsigned int i = 1; i <= TD_REGION_PLACES; i++) {
		const struct td_region_bucket *bucket =
			td_region_bucket_at(buckets, record->head->nr_values, i);

		if (bucket->side <= 1)
			add_bucket(files, record, timed, bucket, side_of(record->at, bucket, i));
	}
	files->elsewhere += buckets->elsewhere;
	add_slowest(files, record->at, buckets, timed);
}

/* --- records ---------------------------------------------------------------- */

bool td_region_files_check(const struct td_region_file *file, const struct td_region_record *record)
{
	uint32_t max = file->head->buckets ? td_region_pending(TD_REGION_PLACES, 1) : 1;

	return record->pending <= max;
}

static void note_min_slots(struct td_region_files *files, const struct td_region_head *head)
{
	double *least = &files->regions.least_slots;

	for (size_t i = 0; i < files->nr_values; i++) {
		bool first = !i || files->values[i].group != files->values[i - 1].group;

		if (first && head->cost[0][i] * TIMES_THE_COST > *least)
			*least = head->cost[0][i] * TIMES_THE_COST;
	}
	if (!head->by_read && *least < MIN_SLOTS_RDPMC)
		*least = MIN_SLOTS_RDPMC;
}

/* Return true if the name is in the list "a,b". */
static bool is_wanted(const char *names, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = names; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, len) == 0 && (!at[len] || at[len] == ','))
			return true;
	}
	return false;
}

/* Add the name of a region, without counts, and its buckets if its calls are shown. */
static void add_timed_only(struct td_region_files *files, const struct record *record)
{
	if (record->at->kind == TD_REGION_OUTSIDE)
		return;
	add_region(files, record, false);
	if (record->head->buckets && is_wanted(files->names, name_of(record)))
		add_buckets(files, record);
}

void td_region_files_add(struct td_region_files *files, const struct td_region_file *file,
			 const struct td_region_record *at)
{
	const struct record record = make_record(file, at);

	note_min_slots(files, file->head);
	if (files->names) {
		add_timed_only(files, &record);
		return;
	}
	/* the outside only has own sums */
	if (at->kind != TD_REGION_OUTSIDE)
		add_one(files, &record, false);
	add_one(files, &record, true);
	if (file->head->buckets && at->kind != TD_REGION_OUTSIDE)
		add_buckets(files, &record);
}
