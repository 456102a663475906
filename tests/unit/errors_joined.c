// SPDX-License-Identifier: GPL-2.0-only
/* Errors of values that are joined of two runs, whose errors are known otherwise. */
#include "metrics/eval/finished.h"

#include "tests/unit/series.h"
#include "tests/unit/test.h"

/*
 * Adds a series whose mean is so much of the report's one value; 0: its run did
 * not count it.
 */
static void add_series(struct td_errors *errors, const struct series *s, double part)
{
	const struct td_row *row = errors->report->rows;
	struct td_cell seen = *row->cells, rest = *row->cells;
	struct td_row seen_row = *row, rest_row = *row;
	struct td_report whole = *errors->report, without = whole;

	seen.running_ns = part > 0 ? running_without(s, -1) : 0;
	seen_row.cells = &seen;
	rest_row.cells = &rest;
	rest_row.slots = row->slots - 1;
	whole.rows = &seen_row;
	without.rows = &rest_row;
	for (int i = 0; i < s->nr; i++) {
		rest.value = seen.value + part * (mean_without(s, i) - mean_without(s, -1));
		rest.running_ns = part > 0 ? running_without(s, i) : 0;
		td_errors_add(errors, &whole, &without);
	}
	td_errors_end_series(errors, &whole);
}

/*
 * The cell of a report whose one value is the mean of the means of two series,
 * or if alone, that of the first one: the second run did not count it.
 */
static struct td_cell joined_cell_of(const struct series *a, const struct series *b, bool alone,
				     double apart, bool together)
{
	double of_a = alone ? 1 : 0.5, of_b = 1 - of_a;
	struct td_cell cell = {
		.value = of_a * mean_without(a, -1) + of_b * mean_without(b, -1),
		.running_ns = running_without(a, -1),
		.error = NAN,
	};
	struct td_row row = { "all", "cpu", 100, .cells = &cell };
	struct td_report report = { .nr_columns = 1, .rows = &row, .nr_rows = 1 };
	struct td_errors errors;

	td_errors_begin(&errors, &report);
	errors.apart = apart;
	errors.v[0].together = together;
	add_series(&errors, a, of_a);
	add_series(&errors, b, of_b);
	td_errors_end(&errors);
	td_errors_free(&errors);
	return cell;
}

static void check_several(void)
{
	struct series a, b;
	double alone, both, wider;

	series_set(&a, 16, 10, 12);
	series_set(&b, 16, 30, 34);
	alone = cell_of(&a).error;
	ok(joined_cell_of(&a, &b, true, 0, false).error == alone,
	   "a run that did not count it changes nothing");
	ok(joined_cell_of(&a, &b, true, 0.1, false).error == alone,
	   "nor does that the runs differ");
	/*
	 * with 15 degrees of freedom each, and variances like 1 and 4, the sum
	 * has (1 + 4)^2 / (1 / 15 + 16 / 15) = 22: from a book's table
	 */
	both = joined_cell_of(&a, &b, false, 0, false).error;
	ok(test_near(both, hypot(alone, cell_of(&b).error) / 2 * 2.0739 / 2.1314, 1e-3),
	   "two runs: %g", both);
	/* the mean is 21.5 */
	wider = joined_cell_of(&a, &b, false, 0.1, false).error;
	ok(test_near(wider, hypot(both, 2.15), 1e-9), "of runs that are 10 %% apart: %g", wider);
	ok(joined_cell_of(&a, &b, false, 0.1, true).error == both,
	   "and whose runs counted all of it");
	series_set(&b, 16, 11, 11);
	ok(test_near(joined_cell_of(&a, &b, false, 0, false).error, alone / 2, 1e-9),
	   "one that never changes takes no degrees of freedom away");
	b.nr = 7;
	ok(joined_cell_of(&a, &b, false, 0, false).too_short, "seven batches of one are too few");
	ok(!joined_cell_of(&a, &b, true, 0, false).too_short,
	   "unless its run did not count the metric");
}

/* How many of 2,000 intervals hold the mean, which is 0, in per cent. */
static double coverage(int nr_a, double of_a, int nr_b, double of_b)
{
	uint64_t state = 2;
	int held = 0;

	for (int round = 0; round < 2000; round++) {
		struct series a = make_series(nr_a, of_a, &state);
		struct series b = make_series(nr_b, of_b, &state);
		struct td_cell cell = joined_cell_of(&a, &b, false, 0, false);

		held += fabs(cell.value) <= cell.error;
	}
	return held / 20.0;
}

static void check_coverage(void)
{
	static const struct {
		int nr_a;
		double of_a;
		int nr_b;
		double of_b;
	} rows[] = {
		{ 8, 0, 8, 0 },       { 16, 0, 16, 0 },     { 8, 0, 32, 0 },
		{ 16, 0.3, 16, 0.3 }, { 32, 0.3, 32, 0.3 }, { 32, 0.6, 32, 0 },
		{ 32, 0.6, 32, 0.6 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double got = coverage(rows[i].nr_a, rows[i].of_a, rows[i].nr_b, rows[i].of_b);

		ok(got >= 93 && got <= 97.5, "%d batches, correlation %g, and %d of %g: %.1f %%",
		   rows[i].nr_a, rows[i].of_a, rows[i].nr_b, rows[i].of_b, got);
	}
}

int main(void)
{
	check_several();
	check_coverage();
	return done_testing();
}
