// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/jackknife.h"

#include <math.h>

#define NORMAL 1.959964 /* the 97.5 % quantile of the normal distribution */

/* There are formulas for 1 degree (Cauchy's distribution) and for 2. */
static double few_degrees(double degrees)
{
	return degrees < 2 ? tan(0.475 * M_PI) : 0.95 * sqrt(2 / (1 - 0.9025));
}

/*
 * Cornish and Fisher's expansion around the normal quantile (M. Abramowitz, I.
 * Stegun, Handbook of Mathematical Functions, 26.7.5): within 0.5 % from 3
 * degrees on, and too small below.
 */
double td_student(double degrees)
{
	double n = degrees, x = NORMAL;
	double x3 = x * x * x, x5 = x3 * x * x, x7 = x5 * x * x;
	double x9 = x7 * x * x;

	if (n < 3)
		return few_degrees(n);
	return x + (x3 + x) / (4 * n) +
	       (5 * x5 + 16 * x3 + 3 * x) / (96 * n * n) +
	       (3 * x7 + 19 * x5 + 17 * x3 - 15 * x) / (384 * n * n * n) +
	       (79 * x9 + 776 * x7 + 1482 * x5 - 1920 * x3 - 945 * x) /
		       (92160 * n * n * n * n);
}

void td_jackknife_add(struct td_jackknife *jackknife, double difference)
{
	if (jackknife->nr)
		jackknife->products += jackknife->last * difference;
	else
		jackknife->first = difference;
	jackknife->last = difference;
	jackknife->sum += difference;
	jackknife->squares += difference * difference;
	jackknife->nr++;
}

/*
 * The correlation of neighbours, with the bias of short series removed
 * (F. H. C. Marriott, J. A. Pope, Bias in the estimation of autocorrelations,
 * Biometrika 41, 1954).
 */
static double correlation(const struct td_jackknife *j, double mean,
			  double squares)
{
	double n = j->nr, r;

	if (!(squares > 0))
		return 0;
	r = j->products - mean * (2 * j->sum - j->first - j->last) +
	    (n - 1) * mean * mean;
	r /= squares;
	r += (1 + 3 * r) / n;
	return fmin(fmax(r, 0), 0.9);
}

/* The estimate of how batches resemble each other may leave too few. */
#define LEAST_DEGREES 3

struct td_jackknifed td_jackknife_end(const struct td_jackknife *j)
{
	double n = j->nr, mean = j->sum / n;
	double squares = fmax(j->squares - n * mean * mean, 0);
	double r = correlation(j, mean, squares);
	double longer = (1 + r) / (1 - r);

	return (struct td_jackknifed){
		.variance = (n - 1) / n * squares * longer,
		.degrees = fmax(j->nr_counted / longer - 1, LEAST_DEGREES),
		.of_batch = (n - 1) * squares,
	};
}
