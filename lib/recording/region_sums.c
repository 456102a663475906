// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recording/region_sums.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* The name of the row that is outside of all regions, and of a region so called. */
#define OUTSIDE        "(outside)"
#define MARKED_OUTSIDE "(outside), a region"

/*
 * A call of so many times what an empty one counts is told from it.  By RDPMC it
 * also has to move the fields of PERF_METRICS by some steps, of a 255th of the
 * slots after which lib/region/call.c begins them anew.
 */
#define TIMES_THE_COST 10
#define LEAST_BY_RDPMC (4 * 2e6 / 255)

/* A record, where what its process was changing when it ended is as it was. */
struct record {
	const struct td_region_record *at;
	const struct td_region_head *head;
	const struct td_region_calls *calls;
};

static struct record make_record(const struct td_region_file *file,
				 const struct td_region_record *at)
{
	return (struct record){ at, file->head,
				at->pending ? &at->next : &at->calls };
}

static const struct td_region_batch *batch_of(const struct record *record,
					      unsigned int i)
{
	bool copy = record->at->pending == 1 + i;

	return td_region_batch_at(record->at, record->head->batch_size,
				  copy ? 0 : 1 + i);
}

/* --- cost ------------------------------------------------------------------- */

/*
 * What of a count is the counting itself: an empty call's own in each call, and
 * all that it costs in those of the calls around it.  inner, outer: of one.
 */
static double cost_of(const struct td_region_calls *calls, bool own,
		      double inner, double outer)
{
	uint64_t whole = calls->counted - calls->recursive;

	if (own)
		return (double)calls->counted * inner +
		       (double)calls->children * outer;
	return (double)whole * inner + (double)calls->nested * (inner + outer);
}

/* The outside is not between a begin and an end. */
static double cost_of_event(const struct record *record, bool own, size_t value,
			    int group)
{
	const struct td_region_calls *calls = record->calls;
	double inner = record->head->cost[0][value];
	double outer = record->head->cost[1][value];
	double part = calls->counted ? (double)calls->on[1 + group] /
					       (double)calls->counted
				     : 0;

	if (record->at->kind == TD_REGION_OUTSIDE)
		return part * (double)calls->children * outer;
	return part * cost_of(calls, own, inner, outer);
}

static double cost_of_time(const struct record *record, bool own)
{
	double inner = (double)record->head->cost_ns[0];
	double outer = (double)record->head->cost_ns[1];

	if (record->at->kind == TD_REGION_OUTSIDE)
		return (double)record->calls->children * outer;
	return cost_of(record->calls, own, inner, outer);
}

/* --- readings --------------------------------------------------------------- */

struct sums {
	int64_t v[TD_REGION_BATCHES];
};

static void pay(int64_t *sum, int64_t *owed)
{
	*sum += *owed;
	*owed = *sum < 0 ? *sum : 0;
	*sum -= *owed;
}

/*
 * Counts only grow, but a difference of steps may be less than nothing, and so may
 * what is left without the cost: it is taken off the batches behind, then off those
 * before.
 */
static void settle(struct sums *sums)
{
	int64_t owed = 0;

	for (size_t i = 0; i < TD_REGION_BATCHES; i++)
		pay(&sums->v[i], &owed);
	for (size_t i = 1; owed < 0 && i <= TD_REGION_BATCHES; i++)
		pay(&sums->v[TD_REGION_BATCHES - i], &owed);
}

/* Rounds the sum up to each batch, so that the whole is rounded once. */
static struct sums round_sums(const double batches[TD_REGION_BATCHES])
{
	struct sums sums;
	int64_t before = 0;
	double sum = 0;

	for (size_t i = 0; i < TD_REGION_BATCHES; i++) {
		sum += batches[i];
		sums.v[i] = llround(sum) - before;
		before += sums.v[i];
	}
	settle(&sums);
	return sums;
}

/* Calls are in the batches in turn, so that each has the same part of the cost. */
static struct sums sums_of_event(const struct record *record, bool own,
				 size_t value, int group, bool field)
{
	double cost = cost_of_event(record, own, value, group);
	size_t at = value + (own ? record->head->nr_values : 0);
	double unit = field ? 1.0 / TD_REGION_FIELD_WHOLE : 1;
	double batches[TD_REGION_BATCHES];

	for (unsigned int i = 0; i < TD_REGION_BATCHES; i++)
		batches[i] = unit * ((double)batch_of(record, i)->values[at] -
				     cost / TD_REGION_BATCHES);
	return round_sums(batches);
}

/* The time on a group's PMU. */
static struct sums times_of(const struct record *record, bool own, double part)
{
	double cost = cost_of_time(record, own);
	double batches[TD_REGION_BATCHES];

	for (unsigned int i = 0; i < TD_REGION_BATCHES; i++) {
		const struct td_region_batch *batch = batch_of(record, i);
		double ns = (double)(own ? batch->own_ns : batch->time_ns);

		batches[i] = part * (ns - cost / TD_REGION_BATCHES);
	}
	return round_sums(batches);
}

static int64_t sum_of(const struct sums *sums)
{
	int64_t sum = 0;

	for (size_t i = 0; i < TD_REGION_BATCHES; i++)
		sum += sums->v[i];
	return sum;
}

/*
 * The points of the course are filled with the batches; td_region_files_end() adds
 * them up.
 */
