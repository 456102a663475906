// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/batched.h"

#include <math.h>

#include "lib/base/util.h"

/* Returns the number of calls per part if there are nr calls. */
static uint64_t part_size(uint64_t nr)
{
	return td_region_spacing(nr, TD_PARTS);
}

/* --- parts ------------------------------------------------------------------ */

/* Joins pairs of parts after their size has doubled. */
static void join(struct td_parts *parts)
{
	for (size_t i = 0; i < TD_PARTS / 2; i++)
		parts->v[i] = parts->v[2 * i] + parts->v[2 * i + 1];
	for (size_t i = TD_PARTS / 2; i < TD_PARTS; i++)
		parts->v[i] = 0;
}

void td_group_parts_begin(struct td_group_parts *parts, size_t nr_values)
{
	parts->values = td_calloc(nr_values + 1, sizeof(*parts->values));
}

size_t td_group_parts_next(struct td_group_parts *parts, size_t nr_values)
{
	uint64_t size = part_size(parts->nr + 1);

	if (size > part_size(parts->nr)) {
		join(&parts->times_ns);
		for (size_t i = 0; i < nr_values; i++)
			join(&parts->values[i]);
	}
	return (size_t)(parts->nr++ / size);
}

/*
 * Returns the batch of an index.  A last batch that is less than half full belongs to the previous
 * one.
 */
size_t td_batch_of(uint64_t index, uint64_t nr)
{
	uint64_t size = part_size(nr);
	uint64_t parts = (nr + size / 2) / size, part = index / size;

	if (part >= parts)
		part = parts ? parts - 1 : 0;
	return (size_t)(parts > TD_BATCHES ? part * TD_BATCHES / parts : part);
}

/* --- sums ------------------------------------------------------------------- */

static void pay(int64_t *sum, int64_t *owed)
{
	*sum += *owed;
	*owed = *sum < 0 ? *sum : 0;
	*sum -= *owed;
}

/*
 * Counts only grow, but the difference of two steps, or of a count and its cost, may be
 * negative: subtract it from the following batches, then from the preceding ones.
 */
static void settle(struct td_sums *sums)
{
	int64_t owed = 0;

	for (size_t i = 0; i < TD_BATCHES; i++)
		pay(&sums->v[i], &owed);
	for (size_t i = 1; owed < 0 && i <= TD_BATCHES; i++)
		pay(&sums->v[TD_BATCHES - i], &owed);
}

/* No counter reaches this, but a file may contain it: keeps sums within 64 bits. */
#define MAX_SUM 0x1p61

struct td_sums td_sums_round(const double batches[TD_BATCHES])
{
	struct td_sums sums;
	int64_t before = 0;
	double sum = 0;

	for (size_t i = 0; i < TD_BATCHES; i++) {
		sum += batches[i];
		sums.v[i] = llround(fmin(fmax(sum, -MAX_SUM), MAX_SUM)) - before;
		before += sums.v[i];
	}
	settle(&sums);
	return sums;
}

struct td_sums td_sums_from_parts(const struct td_parts *parts, uint64_t nr)
{
	uint64_t size = part_size(nr);
	double batches[TD_BATCHES] = { 0 };

	for (uint64_t i = 0; i < TD_PARTS; i++)
		batches[td_batch_of(i * size, nr)] += parts->v[i];
	return td_sums_round(batches);
}

int64_t td_sums_total(const struct td_sums *sums)
{
	int64_t sum = 0;

	for (size_t i = 0; i < TD_BATCHES; i++)
		sum += sums->v[i];
	return sum;
}

/* --- readings --------------------------------------------------------------- */

/* Until td_batched_end(), each point contains only its own batch. */
void td_batched_add(struct td_batched *batched, const struct td_reading *reading,
		    const struct td_sums *values, const struct td_sums *times)
{
	struct td_readings *readings = &batched->readings;
	struct td_reading *slot = td_array_add(&readings->v, readings->nr, sizeof(*slot));

	*slot = *reading;
	slot->value = (uint64_t)td_sums_total(values);
	slot->enabled_ns = slot->running_ns = (uint64_t)td_sums_total(times);
	for (size_t i = 0; i < TD_BATCHES; i++) {
		struct td_timeline_point *point = &batched->timeline.points[i];
		struct td_timeline_sum *sum =
			td_array_add(&point->v, readings->nr, sizeof(*point->v));

		*sum = (struct td_timeline_sum){ (uint64_t)values->v[i], (uint64_t)times->v[i],
						 (uint64_t)times->v[i] };
	}
	readings->nr++;
}

static void add_sum(struct td_timeline_sum *to, const struct td_timeline_sum *from)
{
	to->value += from->value;
	to->enabled_ns += from->enabled_ns;
	to->running_ns += from->running_ns;
}

void td_batched_end(struct td_batched *batched)
{
	struct td_timeline *timeline = &batched->timeline;
	size_t nr = batched->readings.nr;

	for (size_t i = 0; nr && i < TD_BATCHES; i++) {
		struct td_timeline_point *point = &timeline->points[i];

		point->time_ns = i;
		point->nr = nr;
		for (size_t r = 0; i && r < nr; r++)
			add_sum(&point->v[r], &timeline->points[i - 1].v[r]);
	}
	timeline->nr = nr ? TD_BATCHES : 0;
	timeline->samples = true;
}

void td_batched_free(struct td_batched *batched)
{
	free(batched->readings.v);
	td_timeline_free(&batched->timeline);
	*batched = (struct td_batched){ 0 };
}
