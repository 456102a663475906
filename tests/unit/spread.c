// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/table/table.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/util.h"
#include "tests/unit/pace.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

#define MAX_VALUES 8

/* clang-format off */
/* The standard error of the mean. */
static const struct {
	const char *name;
	double v[MAX_VALUES];
	size_t nr;
	double mean, error; /* computed by hand */
} rows[] = {
	{ "none", .nr = 0, .mean = 0, .error = NAN },
	{ "one value", { 5 }, 1, 5, NAN },
	{ "twice the same", { 5, 5 }, 2, 5, 0 },
	/* the sum of squares is 2, so sd^2 = 2, and 2 / 2 = 1 */
	{ "two values", { 4, 6 }, 2, 5, 1 },
	/* the textbook's formula: sum of squares 32, 32 / 7 / 8 */
	{ "eight values", { 2, 4, 4, 4, 5, 5, 7, 9 }, 8, 5,
	  0.75592894601845 },
	/* 10, 0, 10: 200 / 2 / 3 */
	{ "negative ones", { -20, -10, 0 }, 3, -10, 5.773502691896258 },
	{ "all nothing", { 0, 0, 0 }, 3, 0, 0 },
	/* summing squares would lose all 16 digits */
	{ "large ones that lie close", { 1e15 + 1, 1e15 + 2, 1e15 + 3 }, 3,
	  1e15 + 2, 0.5773502691896258 },
	{ "one that is no number", { 1, NAN, 2 }, 3, NAN, NAN },
};
/* clang-format on */

