// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/diff/interval.h"

#include <math.h>

#include "metrics/eval/errors.h"

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

static double welch(const struct td_diff_sample *a,
		    const struct td_diff_sample *b)
{
	double of_a = variance(a), of_b = variance(b), sum = of_a + of_b;
	double degrees =
		sum * sum /
		(of_a * of_a / (a->nr - 1) + of_b * of_b / (b->nr - 1));

	/* all values are the same */
	if (!(sum > 0))
		return 0;
	return td_student(fmax(degrees, 1)) * sqrt(sum);
}

/* Half the width of a side's own interval. */
static double own_error(const struct td_diff_sample *sample)
{
	if (sample->nr == 1)
		return sample->error;
	return td_student(sample->nr - 1.) * sqrt(variance(sample));
}

struct td_diff_value td_diff_compare(const struct td_diff_sample *a,
				     const struct td_diff_sample *b)
{
	struct td_diff_value value = {
		.of = { a->nr ? a->mean : NAN, b->nr ? b->mean : NAN },
		.error = NAN,
	};

	value.diff = value.of[TD_DIFF_B] - value.of[TD_DIFF_A];
	if (!a->nr || !b->nr)
		return value;
	value.error = a->nr > 1 && b->nr > 1
			      ? welch(a, b)
			      : hypot(own_error(a), own_error(b));
	value.clear = fabs(value.diff) > value.error;
	return value;
}
