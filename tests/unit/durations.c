// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/regions.h"

#include "lib/region/layout.h"
#include "tests/unit/test.h"

/* --- buckets ---------------------------------------------------------------- */

static void test_bounds(void)
{
	static const uint64_t starts[] = { 0, 100, 150, 200, 300, 400, 600, 800, 1200 };
	bool right = true;

	for (unsigned int i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		right &= td_region_bucket_ns(i) == starts[i];
	ok(right, "two buckets an octave, from 100 ns on");
	ok(td_region_bucket_ns(TD_REGION_BUCKETS - 1) > UINT64_C(200000000000),
	   "the last one begins at some minutes");
}

static void test_bucket_of(void)
{
	bool right = true;

	for (unsigned int i = 1; i < TD_REGION_BUCKETS; i++) {
		uint64_t start = td_region_bucket_ns(i);

		right &= td_region_bucket(start) == i && td_region_bucket(start - 1) == i - 1 &&
			 td_region_step(start) == TD_REGION_BUCKET_STEPS * i;
	}
	ok(right, "a bucket begins at its bound, and with a step");
	ok(td_region_step(UINT64_MAX) == TD_REGION_STEPS - 1, "there is a step for the longest");
	ok(td_region_bucket(0) == 0 && td_region_bucket(UINT64_MAX) == TD_REGION_BUCKETS - 1,
	   "the shortest and the longest");
}

static void test_bucket_names(void)
{
	char name[TD_DURATION_NAME];

	td_duration_bucket_name(name, 0);
	is_str(name, "under 100 ns", "the first bucket");
	td_duration_bucket_name(name, 1);
	is_str(name, "100 - 150 ns", "the unit stands once");
	td_duration_bucket_name(name, 7);
	is_str(name, "800 ns - 1.2 us", "or twice");
	td_duration_bucket_name(name, 29);
	is_str(name, "1.64 - 2.46 ms", "three digits");
	td_duration_bucket_name(name, TD_REGION_BUCKETS - 1);
	is_str(name, "215 s and more", "the last bucket");
}

static void test_text(void)
{
	char text[TD_DURATION_NAME];
	uint64_t ns;

	td_duration_text(text, 2100);
	is_str(text, "2.1 us", "microseconds");
	td_duration_text(text, 999960);
	is_str(text, "1 ms", "what rounds to the next unit is in it");
	td_duration_text(text, 1.5e12);
	is_str(text, "1500 s", "long");
	td_duration_text(text, NAN);
	is_str(text, "-", "not known");
	td_duration_word(text, 13107200);
	is_str(text, "13.1ms", "a word");
	ok(!td_duration_parse(text, &ns) && ns == 13100000, "which is read");
	td_duration_word(text, 100);
	ok(!td_duration_parse(text, &ns) && ns == 100, "the shortest one");
}

/* --- quantiles -------------------------------------------------------------- */

static struct td_durations durations;

static void test_few(void)
{
	durations = (struct td_durations){ 0 };
	ok(isnan(td_durations_quantile(&durations, 0.5)), "no calls");
	td_durations_add(&durations, 2000);
	ok(isnan(td_durations_quantile(&durations, 0.5)), "of one call no half is above");
	for (int i = 1; i < 1000; i++)
		td_durations_add(&durations, 2000);
	ok(!isnan(td_durations_quantile(&durations, 0.999)), "one of 1000 is above");
	ok(isnan(td_durations_quantile(&durations, 0.9999)), "not of 10000");
}

/* Each value once: the quantile of a share is that share of the largest. */
static void test_even(void)
{
	bool near = true;

	durations = (struct td_durations){ 0 };
	for (uint64_t ns = 1; ns <= 200000; ns++)
		td_durations_add(&durations, ns);
	for (double share = 0.001; share < 1; share += 0.001) {
		double got = td_durations_quantile(&durations, share);

		near &= fabs(got - share * 200000) <= 0.02 * share * 200000 + 1;
	}
	ok(near, "within 2 %%");
	ok(durations.max_ns == 200000, "the longest is exact");
}

static void test_same(void)
{
	static const uint64_t values[] = { 0, 100, 111, 12345, 87654321, UINT64_C(1) << 40 };
	bool near = true;

	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
		double want = (double)values[v];

		durations = (struct td_durations){ 0 };
		for (int i = 0; i < 2000; i++)
			td_durations_add(&durations, values[v]);
		near &= fabs(td_durations_quantile(&durations, 0.5) - want) <= 0.0625 * want;
	}
	ok(near, "calls of one duration: within a step of it");
}

static void test_two_populations(void)
{
	durations = (struct td_durations){ 0 };
	for (int i = 0; i < 99800; i++)
		td_durations_add(&durations, 2000);
	for (int i = 0; i < 200; i++)
		td_durations_add(&durations, 400000);
	ok(td_durations_quantile(&durations, 0.99) < 2200, "p99 is of the short ones");
	ok(fabs(td_durations_quantile(&durations, 0.999) - 400000) < 16000,
	   "p99.9 of the long ones");
}

static void test_longest(void)
{
	durations = (struct td_durations){ 0 };
	for (int i = 0; i < 4; i++)
		td_durations_add(&durations, UINT64_MAX);
	ok(td_durations_quantile(&durations, 0.5) >= 0x1p63, "any duration");
}

int main(void)
{
	test_bounds();
	test_bucket_of();
	test_bucket_names();
	test_text();
	test_few();
	test_even();
	test_same();
	test_two_populations();
	test_longest();
	return done_testing();
}
