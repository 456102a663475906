// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/diff/interval.h"

#include <math.h>

#include "metrics/diff/chance.h"
#include "metrics/eval/errors.h"

#define NORMAL 1.959964 /* of 95 % */

void td_diff_sample_add(struct td_diff_sample *sample, double value,
			double error)
{
	double delta = value - sample->mean;

	if (isnan(value))
		return;
	sample->nr++;
	sample->mean += delta / sample->nr;
	sample->m2 += delta * (value - sample->mean);
	sample->error = error;
}

/* The square of the standard error of the mean. */
static double variance(const struct td_diff_sample *sample)
{
	return sample->m2 / (sample->nr - 1) / sample->nr;
}

/* The standard error of the difference of the means, and its degrees. */
static double welch(const struct td_diff_sample *a,
		    const struct td_diff_sample *b, double *degrees)
{
	double of_a = variance(a), of_b = variance(b), sum = of_a + of_b;

	*degrees = fmax(
		sum * sum /
			(of_a * of_a / (a->nr - 1) + of_b * of_b / (b->nr - 1)),
		1);
	return sqrt(sum);
}

/* With an error of 0, all values of a side are the same. */
static double certain(const struct td_diff_value *value)
{
	return value->diff == 0;
}

static void compare_means(struct td_diff_value *value,
			  const struct td_diff_sample *a,
			  const struct td_diff_sample *b)
{
	double degrees, error = welch(a, b, &degrees);
	bool known = error > 0;

	value->error = known ? td_student(degrees) * error : 0;
	value->chance =
		known ? td_chance_of_student(value->diff / error, degrees)
		      : certain(value);
}

/* Half the width of a side's own interval. */
static double own_error(const struct td_diff_sample *sample)
{
	if (sample->nr == 1)
		return sample->error;
	return td_student(sample->nr - 1.) * sqrt(variance(sample));
}

/* Taken as normal: how many degrees these errors have was not kept. */
static void compare_errors(struct td_diff_value *value,
			   const struct td_diff_sample *a,
			   const struct td_diff_sample *b)
{
	value->error = hypot(own_error(a), own_error(b));
	if (isnan(value->error))
		return;
	value->chance = value->error > 0
				? td_chance_of_normal(NORMAL * value->diff /
						      value->error)
				: certain(value);
}

struct td_diff_value td_diff_compare(const struct td_diff_sample *a,
				     const struct td_diff_sample *b)
{
	struct td_diff_value value = {
		.of = { a->nr ? a->mean : NAN, b->nr ? b->mean : NAN },
		.error = NAN,
		.chance = NAN,
	};

	value.diff = value.of[TD_DIFF_B] - value.of[TD_DIFF_A];
	if (!a->nr || !b->nr)
		return value;
	if (a->nr > 1 && b->nr > 1)
		compare_means(&value, a, b);
	else
		compare_errors(&value, a, b);
	value.clear = fabs(value.diff) > value.error;
	return value;
}