static int add_reading(struct td_region_files *files,
		       const struct td_reading *reading,
		       const struct sums *values, const struct sums *times)
{
	struct td_readings *readings = &files->readings;
	struct td_reading *slot =
		td_array_add(&readings->v, readings->nr, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	*slot = *reading;
	slot->value = (uint64_t)sum_of(values);
	slot->enabled_ns = slot->running_ns = (uint64_t)sum_of(times);
	for (size_t i = 0; i < TD_REGION_BATCHES; i++) {
		struct td_course_point *point = &files->course.points[i];
		struct td_course_sum *sum = td_array_add(
			&point->v, readings->nr, sizeof(*point->v));

		if (!sum)
			return -ENOMEM;
		*sum = (struct td_course_sum){ (uint64_t)values->v[i],
					       (uint64_t)times->v[i],
					       (uint64_t)times->v[i] };
	}
	readings->nr++;
	return 0;
}

static int add_readings(struct td_region_files *files,
			const struct record *record, int region, bool own)
{
	const struct td_region_calls *calls = record->calls;
	int rc = 0;

	for (size_t i = 0; !rc && i < files->nr_values; i++) {
		const struct td_region_value *value = &files->values[i];
		double part = (double)calls->on[1 + value->group] /
			      (double)calls->counted;
		struct sums values = sums_of_event(record, own, i, value->group,
						   value->field);
		struct sums times = times_of(record, own, part);
		const struct td_reading reading = {
			.event = value->event,
			.cpu = -1,
			.tid = (int)record->at->tid,
			.region = region,
		};

		/* shorter than the counting, and still it was there */
		if (part > 0 && !sum_of(&times))
			times.v[0] = 1;
		rc = add_reading(files, &reading, &values, &times);
	}
	return rc;
}

/* --- calls ------------------------------------------------------------------ */

/* The outside is never begun. */
static uint64_t open_calls(const struct record *record)
{
	const struct td_region_calls *calls = record->calls;

	return td_since(record->at->begun,
			calls->counted + calls->lost + calls->skipped);
}

static void add_calls(struct td_calls *to, const struct record *record,
		      bool own)
{
	const struct td_region_calls *from = record->calls;
	struct sums times = times_of(record, own, 1);

	to->counted += from->counted;
	to->recursive += from->recursive;
	to->lost += from->lost;
	to->skipped += from->skipped;
	to->open += open_calls(record);
	to->moved += from->moved;
	to->migrated += from->migrated;
	to->switched += from->switched;
	to->time_ns += (uint64_t)sum_of(&times);
	to->cost_ns += (uint64_t)cost_of_time(record, own);
	to->threads++;
}

static void add_on(const struct td_region_files *files,
		   struct td_region *region,
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
	return strcmp(record->at->name, OUTSIDE) == 0 ? MARKED_OUTSIDE
						      : record->at->name;
}

static int add_one(struct td_region_files *files, const struct record *record,
		   bool own)
{
	bool outside = record->at->kind == TD_REGION_OUTSIDE;
	const char *name = name_of(record);
	struct td_region *region = td_regions_find(&files->regions, name, own);
	int at;

	if (!region)
		region = td_regions_add(&files->regions, name, own, outside);
	if (!region)
		return -ENOMEM;
	at = 1 + (int)(region - files->regions.v);
	add_calls(&region->calls, record, own);
	add_on(files, region, record->calls);
	/* nothing is known of calls that were all lost */
	return record->calls->counted ? add_readings(files, record, at, own)
				      : 0;
}

static void note_least(struct td_region_files *files,
		       const struct td_region_head *head)
{
	double *least = &files->regions.least_slots;

	for (size_t i = 0; i < files->nr_values; i++) {
		bool first = !i || files->values[i].group !=
					   files->values[i - 1].group;

		if (first && head->cost[0][i] * TIMES_THE_COST > *least)
			*least = head->cost[0][i] * TIMES_THE_COST;
	}
	if (!head->by_read && *least < LEAST_BY_RDPMC)
		*least = LEAST_BY_RDPMC;
}

int td_region_files_add(struct td_region_files *files,
			const struct td_region_file *file,
			const struct td_region_record *at)
{
	const struct record record = make_record(file, at);

	note_least(files, file->head);
	/* as the outside has none within, it is only what adds up */
	if (at->kind != TD_REGION_OUTSIDE && add_one(files, &record, false))
		return -ENOMEM;
	return add_one(files, &record, true);
}

/* --- the end ------------------------------------------------------------- */

static void add_sum(struct td_course_sum *to, const struct td_course_sum *from)
{
	to->value += from->value;
	to->enabled_ns += from->enabled_ns;
	to->running_ns += from->running_ns;
}

/* It is the first of all that a thread has; in tables it comes last. */
static int put_outside_last(struct td_region_files *files)
{
	struct td_regions *regions = &files->regions;
	int at = 0, nr = (int)regions->nr;

	while (at < nr && !regions->v[at].outside)
		at++;
	if (at == nr)
		return 0;
	for (size_t i = 0; i < files->readings.nr; i++) {
		int *region = &files->readings.v[i].region;

		if (*region > at)
			*region = *region == at + 1 ? nr : *region - 1;
	}
	return td_regions_move_last(regions, (size_t)at);
}

/* Until now each point has its batch alone. */
int td_region_files_end(struct td_region_files *files)
{
	struct td_course *course = &files->course;
	size_t nr = files->readings.nr;

	if (put_outside_last(files))
		return -ENOMEM;
	if (!nr)
		return 0;
	for (size_t i = 0; i < TD_REGION_BATCHES; i++) {
		struct td_course_point *point = &course->points[i];

		point->time_ns = i;
		point->nr = nr;
		for (size_t r = 0; i && r < nr; r++)
			add_sum(&point->v[r], &course->points[i - 1].v[r]);
	}
	course->nr = TD_REGION_BATCHES;
	return 0;
}
