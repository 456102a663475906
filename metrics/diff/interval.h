/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_INTERVAL_H
#define TD_METRICS_DIFF_INTERVAL_H

#include <stdbool.h>

enum {
	TD_DIFF_A,
	TD_DIFF_B,
	TD_DIFF_SIDES
};

/* Means of the sides; what is not known is NaN. */
struct td_diff_value {
	double of[TD_DIFF_SIDES];
	double diff;  /* B minus A */
	double error; /* half the width of the difference's 95 % interval */
	bool clear;   /* the interval does not have 0 in it */
	/* how likely chance alone makes them differ as much; NaN: unknown */
	double chance;
};

/* The values of one side's recordings, as they are added. */
struct td_diff_sample {
	unsigned int nr;
	double mean, m2; /* as in td_spread */
	double error;    /* of the last value; NaN: unknown */
};

/* A value that is NaN was not counted, and is left out. */
void td_diff_sample_add(struct td_diff_sample *sample, double value,
			double error);
/*
 * The difference of the means, and half the width of its 95 % interval.  Of two
 * values, the errors are those of independent ones; with several, the interval is
 * of B. L. Welch, The Generalization of Student's Problem when Several Different
 * Population Variances are Involved, Biometrika 34, 1947.
 */
struct td_diff_value td_diff_compare(const struct td_diff_sample *a,
				     const struct td_diff_sample *b);

#endif
