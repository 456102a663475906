// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/batched.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

static const double nothing[TD_BATCHES];

/* --- rounding --------------------------------------------------------------- */

static bool none_negative(const struct td_sums *sums)
{
	for (size_t i = 0; i < TD_BATCHES; i++) {
		if (sums->v[i] < 0)
			return false;
	}
	return true;
}

static void test_rounding(void)
{
	double batches[TD_BATCHES], sum = 0;
	struct td_sums sums = td_sums_round(nothing);
	bool near = true;

	ok(td_sums_total(&sums) == 0 && none_negative(&sums), "nothing");
	for (size_t i = 0; i < TD_BATCHES; i++)
		sum += batches[i] = 0.4;
	sums = td_sums_round(batches);
	ok(td_sums_total(&sums) == llround(sum), "the whole is rounded, not sixteen times a part");
	for (size_t i = 0; i < TD_BATCHES; i++)
		near &= fabs((double)sums.v[i] - batches[i]) <= 1;
	ok(near && none_negative(&sums), "each is within one of what it was");
}

static void test_whole_numbers(void)
{
	double batches[TD_BATCHES];
	struct td_sums sums;
	bool same = true;

	for (size_t i = 0; i < TD_BATCHES; i++)
		batches[i] = (double)(i * 1000003);
	sums = td_sums_round(batches);
	for (size_t i = 0; i < TD_BATCHES; i++)
		same &= sums.v[i] == (int64_t)(i * 1000003);
	ok(same, "whole numbers stay");
}

/* In each place, so also at both ends. */
static void test_negative(void)
{
	bool right = true;

	for (size_t at = 0; at < TD_BATCHES; at++) {
		double batches[TD_BATCHES];
		struct td_sums sums;

		for (size_t i = 0; i < TD_BATCHES; i++)
			batches[i] = i == at ? -25 : 10;
		sums = td_sums_round(batches);
		right &= td_sums_total(&sums) == 10 * (TD_BATCHES - 1) - 25 &&
			 none_negative(&sums) && sums.v[at] == 0;
	}
	ok(right, "less than nothing is taken off the others");
}

static void test_less_in_all(void)
{
	double batches[TD_BATCHES] = { 5, -7 };
	struct td_sums sums = td_sums_round(batches);

	ok(td_sums_total(&sums) <= 0 && td_sums_total(&sums) >= -2,
	   "less than nothing in all stays little: %lld", (long long)td_sums_total(&sums));
}

/* Values that no counter can have, but a damaged record may. */
static void test_huge(void)
{
	double batches[TD_BATCHES];
	struct td_sums sums;

	for (size_t i = 0; i < TD_BATCHES; i++)
		batches[i] = i % 3 ? 0x1p64 : -0x1p64;
	sums = td_sums_round(batches);
	ok(td_sums_total(&sums) >= 0 && none_negative(&sums),
	   "more than 64 bits hold: no overflow");
}

/* --- readings --------------------------------------------------------------- */

static struct td_sums sums_of(int64_t first, int64_t step)
{
	struct td_sums sums;

	for (size_t i = 0; i < TD_BATCHES; i++)
		sums.v[i] = first + (int64_t)i * step;
	return sums;
}

static void test_readings(void)
{
	struct td_sums values = sums_of(100, 10), times = sums_of(1000, 0);
	struct td_sums others = sums_of(0, 3), longer = sums_of(2000, 1);
	struct td_batched b = { 0 };
	bool right = true;

	td_batched_end(&b);
	ok(b.timeline.nr == 0 && b.readings.nr == 0, "without readings");
	td_batched_add(
		&b,
		&(struct td_reading){ .event = 4, .cpu = -1, .tid = 9, .value = 1, .region = 2 },
		&values, &times);
	td_batched_add(&b, &(struct td_reading){ .event = 5, .region = 3 }, &others, &longer);
	td_batched_end(&b);
	ok(b.readings.nr == 2 && b.readings.v[0].event == 4 && b.readings.v[0].tid == 9 &&
		   b.readings.v[0].region == 2 && b.readings.v[1].region == 3,
	   "what is not counted is kept");
	ok(b.readings.v[0].value == 2800 && b.readings.v[0].enabled_ns == 16000 &&
		   b.readings.v[0].running_ns == 16000 && b.readings.v[1].value == 360 &&
		   b.readings.v[1].enabled_ns == 32120,
	   "the sums");
	ok(b.timeline.nr == TD_BATCHES, "a point for each batch");
	for (size_t i = 0; i < TD_BATCHES; i++) {
		struct td_readings part = { 0 };

		td_timeline_cut_out(&b.timeline, i, &b.readings, &part);
		right &= part.nr == 2 && part.v[0].value == (uint64_t)values.v[i] &&
			 part.v[0].running_ns == (uint64_t)times.v[i] &&
			 part.v[1].value == (uint64_t)others.v[i] &&
			 part.v[1].running_ns == (uint64_t)longer.v[i];
		free(part.v);
	}
	ok(right, "what is cut out is each batch");
	td_batched_free(&b);
	ok(!b.readings.nr && !b.timeline.nr, "freed");
}

int main(void)
{
	test_rounding();
	test_whole_numbers();
	test_negative();
	test_less_in_all();
	test_huge();
	test_readings();
	return done_testing();
}
