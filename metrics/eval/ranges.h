/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_RANGES_H
#define TD_METRICS_EVAL_RANGES_H

#include "lib/count/course.h"
#include "lib/count/report.h"

/*
 * How the values of a report changed while it was counted: each batch of the
 * course is evaluated by itself.
 */
struct td_ranges {
	struct td_report *report; /* borrowed; its cells and rows get them */
	size_t nr;                /* number of batches */
	uint64_t nr_reads;        /* in all of them; 0: one in each */
	uint64_t elapsed_ns;      /* all of them */
	float *values;            /* [row][column][batch]; NaN: none */
	uint32_t *
		over; /* [row][column]: a bit for each batch over its threshold */
	float *slots; /* [row][batch]; NaN: unknown */
	/* [row][column]: how long the column's node had the most slots */
	uint64_t *ns;
};

/* Returns 0 or -ENOMEM; free it even then. */
int td_ranges_begin(struct td_ranges *ranges, struct td_report *report);
/* Adds a batch, which took ns: TD_COURSE_FEW at most. */
void td_ranges_add(struct td_ranges *ranges, const struct td_report *batch,
		   uint64_t ns);
/* Of cell number at, or of a row, in a batch; NaN: unknown. */
double td_ranges_value(const struct td_ranges *ranges, size_t at, size_t batch);
double td_ranges_slots(const struct td_ranges *ranges, size_t row,
		       size_t batch);
/* Was cell number at over its threshold in the batch? */
bool td_ranges_over(const struct td_ranges *ranges, size_t at, size_t batch);
/* The variance of the values of cell number at; 0 if there are less than two. */
double td_ranges_variance(const struct td_ranges *ranges, size_t at);
/* So many reads of equal length are as good as those of the row. */
double td_ranges_reads(const struct td_ranges *ranges, size_t row);
/* Sets each cell's low and high, and each row's phases, if there are enough. */
void td_ranges_end(struct td_ranges *ranges);
void td_ranges_free(struct td_ranges *ranges);

#endif
