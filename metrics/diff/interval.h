/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	TD_DIFF_A,
	TD_DIFF_B,
	TD_DIFF_SIDES
};

/* Means of the sides, and their difference.  NaN: unknown. */
struct td_diff_value {
	double of[TD_DIFF_SIDES];
	double diff;    /* B minus A */
	double error;   /* half the width of the difference's 95 % interval */
	double degrees; /* degrees of freedom of the interval */
	bool clear;     /* significant: chance is below 5 % */
	double chance;  /* probability of such a difference from noise alone; NaN: unknown */
};

/* The values of one side, added one recording at a time. */
struct td_diff_sample {
	unsigned int nr;
	double mean, m2; /* mean and sum of squared deviations, as in td_spread */
	double counting; /* sum of the counting variances of the values */
};

/*
 * Adds a value, unless it is NaN.  counting: the variance from counting random events, which exists
 * even if the program does not vary.  It equals the count (S. D. Poisson); 0: unknown.
 */
void td_diff_sample_add(struct td_diff_sample *sample, double value, double counting);
/*
 * Returns the difference of the means, and half the width of its 95 % interval.
 *
 * Several values per side: B. L. Welch, The Generalization of Student's Problem
 * when Several Different Population Variances are Involved, Biometrika 34, 1947.
 * Two counts of 1 do not prove that the count is always 1, so the variance of a
 * value is at least its counting variance.  That is the mean over both sides, as
 * if nothing had changed, because it would be 0 for a side whose counts are all
 * 0.  The degrees of freedom remain those of Welch, because the counts of most
 * events vary by more than Poisson's variance.
 *
 * A single value on one side: it is assumed to vary like the values of the other
 * side, so the difference has the variance s^2 (1 + 1 / n), with n - 1 degrees of
 * freedom (R. R. Sokal, F. J. Rohlf, Biometry, "Comparison of a single observation
 * with the mean of a sample").  A single value on both sides: the noise is unknown.
 *
 * Equal values on each side, without counting variance: values have steps, such
 * as that of PERF_METRICS, so they may have varied by less than a step.  The
 * interval is unknown.  The chance is that of td_separation_p_value(), which is
 * small for many values.
 */
struct td_diff_value td_diff_compare(const struct td_diff_sample *a,
				     const struct td_diff_sample *b);

/* Difference of B and A in percent of A; NaN: unknown. */
struct td_diff_change {
	double pct;
	double low, high; /* ends of the 95 % interval of pct */
	double error;     /* half the width of the interval */
};

/*
 * Returns the relative change.  Its interval is the test-based one of the ratio (O.
 * Miettinen, Estimability and Estimation in Case-Referent Studies, American Journal
 * of Epidemiology 103, 1976): with the error of the difference B - A,
 *
 *     B / A exp(+-error / mean),   mean = (B - A) / ln(B / A)
 *
 * It includes 0 % if the interval of the difference includes 0.  Unlike error / A, it
 * does not extend below -100 %.  Both sides must be above 0.
 */
struct td_diff_change td_diff_change_of(const struct td_diff_value *value);
/* Smaller changes are shown as 0.00 and ignored, even if they are significant. */
#define TD_DIFF_MIN 0.005

/* Level of significance, for all rows of a difference together, and of intervals. */
#define TD_MAX_P_VALUE 0.05

/*
 * Returns the probability that noise alone results in a Student's t at least that far
 * from 0, on either side (M. Abramowitz, I. Stegun, Handbook of Mathematical Functions,
 * 26.7.1), using the continued fraction of the incomplete beta function (26.5.8).
 */
double td_student_p_value(double t, double degrees);
/*
 * Returns the probability that noise alone results in one value for all a recordings
 * of a side, and in another value for all b of the other side: the share of such ways
 * to distribute these values to the sides, which are equally likely if nothing changed
 * (E. J. G. Pitman, Significance Tests Which May be Applied to Samples from any
 * Populations, Supplement to the Journal of the Royal Statistical Society 4, 1937).
 */
double td_separation_p_value(unsigned int a, unsigned int b);
/*
 * Marks the significant ones of nr tests by their chances: S. Holm, A Simple Sequentially Rejective
 * Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979.  If nothing changed, the
 * probability of any mark is at most TD_MAX_P_VALUE, whatever the number of tests and their
 * dependence.  A test of weight 2 is marked at twice the chance, at the expense of the others (the
 * weighted procedure in section 4).  NaN is ignored and never marked.
 */
void td_holm_mark(const double *chances, const double *weights, size_t nr, bool *marked);
