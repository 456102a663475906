// SPDX-License-Identifier: GPL-2.0-only
/* Errors of values that are means, whose errors are known otherwise. */
#include "metrics/eval/finished.h"

#include "tests/unit/series.h"
#include "tests/unit/test.h"

/* --- Student's distribution ----------------------------------------------- */

/* From the table of any book on statistics. */
static const struct {
	double degrees, want;
} quantiles[] = {
	{ 1, 12.706 }, { 2, 4.303 },  { 3, 3.182 },  { 4, 2.776 },   { 7, 2.365 },
	{ 10, 2.228 }, { 20, 2.086 }, { 31, 2.040 }, { 1e6, 1.960 },
};

static void check_quantiles(void)
{
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		double got = td_student(quantiles[i].degrees);

		ok(fabs(got - quantiles[i].want) < 0.005, "t of %g: %g", quantiles[i].degrees, got);
	}
}

/* --- single series -------------------------------------------------------- */

static void check_single(void)
{
	struct series s;
	double sd;

	/* neighbours that differ are not taken for more than they are */
	series_set(&s, 16, 10, 12);
	sd = sqrt(16.0 / 15);
	ok(test_near(cell_of(&s).error, 2.1314 * sd / 4, 1e-3), "a mean: t s / sqrt(n), %g",
	   cell_of(&s).error);
	for (int i = 0; i < 16; i++)
		s.v[i] = i < 8 ? 10 : 12;
	ok(cell_of(&s).error > 2 * 2.1314 * sd / 4, "two phases: much more, %g", cell_of(&s).error);
	series_set(&s, 8, 10, 12);
	ok(!cell_of(&s).too_short, "eight batches are enough");
	s.nr = 7;
	ok(isnan(cell_of(&s).error) && cell_of(&s).too_short, "seven are too few");
	series_set(&s, 16, 10, 12);
	for (int i = 0; i < 16; i += 2)
		s.slots[i] = 0;
	ok(cell_of(&s).error == 0 && !cell_of(&s).too_short,
	   "batches in which nothing ran are none: 8 of 16");
	s.slots[1] = 0;
	ok(cell_of(&s).too_short, "7 of 16 are too few");
}

/* A multiplexed group ran only in the first batches. */
static void check_turns(void)
{
	struct series s;

	series_set(&s, 16, 10, 12);
	s.nr_counted = 8;
	ok(!cell_of(&s).too_short, "it was counted in eight of sixteen");
	s.nr_counted = 7;
	ok(isnan(cell_of(&s).error) && cell_of(&s).too_short,
	   "in seven of sixteen, which tells no error");
}

static void check_steps(void)
{
	struct series s;

	series_set(&s, 16, 30, 30);
	s.step = 0.4;
	ok(test_near(cell_of(&s).error, 1.96 * 0.4 / sqrt(6), 1e-3),
	   "what never changes may be rounded: half a step, %g", cell_of(&s).error);
	series_set(&s, 16, 29, 31);
	s.step = 0.4;
	ok(test_near(cell_of(&s).error, 2.1314 * sqrt(16.0 / 15) / 4, 1e-3),
	   "what changes by more is rounded in both directions, %g", cell_of(&s).error);
}

/* --- many series of known correlation ------------------------------------- */

/* How many of 2,000 intervals hold the mean, which is 0, in per cent. */
static double coverage(int nr, double correlation)
{
	uint64_t state = 1;
	int held = 0;

	for (int round = 0; round < 2000; round++) {
		struct series s = make_series(nr, correlation, &state);
		struct td_cell cell = cell_of(&s);

		held += fabs(cell.value) <= cell.error;
	}
	return held / 20.0;
}

static void check_coverage(void)
{
	static const struct {
		int nr;
		double correlation, least, most;
	} rows[] = {
		{ 8, 0, 93, 98 },      { 16, 0, 93, 98 },   { 32, 0, 93, 98 },
		{ 16, 0.3, 92, 97 },   { 32, 0.3, 93, 97 }, { 32, 0.6, 91, 97 },
		{ 16, -0.3, 95, 100 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double got = coverage(rows[i].nr, rows[i].correlation);

		ok(got >= rows[i].least && got <= rows[i].most,
		   "%d batches, correlation %g: %.1f %% hold the truth", rows[i].nr,
		   rows[i].correlation, got);
	}
}

int main(void)
{
	check_quantiles();
	check_single();
	check_turns();
	check_steps();
	check_coverage();
	return done_testing();
}
