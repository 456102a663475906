/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_INTERVAL_H
#define TD_METRICS_DIFF_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

enum {
	TD_DIFF_A,
	TD_DIFF_B,
	TD_DIFF_SIDES
};

/* Means of the sides; what is not known is NaN. */
struct td_diff_value {
	double of[TD_DIFF_SIDES];
	double diff;    /* B minus A */
	double error;   /* half the width of the difference's 95 % interval */
	double degrees; /* of freedom, of the interval */
	/* chance alone makes them differ as much in less than 5 % of the diffs */
	bool clear;
	/* how likely chance alone makes them differ as much; NaN: unknown */
	double chance;
};

/* The values of one side's recordings, as they are added. */
struct td_diff_sample {
	unsigned int nr;
	double mean, m2; /* as in td_spread */
	double counting; /* sum of the variances that counting gives them */
};

/*
 * Adds a value; one that is NaN was not counted, and is left out.  counting is
 * the variance that the value has even if the program does not vary at all: of
 * the count of an event that comes at random, the count itself (S. D. Poisson).
 * 0: it is not known.
 */
void td_diff_sample_add(struct td_diff_sample *sample, double value,
			double counting);
/*
 * The difference of the means, and half the width of its 95 % interval.
 *
 * Several values a side: B. L. Welch, The Generalization of Student's Problem
 * when Several Different Population Variances are Involved, Biometrika 34,
 * 1947.  Two counts of 1 are no proof that it is always 1: the variance of a
 * value is at least what counting gives it, on the mean of both sides, as if
 * nothing had changed (that of a side whose counts are all 0 would be 0).  The
 * degrees of freedom stay those of Welch, as the counts of most events vary by
 * more than Poisson's variance.
 *
 * One value on one side: it varies as the several of the other side do, so the
 * difference has the variance s^2 (1 + 1 / n), with n - 1 degrees of freedom
 * (R. R. Sokal, F. J. Rohlf, Biometry, "Comparison of a single observation with
 * the mean of a sample").  One value on both sides: they tell nothing of
 * chance.
 *
 * All values of each side alike, without counting: values have steps, such as
 * that of PERF_METRICS, so they may have varied by less than one.  No interval
 * is known. The chance is td_chance_of_parting()'s, which is small if there are
 * many values.
 */
struct td_diff_value td_diff_compare(const struct td_diff_sample *a,
				     const struct td_diff_sample *b);

/* What B is more or less than A, in percent of A; what is not known is NaN. */
struct td_diff_change {
	double pct;
	double low, high; /* its 95 % interval */
	double error;     /* half the width of that */
};

/*
 * The interval is that of the ratio, as the test of the difference has it (O.
 * Miettinen, Estimability and Estimation in Case-Referent Studies, American Journal
 * of Epidemiology 103, 1976): with the error of the difference B - A,
 *
 *     B / A exp(+-error / mean),   mean = (B - A) / ln(B / A)
 *
 * It has 0 % in it if the interval of the difference has 0 in it, and no end below
 * -100 %, which error / A would have.  Both sides must be more than 0.
 */
struct td_diff_change td_diff_change_of(const struct td_diff_value *value);
/* Less than that is shown as 0.00: it is no change, however sure it is. */
#define TD_DIFF_LEAST 0.005

/*
 * What 95 % leave: the share of the diffs in which chance alone may mark a row, of
 * all its rows together, and that of the intervals which miss the difference.
 */
#define TD_CHANCE_MOST 0.05

/*
 * How likely chance alone gives a Student's t that far from 0, on either side:
 * M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 26.7.1, by the
 * continued fraction of the incomplete beta function, 26.5.8.
 */
double td_chance_of_student(double t, double degrees);
/*
 * How likely chance alone gives all a values of one side one value, and all b
 * of the other side another one: a share of the ways to deal the same values
 * out to sides of this size, which are equally likely if nothing changed (E. J.
 * G. Pitman, Significance Tests Which May be Applied to Samples from any
 * Populations, Supplement to the Journal of the Royal Statistical Society 4,
 * 1937).
 */
double td_chance_of_parting(unsigned int a, unsigned int b);
/*
 * Which of nr chances are too small for chance: S. Holm, A Simple Sequentially
 * Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979.
 * However many there are, and however they depend on each other, all of them are
 * right in all but TD_CHANCE_MOST of the diffs in which nothing changed.  NaN is no
 * test, and never marked.  Returns 0 or -ENOMEM.
 */
int td_chance_holm(const double *chances, size_t nr, bool *marked);

#endif
