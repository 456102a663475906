/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_JACKKNIFE_H
#define TD_LIB_COUNT_JACKKNIFE_H

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
