/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_BATCHED_H
#define TD_LIB_COUNT_BATCHED_H

#include "lib/count/course.h"
#include "lib/region/layout.h"

/*
 * Counts of calls, or of samples, of which there are too many to keep each.  Those
 * that follow each other are in one batch, so that the batches differ as much as what
 * is counted does in the course of time.
 */
#define TD_BATCHES 16

/*
 * While they come, and nobody knows how many will, they are added up in parts: of one
 * call each, and of two, four and so on when there would be more parts than these.
 */
#define TD_PARTS TD_REGION_POINTS

struct td_parts {
	double v[TD_PARTS];
};

/* The sums of calls, or of windows, that a group has counts of. */
struct td_group_parts {
	uint64_t nr;
	struct td_parts times_ns;
	struct td_parts *values; /* of each member of the group; to be freed */
};

/* Makes room for so many members.  Returns 0 or -ENOMEM. */
int td_group_parts_begin(struct td_group_parts *parts, size_t nr_values);
/* Counts one more, and tells to which part its time and its values are to be added. */
size_t td_group_parts_next(struct td_group_parts *parts, size_t nr_values);

/* The batch of the index-th of nr calls. */
size_t td_batch_of(uint64_t index, uint64_t nr);

/* What was counted in each batch. */
struct td_sums {
	int64_t v[TD_BATCHES];
};

/*
 * Rounds so that the sum of all batches is rounded once.  A batch that is negative,
 * as small differences may be, becomes 0, and the others lose what it lacked.
 */
struct td_sums td_sums_round(const double batches[TD_BATCHES]);
/* The same of the parts of nr calls. */
struct td_sums td_sums_of_parts(const struct td_parts *parts, uint64_t nr);
int64_t td_sums_total(const struct td_sums *sums);

/* Readings, with a course whose points are the ends of the batches. */
struct td_batched {
	struct td_readings readings;
	struct td_course course;
};

/*
 * Adds a reading; its value and its times are set from the sums.  Returns 0 or
 * -ENOMEM.
 */
int td_batched_add(struct td_batched *batched, const struct td_reading *reading,
		   const struct td_sums *values, const struct td_sums *times);
/* Ends the course, after the last one. */
void td_batched_end(struct td_batched *batched);
void td_batched_free(struct td_batched *batched);

#endif