/* The standard error by definition, in two passes. */
static double two_passes(const double *v, size_t nr)
{
	double mean = 0, squares = 0;

	if (nr < 2)
		return NAN;
	for (size_t i = 0; i < nr; i++)
		mean += v[i] / (double)nr;
	for (size_t i = 0; i < nr; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	return sqrt(squares / ((double)nr - 1)) / sqrt((double)nr);
}

static void test_values(size_t r)
{
	struct td_spread spread = { 0 };
	double error;

	for (size_t i = 0; i < rows[r].nr; i++)
		td_spread_add(&spread, rows[r].v[i]);
	error = td_spread_error(&spread);
	ok(test_near(spread.mean, rows[r].mean, 1e-15), "%s: mean %g", rows[r].name, spread.mean);
	ok(test_near(error, rows[r].error, 1e-12), "%s: error %g", rows[r].name, error);
}

/* A thousand pseudo-random values, the same in each run. */
static void test_many(void)
{
	struct td_spread spread = { 0 };
	double v[1000];
	uint32_t x = 12345;

	for (size_t i = 0; i < TD_ARRAY_SIZE(v); i++) {
		x = x * 1664525 + 1013904223;
		v[i] = 1e9 + x / 4096.0;
		td_spread_add(&spread, v[i]);
		if (i > 0 && i % 250 != 249)
			continue;
		ok(test_near(td_spread_error(&spread), two_passes(v, i + 1), 1e-9),
		   "%zu values: %g", i + 1, td_spread_error(&spread));
	}
}

/* --- metrics -------------------------------------------------------------- */

#define NR_COLUMNS 2

struct report_row {
	const char *id, *pmu;
	struct td_cell cells[NR_COLUMNS];
};

static const struct td_column columns[NR_COLUMNS] = {
	{ "tma_retiring", "%", true },
	{ "ipc", "", true },
};

static struct td_report make_report(const struct report_row *from, size_t nr,
				    struct td_row *rows_out, struct td_cell cells[][NR_COLUMNS])
{
	for (size_t i = 0; i < nr; i++) {
		memcpy(cells[i], from[i].cells, sizeof(cells[i]));
		rows_out[i] =
			(struct td_row){ .id = from[i].id, .pmu = from[i].pmu, .cells = cells[i] };
	}
	return (struct td_report){ 0, columns, NR_COLUMNS, rows_out, nr };
}

static void add_report(struct td_spreads *spreads, const struct report_row *from, size_t nr)
{
	struct td_cell cells[3][NR_COLUMNS];
	struct td_row out[3];
	const struct td_report report = make_report(from, nr, out, cells);

	td_spreads_add_report(spreads, &report);
}

/* clang-format off */
/* Runs with ids and PMUs in different order, some of them missing. */
static const struct report_row runs[3][3] = {
	{ { "CPU0", "cpu_core", { OK(4), OK(1) } },
	  { "CPU1", "cpu_core", { OK(10), LOST } },
	  { "CPU4", "cpu_atom", { OK(1), NONE } } },
	{ { "CPU4", "cpu_atom", { OK(3), NONE } },
	  { "CPU0", "cpu_core", { OK(6), OK(1) } },
	  { "CPU1", "cpu_core", { OK(20), LOST } } },
	{ { "CPU4", "cpu_atom", { LOST, NONE } },
	  { "CPU1", "cpu_core", { OK(30), OK(5) } },
	  { "CPU0", "cpu_core", { OK(5), OK(1) } } },
};

static const struct {
	const char *id, *pmu;
	double error[NR_COLUMNS];
	double quantile; /* Student's, 97.5 %, for the runs of the first one */
} want_errors[] = {
	{ "CPU0", "cpu_core", { 0.5773502691896258, 0 },
	  4.302652729911275 }, /* 4 6 5; 1 1 1 */
	{ "CPU1", "cpu_core", { 5.773502691896258, NAN },
	  4.302652729911275 }, /* 10 20 30; 5 */
	{ "CPU4", "cpu_atom", { 1, NAN },
	  12.706204736432095 }, /* 1 3 */
	{ "CPU4", "cpu_core", { NAN, NAN },
	  NAN }, /* was in no run */
};
/* clang-format on */

static void test_reports(void)
{
	struct td_spreads spreads = { 0 };

	for (size_t run = 0; run < TD_ARRAY_SIZE(runs); run++)
		add_report(&spreads, runs[run], 3);
	for (size_t i = 0; i < TD_ARRAY_SIZE(want_errors); i++) {
		const struct report_row mean = { want_errors[i].id,
						 want_errors[i].pmu,
						 { OK(7), OK(7) } };
		struct td_cell cells[1][NR_COLUMNS];
		struct td_row out[1];
		struct td_report report = make_report(&mean, 1, out, cells);

		td_spreads_fill_report(&spreads, &report);
		for (size_t c = 0; c < NR_COLUMNS; c++)
			ok(test_near(cells[0][c].runs_error, want_errors[i].error[c], 1e-12) &&
				   test_near(cells[0][c].value, 7, 0),
			   "%s %s, %s: %g", mean.id, mean.pmu, columns[c].name,
			   cells[0][c].runs_error);
		ok(test_near(cells[0][0].error, want_errors[i].quantile * want_errors[i].error[0],
			     1e-9),
		   "%s %s: half of the interval: %g", mean.id, mean.pmu, cells[0][0].error);
	}
	td_spreads_free(&spreads);
	ok(!spreads.nr && !spreads.v, "freed");
}

/* A run of which no task was on the PMU had none of the slots there. */
static void test_shares(void)
{
	static const double shares[] = { 90, NAN, 30 };
	const struct report_row from = { "all", "cpu_core", { OK(7), OK(7) } };
	struct td_spreads spreads = { 0 };
	struct td_cell cells[1][NR_COLUMNS];
	struct td_row out[1];
	struct td_report report = make_report(&from, 1, out, cells);

	for (size_t run = 0; run < TD_ARRAY_SIZE(shares); run++) {
		out[0].share_pct = shares[run];
		out[0].absent = isnan(shares[run]);
		td_spreads_add_report(&spreads, &report);
	}
	td_spreads_fill_report(&spreads, &report);
	ok(out[0].share_least == 0 && out[0].share_most == 90, "from 0 to 90 %%: %g, %g",
	   out[0].share_least, out[0].share_most);
	out[0].pmu = "cpu_atom";
	td_spreads_fill_report(&spreads, &report);
	ok(isnan(out[0].share_least) && isnan(out[0].share_most), "in no run");
	td_spreads_free(&spreads);
}

/*
 * Two runs with the same rounding error of 0.2 points, of which the second paused: the mean is not
 * more accurate than either run.
 */
static void test_alike(void)
{
	struct td_spreads spreads = { 0 };
	struct td_cell cells[1][NR_COLUMNS];
	struct td_row out[1];
	struct report_row run = { "all", "cpu", { OK(25), OK(1) } };
	struct td_report report;
	double values[NR_COLUMNS];

	run.cells[0].systematic_error = 0.2;
	add_report(&spreads, &run, 1);
	run.cells[1].value = 3;
	run.cells[1].paused = true;
	add_report(&spreads, &run, 1);
	run.cells[1].value = 7;
	report = make_report(&run, 1, out, cells);
	td_spreads_fill_report(&spreads, &report);
	ok(test_near(cells[0][0].runs_error, 0, 1e-12) && test_near(cells[0][0].error, 0.2, 1e-12),
	   "alike: runs that do not differ have the error of each");
	ok(td_spreads_find_paused(&spreads, &report, values), "alike: one was paused");
	ok(isnan(values[0]) && test_near(values[1], 2, 1e-12),
	   "alike: the mean of what it was in each run");
	td_spreads_free(&spreads);
}

/* --- events --------------------------------------------------------------- */

#define MAX_ROWS 3

struct event {
	const char *id, *cgroup, *event;
	enum td_status status;
	double value;
	double error_pct; /* the report of the means */
	int which;        /* event of the plan; 0: derived from its name */
};

/* clang-format off */
#define GONE TD_STATUS_NOT_COUNTED, NAN

static const struct {
	const char *name;
	struct event runs[3][MAX_ROWS];
	int nr_runs;
	struct event mean[MAX_ROWS];
} events[] = {
	/* 1 of 5, 5.77 of 20 */
	{ "two events",
	  { { { "all", NULL, "a", 0, 4 }, { "all", NULL, "b", 0, 20 } },
	    { { "all", NULL, "a", 0, 6 }, { "all", NULL, "b", 0, 10 } },
	    { { "all", NULL, "a", 0, 5 }, { "all", NULL, "b", 0, 30 } } }, 3,
	  { { "all", NULL, "a", 0, 5, 11.547005383792516 },
	    { "all", NULL, "b", 0, 20, 28.86751345948129 } } },
	{ "one run", { { { "all", NULL, "a", 0, 4 } } }, 1,
	  { { "all", NULL, "a", 0, 4, NAN } } },
	{ "no run", { { { NULL } } }, 0,
	  { { "all", NULL, "a", 0, 4, NAN } } },
	{ "in another order, and in cgroups",
	  { { { "CPU0", "x", "a", 0, 4 }, { "CPU0", "y", "a", 0, 8 },
	      { "CPU1", "x", "a", 0, 100 } },
	    { { "CPU1", "x", "a", 0, 300 }, { "CPU0", "y", "a", 0, 8 },
	      { "CPU0", "x", "a", 0, 6 } } }, 2,
	  { { "CPU0", "x", "a", 0, 5, 20 }, { "CPU0", "y", "a", 0, 8, 0 },
	    { "CPU1", "x", "a", 0, 200, 50 } } },
	{ "one run did not count it",
	  { { { "all", NULL, "a", 0, 4 } }, { { "all", NULL, "a", GONE } },
	    { { "all", NULL, "a", 0, 6 } } }, 3,
	  { { "all", NULL, "a", 0, 5, 20 } } },
	{ "only one run did count it",
	  { { { "all", NULL, "a", GONE } }, { { "all", NULL, "a", 0, 6 } } },
	  2, { { "all", NULL, "a", 0, 6, NAN } } },
	{ "no run did",
	  { { { "all", NULL, "a", GONE } }, { { "all", NULL, "a", GONE } } },
	  2, { { "all", NULL, "a", GONE, NAN } } },
	/* 0 of 0 is 0, as in perf's rel_stddev_stats() */
	{ "nothing in each run",
	  { { { "all", NULL, "a", 0, 0 } }, { { "all", NULL, "a", 0, 0 } } },
	  2, { { "all", NULL, "a", 0, 0, 0 } } },
	/* an event typed twice has two errors: 1 of 5, and 0 of 500 */
	{ "the same event, typed twice",
	  { { { "all", NULL, "a", 0, 4 }, { "all", NULL, "a", 0, 500, 0, 1 } },
	    { { "all", NULL, "a", 0, 6 }, { "all", NULL, "a", 0, 500, 0, 1 } } }, 2,
	  { { "all", NULL, "a", 0, 5, 20 },
	    { "all", NULL, "a", 0, 500, 0, 1 } } },
	{ "events with a prefix in common, and threads with blanks",
	  { { { "a b-1", NULL, "c", 0, 4 }, { "a-1", NULL, "b c", 0, 8 } },
	    { { "a b-1", NULL, "c", 0, 6 }, { "a-1", NULL, "b c", 0, 8 } } },
	  2,
	  { { "a b-1", NULL, "c", 0, 5, 20 },
	    { "a-1", NULL, "b c", 0, 8, 0 } } },
};
/* clang-format on */

static struct td_event_report make_events(const struct event *from, struct td_event_row *out)
{
	struct td_event_report report = { .rows = out };

	for (; report.nr_rows < MAX_ROWS && from->id; from++)
		out[report.nr_rows++] = (struct td_event_row){
			.which = from->which ? from->which : from->event[0],
			.id = from->id,
			.cgroup = from->cgroup,
			.event = from->event,
			.status = from->status,
			.value = from->value,
		};
	return report;
}

static void test_events(size_t i)
{
	struct td_event_row out[MAX_ROWS];
	struct td_event_report report;
	struct td_spreads spreads = { 0 };

	for (int run = 0; run < events[i].nr_runs; run++) {
		report = make_events(events[i].runs[run], out);
		td_spreads_add_events(&spreads, &report);
	}
	report = make_events(events[i].mean, out);
	td_spreads_fill_events(&spreads, &report);
	for (size_t r = 0; r < report.nr_rows; r++)
		ok(test_near(out[r].error_pct, events[i].mean[r].error_pct, 1e-12),
		   "events: %s: row %zu: %g %%", events[i].name, r, out[r].error_pct);
	td_spreads_free(&spreads);
}

/*
 * Many rows, in the next run in reverse order, which would take seconds if each
 * were searched for among all.
 */
static void test_many_events(void)
{
	enum {
		NR = 100000
	};
	struct td_event_row *out = calloc(NR, sizeof(*out));
	struct td_event_report report = { .rows = out, .nr_rows = out ? NR : 0 };
	struct td_spreads spreads = { 0 };
	clock_t began = clock();

	for (int run = 0; run < 2; run++) {
		for (int i = 0; i < (int)report.nr_rows; i++)
			out[i] = (struct td_event_row){
				.id = "all",
				.which = run ? NR - 1 - i : i,
				.value = run ? 6 : 4,
			};
		td_spreads_add_events(&spreads, &report);
	}
	td_spreads_fill_events(&spreads, &report);
	began = clock() - began;
	ok(out && spreads.nr == NR && spreads.v[7].nr == 2 && began < test_most_time(NR),
	   "%d events of two runs: %ld us", NR, (long)began);
	td_spreads_free(&spreads);
	free(out);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_values(r);
	test_many();
	test_many_events();
	test_reports();
	test_shares();
	test_alike();
	for (size_t i = 0; i < TD_ARRAY_SIZE(events); i++)
		test_events(i);
	return done_testing();
}
