/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/readings.h"
#include "lib/count/report.h"

/*
 * The timeline of a row: the sums of its counts after some of its reads.  The counts between
 * two of these points are a batch; the variation of a metric between batches gives its error.
 */

struct td_timeline_point {
	uint64_t time_ns; /* time on the clock of the reads */
	/* sums in the order of the row's readings; missing ones are 0 */
	/* One reading's sum at a point. */
	struct td_timeline_sum {
		uint64_t value, enabled_ns, running_ns;
	} * v;
	size_t nr;
};

/*
 * Maximum number of points; when it is reached, every second one is dropped.  These are
 * the reads of half a minute: the error of multiplexed groups is only visible in batches
 * that are shorter than the phases of the program.  With many readings the maximum is
 * lower, but at least TD_TIMELINE_FEW.
 */
#define TD_TIMELINE_POINTS 512
#define TD_TIMELINE_FEW    32

struct td_timeline {
	struct td_timeline_point points[TD_TIMELINE_POINTS];
	size_t nr;
	uint64_t nr_reads;   /* number of reads, including those that added no point */
	uint64_t spacing_ns; /* minimum time between two points */
	bool behind;         /* the last read added no point */
	/*
	 * batches are calls or samples, which also represent others that were not counted;
	 * otherwise, they cover the whole time of the row
	 */
	bool samples;
};

/*
 * Adds a point after a read: sum is the counts of the row up to time_ns.
 * Readings may be appended to sum between two points, but not moved.
 */
void td_timeline_add(struct td_timeline *timeline, const struct td_readings *sum, uint64_t time_ns);
/* Makes the last read, at time_ns, the last point, so that every count is in a batch. */
void td_timeline_end(struct td_timeline *timeline, const struct td_readings *sum, uint64_t time_ns);
/*
 * Sets rest to sum without a batch; batch 0 ends at the first point.  events selects the
 * events to leave out, except for their enabled times; NULL leaves out all events and
 * times.  The caller owns rest and reuses it.
 */
void td_timeline_leave_out(const struct td_timeline *timeline, size_t batch, const bool *events,
			   const struct td_readings *sum, struct td_readings *rest);
/*
 * Sets part to the counts of a batch; the last one ends with sum.  The caller owns part
 * and reuses it.
 */
void td_timeline_cut_out(const struct td_timeline *timeline, size_t batch,
			 const struct td_readings *sum, struct td_readings *part);
/*
 * Sets few to the timeline with equal numbers of batches joined, so that at most TD_TIMELINE_FEW
 * remain.  It borrows the sums of the points; do not free it.
 */
void td_timeline_join(struct td_timeline *few, const struct td_timeline *timeline);
/* Returns the duration of a batch; the row began at start_ns. */
uint64_t td_timeline_batch_ns(const struct td_timeline *timeline, size_t batch, uint64_t start_ns);
void td_timeline_copy(struct td_timeline *to, const struct td_timeline *from);
/* Empties the timeline for a new row. */
void td_timeline_clear(struct td_timeline *timeline);
void td_timeline_free(struct td_timeline *timeline);

/* The counts of a row that ended at time_ns, and their timeline. */
struct td_counted {
	uint64_t time_ns;
	const struct td_times *times;
	const struct td_readings *readings;
	const struct td_timeline *timeline;
};

/*
 * The error of a value.  The value is evaluated again without each of the batches, which suits
 * ratios of sums as well as formulas with max() (B. Efron, The Jackknife, the Bootstrap and Other
 * Resampling Plans, 1982).  Consecutive batches resemble each other, so the variance is that of an
 * autoregressive process of order 1.
 */

/* Minimum number of batches for an error. */
#define TD_MIN_BATCHES 8

/* Sums, over a series of batches, of the differences of a value without each batch. */
struct td_jackknife {
	unsigned int nr;
	unsigned int nr_counted; /* batches in which all its events ran */
	double sum, squares, products, first, last;
};

/* Result of a series of differences. */
struct td_jackknifed {
	double variance; /* variance of the value */
	double degrees;  /* degrees of freedom */
	double of_batch; /* variance between batches */
};

void td_jackknife_add(struct td_jackknife *jackknife, double difference);
struct td_jackknifed td_jackknife_end(const struct td_jackknife *jackknife);

/* Returns the 97.5 % quantile of Student's distribution; degrees is at least 1. */
double td_student(double degrees);

/* Returns the distance of the middle value from the range between its neighbours. */
double td_stands_out(double before, double middle, double after);
/* Expected square of td_stands_out() for three random values of variance 1. */
#define TD_STANDS_OUT 0.77860

/*
 * Do multiplexed groups of a PMU count different parts of the program, because it repeats itself in
 * the time of all turns?  Then their errors, which compare neighbouring turns of each group, are too
 * small.  The proof are instructions per reference event that differ from those of all groups, in
 * the same direction from batch to batch.  instructions: an event of the PMU, which several groups
 * count (td_clocks_add()); -1: not counted, which returns false.
 */
bool td_timeline_in_step(const struct td_timeline *timeline, const struct td_readings *sum,
			 const struct td_plan *plan, int pmu, int instructions);
