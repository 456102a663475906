/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_COURSE_H
#define TD_LIB_COUNT_COURSE_H

#include "lib/count/readings.h"
#include "lib/count/report.h"

/*
 * The course of the counting within a row: how the sums stood after some of its
 * reads.  What lies between two of these points is a batch; how much a metric
 * differs from batch to batch tells its error.
 */

/* One reading's sum at a point. */
struct td_course_sum {
	uint64_t value, enabled_ns, running_ns;
};

struct td_course_point {
	uint64_t time_ns; /* as the reads' times */
	/* in the order of the row's readings; later ones were 0 then */
	struct td_course_sum *v;
	size_t nr;
};

/*
 * When there are so many points, every second one is dropped.  They are the
 * reads of a run of half a minute: how groups that took turns erred can only be
 * seen in stretches that are shorter than the phases of the program.  Of many
 * readings there are fewer, but not less than the second number.
 */
#define TD_COURSE_POINTS 512
#define TD_COURSE_FEW    32

struct td_course {
	struct td_course_point points[TD_COURSE_POINTS];
	size_t nr;
	uint64_t nr_reads;   /* those that added no point, too */
	uint64_t spacing_ns; /* reads sooner after the last point add none */
	bool behind;         /* the last read added none */
	/*
	 * Its batches are of calls or of samples, which stand for others that were
	 * not counted.  Else they are of time, and the row has all of it.
	 */
	bool samples;
};

/*
 * Adds a point after a read: sum is what the row has counted up to time_ns.
 * Readings may be appended to sum between two points, but not moved.  Returns 0
 * or -ENOMEM.
 */
int td_course_add(struct td_course *course, const struct td_readings *sum,
		  uint64_t time_ns);
/*
 * Makes the last point that of the last read, which was at time_ns, so that
 * every count is in a batch.  Returns 0 or -ENOMEM.
 */
int td_course_end(struct td_course *course, const struct td_readings *sum,
		  uint64_t time_ns);
/*
 * Sets rest to sum without what was counted in a batch (0 is that before the
 * first point).  events: which of them are left out, and only for how long they
 * ran, not for how long they were enabled; NULL: all, with all times.  The
 * caller owns rest and reuses it.  Returns 0 or -ENOMEM.
 */
int td_course_leave_out(const struct td_course *course, size_t batch,
			const bool *events, const struct td_readings *sum,
			struct td_readings *rest);
/*
 * Sets part to what was counted in a batch; the last one lasts until sum.  The
 * caller owns part and reuses it.  Returns 0 or -ENOMEM.
 */
int td_course_cut_out(const struct td_course *course, size_t batch,
		      const struct td_readings *sum, struct td_readings *part);
/*
 * Sets few to the same course in TD_COURSE_FEW batches or less, each of them of
 * equally many.  It borrows the sums of the points; it is not to be freed.
 */
void td_course_join(struct td_course *few, const struct td_course *course);
/* The length of a batch; the row began at start_ns. */
uint64_t td_course_batch_ns(const struct td_course *course, size_t batch,
			    uint64_t start_ns);
/* Returns 0 or -ENOMEM; td_course_free(to) even then. */
int td_course_copy(struct td_course *to, const struct td_course *from);
/* Begins a new row. */
void td_course_clear(struct td_course *course);
void td_course_free(struct td_course *course);

/* The counts of a row, which ended at time_ns, and their course. */
struct td_counted {
	uint64_t time_ns;
	const struct td_times *times;
	const struct td_readings *readings;
	const struct td_course *course;
};

/*
 * The error of what batches add up to: evaluated again without each of them, which
 * serves ratios of sums as well as formulas with max() (B. Efron, The Jackknife, the
 * Bootstrap and Other Resampling Plans, 1982).  What a program does in one batch
 * resembles what it does in the next, so the variance is that of an autoregressive
 * process of order 1.
 */

/* A value that was counted in fewer batches has no error. */
#define TD_MIN_BATCHES 8

/*
 * How a value differs when a batch is left out, summed over the batches of a series
 * in their order.
 */
struct td_jackknife {
	unsigned int nr;
	unsigned int nr_counted; /* batches in which all its events ran */
	double sum, squares, products, first, last;
};

/* What the differences of a series say. */
struct td_jackknifed {
	double variance, degrees; /* of the value; of freedom */
	double of_batch;          /* the variance between batches */
};

void td_jackknife_add(struct td_jackknife *jackknife, double difference);
struct td_jackknifed td_jackknife_end(const struct td_jackknife *jackknife);

/* The 97.5 % quantile of Student's distribution; degrees is 1 or more. */
double td_student(double degrees);

#endif
