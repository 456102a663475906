// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/diff/interval.h"

#include <math.h>

#include "lib/base/util.h"
#include "metrics/eval/finished.h"

#define ROUNDING 1e-12 /* relative error of computing a value */

void td_diff_sample_add(struct td_diff_sample *sample, double value, double counting)
{
	double delta = value - sample->mean;

	if (isnan(value))
		return;
	sample->nr++;
	sample->mean += delta / sample->nr;
	sample->m2 += delta * (value - sample->mean);
	sample->counting += counting;
}

/* Return the variance of one value of the side. */
static double variance(const struct td_diff_sample *sample, double least)
{
	return fmax(sample->m2 / (sample->nr - 1), least);
}

/* Return the square of the standard error of the difference; sets its degrees of freedom. */
static double welch(const struct td_diff_sample *a, const struct td_diff_sample *b, double least,
		    double *degrees)
{
	double of_a = variance(a, least) / a->nr;
	double of_b = variance(b, least) / b->nr, sum = of_a + of_b;

	*degrees = fmax(sum * sum / (of_a * of_a / (a->nr - 1) + of_b * of_b / (b->nr - 1)), 1);
	return sum;
}

/* Like welch(), for a single value on one side and several on the other. */
static double against_one(const struct td_diff_sample *several, double least, double *degrees)
{
	*degrees = several->nr - 1.;
	return variance(several, least) * (1 + 1. / several->nr);
}

struct td_diff_value td_diff_compare(const struct td_diff_sample *a, const struct td_diff_sample *b)
{
	struct td_diff_value value = {
		.of = { a->nr ? a->mean : NAN, b->nr ? b->mean : NAN },
		.error = NAN,
		.degrees = NAN,
		.chance = NAN,
	};

	value.diff = value.of[TD_DIFF_B] - value.of[TD_DIFF_A];
	if (a->nr && b->nr && a->nr + b->nr > 2) {
		double least = (a->counting + b->counting) / (a->nr + b->nr), degrees;
		double error = sqrt(a->nr == 1   ? against_one(b, least, &degrees)
				    : b->nr == 1 ? against_one(a, least, &degrees)
						 : welch(a, b, least, &degrees));

		if (error > ROUNDING * fmax(fabs(a->mean), fabs(b->mean))) {
			value.degrees = degrees;
			value.error = td_student(degrees) * error;
			value.chance = td_student_p_value(value.diff / error, degrees);
		} else {
			value.chance = value.diff == 0 ? 1 : td_separation_p_value(a->nr, b->nr);
		}
		value.clear = value.chance < TD_MAX_P_VALUE;
	}
	return value;
}

/* --- in percent ------------------------------------------------------------- */

#define PERCENT 100

struct td_diff_change td_diff_change_of(const struct td_diff_value *value)
{
	double a = value->of[TD_DIFF_A], b = value->of[TD_DIFF_B];
	struct td_diff_change change = { NAN, NAN, NAN, NAN };
	double ratio = b / a, mean = a == b ? a : (b - a) / log(ratio);
	double factor = exp(value->error / mean);

	if (!(a > 0))
		return change;
	change.pct = PERCENT * value->diff / a;
	if (!(b > 0) || isnan(value->error))
		return change;
	change.low = PERCENT * (ratio / factor - 1);
	change.high = PERCENT * (ratio * factor - 1);
	change.error = (change.high - change.low) / 2;
	return change;
}

/* --- probabilities --------------------------------------------------------- */

#define MAX_TERMS 500
#define EXACT     1e-15
#define TINY      1e-300

/* Return coefficient n of 26.5.8; odd ones are negative. */
static double coefficient(int n, double a, double b, double x)
{
	int m = n / 2;

	if (n % 2)
		return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
	return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
}

static double not_zero(double value)
{
	return fabs(value) < TINY ? TINY : value;
}

/*
 * Return 1 + c1 / (1 + c2 / ...), after W. J. Lentz, Generating Bessel Functions in Mie
 * Scattering Calculations Using Continued Fractions, Applied Optics 15, 1976.
 */
static double fraction(double a, double b, double x)
{
	double value = 1, c = 1, d = 0;

	for (int n = 1; n < MAX_TERMS; n++) {
		double by = coefficient(n, a, b, x);

		d = 1 / not_zero(1 + by * d);
		c = not_zero(1 + by / c);
		value *= c * d;
		if (fabs(c * d - 1) < EXACT)
			break;
	}
	return value;
}

/* Return the regularized incomplete beta function if its fraction converges. */
static double beta_from_0(double a, double b, double x)
{
	double log_front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);

	return exp(log_front) / a / fraction(a, b, x);
}

static double beta(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x > 0;
	return x < (a + 1) / (a + b + 2) ? beta_from_0(a, b, x) : 1 - beta_from_0(b, a, 1 - x);
}

double td_student_p_value(double t, double degrees)
{
	return beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double td_separation_p_value(unsigned int a, unsigned int b)
{
	double chance = a == b ? 2 : 1;

	for (unsigned int i = 1; i <= a; i++)
		chance *= (double)i / (b + i);
	return chance;
}

/* --- several tests ---------------------------------------------------------- */

struct weighted {
	const double *chances, *weights;
};

static int by_chance(const void *a, const void *b, void *family)
{
	const struct weighted *of = family;
	size_t i = *(const size_t *)a, j = *(const size_t *)b;
	double x = of->chances[i] / of->weights[i];
	double y = of->chances[j] / of->weights[j];

	return (x > y) - (x < y);
}

void td_holm_mark(const double *chances, const double *weights, size_t nr, bool *marked)
{
	td_autofree size_t *order = td_calloc(nr + 1, sizeof(*order));
	struct weighted family = { chances, weights };
	size_t left = 0;
	double weight = 0;

	for (size_t i = 0; i < nr; i++) {
		marked[i] = false;
		if (isnan(chances[i]))
			continue;
		order[left++] = i;
		weight += weights[i];
	}
	qsort_r(order, left, sizeof(*order), by_chance, &family);
	for (const size_t *i = order; left; i++, left--) {
		if (chances[*i] * weight > TD_MAX_P_VALUE * weights[*i])
			break;
		marked[*i] = true;
		weight -= weights[*i];
	}
}
