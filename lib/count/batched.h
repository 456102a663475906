/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_BATCHED_H
#define TD_LIB_COUNT_BATCHED_H

#include "lib/count/course.h"

/*
 * Counts that come in batches and not one after another: of what is called, or
 * sampled, in turns.
 */
#define TD_BATCHES 16

/* What was counted in each batch. */
struct td_sums {
	int64_t v[TD_BATCHES];
};

/*
 * Rounds, so that the whole is rounded once.  What is less than nothing in a
 * batch, as small differences may be, is taken off the others.
 */
struct td_sums td_sums_round(const double batches[TD_BATCHES]);
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
