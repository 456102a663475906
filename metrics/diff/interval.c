// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/diff/interval.h"

#include <math.h>

#include "metrics/diff/chance.h"
#include "metrics/eval/errors.h"

#define ROUNDING 1e-12 /* of a value, by the way it was computed */

void td_diff_sample_add(struct td_diff_sample *sample, double value,
			double counting)
{
	double delta = value - sample->mean;

	if (isnan(value))
		return;
	sample->nr++;
	sample->mean += delta / sample->nr;
	sample->m2 += delta * (value - sample->mean);
	sample->counting += counting;
}

/* Of one value of the side. */
static double variance(const struct td_diff_sample *sample, double least)
{
	return fmax(sample->m2 / (sample->nr - 1), least);
}

/* The square of the standard error of the difference; sets its degrees. */
static double welch(const struct td_diff_sample *a,
		    const struct td_diff_sample *b, double least,
		    double *degrees)
{
	double of_a = variance(a, least) / a->nr;
	double of_b = variance(b, least) / b->nr, sum = of_a + of_b;

	*degrees = fmax(
		sum * sum /
			(of_a * of_a / (a->nr - 1) + of_b * of_b / (b->nr - 1)),
		1);
	return sum;
}

/* The same, of one value and several. */
static double against_one(const struct td_diff_sample *several, double least,
			  double *degrees)
{
	*degrees = several->nr - 1.;
	return variance(several, least) * (1 + 1. / several->nr);
}

static void set_interval(struct td_diff_value *value,
			 const struct td_diff_sample *a,
			 const struct td_diff_sample *b)
{
	double least = (a->counting + b->counting) / (a->nr + b->nr), degrees;
	double error = sqrt(a->nr == 1   ? against_one(b, least, &degrees)
			    : b->nr == 1 ? against_one(a, least, &degrees)
					 : welch(a, b, least, &degrees));

	if (error > ROUNDING * fmax(fabs(a->mean), fabs(b->mean))) {
		value->degrees = degrees;
		value->error = td_student(degrees) * error;
		value->chance =
			td_chance_of_student(value->diff / error, degrees);
	} else {
		value->chance = value->diff == 0
					? 1
					: td_chance_of_parting(a->nr, b->nr);
	}
	value->clear = value->chance < TD_CHANCE_MOST;
}

struct td_diff_value td_diff_compare(const struct td_diff_sample *a,
				     const struct td_diff_sample *b)
{
	struct td_diff_value value = {
		.of = { a->nr ? a->mean : NAN, b->nr ? b->mean : NAN },
		.error = NAN,
		.degrees = NAN,
		.chance = NAN,
	};

	value.diff = value.of[TD_DIFF_B] - value.of[TD_DIFF_A];
	if (a->nr && b->nr && a->nr + b->nr > 2)
		set_interval(&value, a, b);
	return value;
}
