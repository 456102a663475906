/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/timeline.h"
#include "lib/region/layout.h"

/*
 * Counts of calls or samples, too many to keep each.  A batch contains consecutive ones,
 * so that batches vary as the counts do over time.
 */
#define TD_BATCHES 16

/*
 * Maximum number of parts.  Each part sums one call; at the maximum, pairs of parts are
 * joined, so that a part sums two calls, then four and so on.
 */
#define TD_PARTS TD_REGION_POINTS

/* Sums of the calls or windows that a group counted. */
struct td_group_parts {
	uint64_t nr;
	struct td_parts {
		double v[TD_PARTS];
	} times_ns;
	struct td_parts *values; /* values of each member of the group; the caller frees them */
};

/* Allocates the sums of nr_values members. */
void td_group_parts_begin(struct td_group_parts *parts, size_t nr_values);
/* Counts one more call and returns the part to add its time and values to. */
size_t td_group_parts_next(struct td_group_parts *parts, size_t nr_values);

/* Returns the batch of the index-th of nr calls. */
size_t td_batch_of(uint64_t index, uint64_t nr);

/* Counts of each batch. */
struct td_sums {
	int64_t v[TD_BATCHES];
};

/*
 * Rounds batches so that the rounded batches add up to the rounded total.  A negative batch, which
 * small differences may cause, becomes 0 and is subtracted from the others.
 */
struct td_sums td_sums_round(const double batches[TD_BATCHES]);
/* Rounds the parts of nr calls. */
struct td_sums td_sums_from_parts(const struct td_parts *parts, uint64_t nr);
int64_t td_sums_total(const struct td_sums *sums);

/* Readings with a timeline whose points are the ends of the batches. */
struct td_batched {
	struct td_readings readings;
	struct td_timeline timeline;
};

/* Adds a reading; its value and its times are set from the sums. */
void td_batched_add(struct td_batched *batched, const struct td_reading *reading,
		    const struct td_sums *values, const struct td_sums *times);
/* Completes the timeline; call after the last td_batched_add(). */
void td_batched_end(struct td_batched *batched);
void td_batched_free(struct td_batched *batched);
