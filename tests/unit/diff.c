// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/diff/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/util.h"
#include "metrics/diff/interval.h"
#include "tests/unit/pace.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

#define MAX_VALUES 4

/* clang-format off */
/* Half of the interval, by hand with the textbooks' tables of Student's t. */
static const struct {
	const char *name;
	double a[MAX_VALUES], b[MAX_VALUES];
	size_t nr_a, nr_b;
	bool counts;
	double diff, error, degrees;
	bool clear;
} intervals[] = {
	{ "one recording a side", { 10 }, { 99 }, 1, 1, false,
	  89, NAN, NAN, false },
	{ "a count a side", { 10 }, { 999 }, 1, 1, true, 989, NAN, NAN, false },
	/* variances 4 and 4: 8 / 3, 4 degrees of freedom: 2.776445 */
	{ "three and three", { 10, 12, 14 }, { 21, 23, 25 }, 3, 3, false,
	  11, 4.533916, 4, true },
	/* variances 2 and 2: 2, 2 degrees: 4.302653 */
	{ "two and two", { 4, 6 }, { 7, 9 }, 2, 2, false, 3, 6.084870, 2, false },
	/* only the variation of one side: 4 / 3 and its 2 degrees */
	{ "a side that does not vary", { 10, 12, 14 }, { 20, 20, 20 }, 3, 3,
	  false, 8, 4.968276, 2, true },
	/* 1 degree, 12.706205 times the root of 2 (1 + 1 / 2) */
	{ "one and two", { 10 }, { 4, 6 }, 1, 2, false,
	  -5, 22.007793, 1, false },
	/* 3 degrees, 3.182446 times the root of 20 / 3 (1 + 1 / 4) */
	{ "four and one", { 1, 3, 5, 7 }, { 20 }, 4, 1, false,
	  16, 9.186931, 3, true },
	{ "none that varies", { 7, 7 }, { 8, 8 }, 2, 2, false,
	  1, NAN, NAN, false },
	/* probability 2 in 70 */
	{ "more of them", { 7, 7, 7, 7 }, { 8, 8, 8, 8 }, 4, 4, false,
	  1, NAN, NAN, true },
	{ "one that differs from all", { 7 }, { 8, 8, 8, 8 }, 1, 4, false,
	  1, NAN, NAN, false },
	{ "what is computed differs in its last digit", { 0.1 + 0.2, 0.3 },
	  { 8, 8 }, 2, 2, false, 7.7, NAN, NAN, false },
	{ "nothing changed", { 5, 5 }, { 5, 5 }, 2, 2, false,
	  0, NAN, NAN, false },
	/* variances 1.5 and 1.5, the mean of all: 1.5, 2 degrees */
	{ "small counts", { 1, 1 }, { 2, 2 }, 2, 2, true,
	  1, 5.269652, 2, false },
	{ "none and many", { 0, 0, 0 }, { 9, 9, 9 }, 3, 3, true,
	  9, 4.808982, 4, true },
	/* 1e6 and 1.1e6: 1.05e6, 2 degrees */
	{ "large counts", { 1e6, 1e6 }, { 1.1e6, 1.1e6 }, 2, 2, true,
	  1e5, 4408.936, 2, true },
	/* variances 50 and 50 are larger than 15: 50, 2 degrees */
	{ "counts that vary by more", { 5, 15 }, { 15, 25 }, 2, 2, true,
	  10, 30.42435, 2, false },
	{ "a value that was not counted", { 10, NAN, 12, 14 }, { 21, 23, 25 },
	  4, 3, false, 11, 4.533916, 4, true },
	{ "a side without any", { 10, 11 }, { NAN }, 2, 1, false,
	  NAN, NAN, NAN, false },
};
/* clang-format on */

static void test_interval(size_t r)
{
	struct td_diff_sample a = { 0 }, b = { 0 };
	const double *of_a = intervals[r].a, *of_b = intervals[r].b;
	bool counts = intervals[r].counts;
	struct td_diff_value value;

	for (size_t i = 0; i < intervals[r].nr_a; i++)
		td_diff_sample_add(&a, of_a[i], counts ? of_a[i] : 0);
	for (size_t i = 0; i < intervals[r].nr_b; i++)
		td_diff_sample_add(&b, of_b[i], counts ? of_b[i] : 0);
	value = td_diff_compare(&a, &b);
	ok(test_near(value.diff, intervals[r].diff, 1e-12) &&
		   test_near(value.error, intervals[r].error, 5e-3) &&
		   test_near(value.degrees, intervals[r].degrees, 1e-9) &&
		   value.clear == intervals[r].clear,
	   "%s", intervals[r].name);
}

/* --- percent ---------------------------------------------------------------- */

static struct td_diff_change change(double a, double b, double error)
{
	const struct td_diff_value value = { .of = { a, b }, .diff = b - a, .error = error };

	return td_diff_change_of(&value);
}

static void test_change(void)
{
	/* a tenth: the mean is 90 / ln 10, and 90 / 2 of it the root of 10 */
	struct td_diff_change c = change(100, 10, 45);

	ok(test_near(c.pct, -90, 1e-12) && test_near(c.low, 100 * (0.1 / sqrt(10) - 1), 1e-12) &&
		   test_near(c.high, 100 * (0.1 * sqrt(10) - 1), 1e-12) &&
		   test_near(c.error, (c.high - c.low) / 2, 1e-12),
	   "percent: the interval of the ratio");
	ok(test_near(change(100, 10, 90).high, 0, 1e-9) &&
		   test_near(change(10, 100, 90).low, 0, 1e-9),
	   "it has no change in it where that of the difference has");
	ok(change(100, 10, 1e3).low > -100 && change(100, 10, 200).low > -100,
	   "nothing is less by more than 100 %%");
	c = change(1000, 1000, 1);
	ok(c.pct == 0 && test_near(c.low, -0.1, 1e-3) && test_near(c.high, 0.1, 1e-3),
	   "small ones are those of the difference");
	c = change(100, 0, 10);
	ok(c.pct == -100 && isnan(c.low) && isnan(c.error), "nothing left: no ratio");
	ok(isnan(change(0, 10, 1).pct), "nothing before: no percent");
}

/* --- rows ------------------------------------------------------------------- */

static const struct td_column columns[] = {
	{ "tma_retiring", "%", true },
	{ "tma_backend_bound", "%", true },
	{ "tma_dram_bound", "%", true },
	{ "tma_info_ipc", "", true },
};

static const struct td_node nodes[] = {
	{ .column = 0, .level = 1 },
	{ .column = 1, .level = 1 },
	{ .column = 2, .level = 3, .desc = "This metric estimates the fraction of cycles in DRAM" },
	{ .column = 3 },
};

#define NR TD_ARRAY_SIZE(columns)

/* One run. */
struct made {
	struct td_cell cells[NR];
	struct td_row row;
	struct td_report report;
	double scale;
	struct td_diff_ipc ipc;
};

static struct td_report report_of(struct td_row *row)
{
	return (struct td_report){
		.columns = columns,
		.nr_columns = NR,
		.rows = row,
		.nr_rows = 1,
	};
}

static struct td_diff_input make(struct made *m, double slots, double elapsed_s, double ipc)
{
	m->row = (struct td_row){
		.id = "all", .pmu = "cpu", .cells = m->cells, .nodes = nodes, .nr_nodes = NR
	};
	m->report = report_of(&m->row);
	m->scale = slots / 100;
	m->ipc = (struct td_diff_ipc){ "all", "cpu", ipc };
	return (struct td_diff_input){ .report = &m->report,
				       .scales = &m->scale,
				       .elapsed_s = elapsed_s,
				       .user_s = NAN,
				       .sys_s = NAN,
				       .ipc = &m->ipc,
				       .nr_ipc = 1 };
}

/* 4 slots an instruction in A and 6 in B. */
static struct made a[] = {
	{ .cells = { OK(50.5), OK(40.5), OK(10), OK(2) } },
	{ .cells = { OK(49.5), OK(39.5), OK(10), OK(2) } },
};
static struct made b[] = {
	{ .cells = { OK(34.5), OK(60.5), LOST, OK(1.5) } },
	{ .cells = { OK(33.5), OK(59.5), LOST, OK(1.5) } },
};

static const struct td_diff_row *find(const struct td_diff *diff, const char *name)
{
	static const struct td_diff_row no_row;

	for (size_t i = 0; i < diff->nr; i++) {
		if (strcmp(diff->rows[i].name, name) == 0)
			return &diff->rows[i];
	}
	return &no_row;
}

static void test_order(const struct td_diff *diff)
{
	/* 2 slots, then 0.04, then rows without slots, then missing rows */
	static const char *const order[] = {
		"elapsed",      "IPC",          "tma_backend_bound",
		"tma_retiring", "tma_info_ipc", "tma_dram_bound",
	};

	ok(diff->nr == TD_ARRAY_SIZE(order), "a row for each value");
	for (size_t i = 0; i < diff->nr && i < TD_ARRAY_SIZE(order); i++)
		is_str(diff->rows[i].name, order[i], "row %zu", i);
}

/* Two degrees of freedom; each value is half a point from its mean. */
static void test_nodes(const struct td_diff *diff)
{
	const struct td_diff_row *row = find(diff, "tma_backend_bound");

	ok(test_near(row->value.diff, 20, 1e-12) &&
		   test_near(row->value.error, 4.302653 * sqrt(0.5), 1e-4),
	   "points");
	/* variances 0.0008 and 0.0018: 0.0013, 1.74 degrees */
	ok(test_near(row->slots.diff, 0.6 * 6 - 0.4 * 4, 1e-12) &&
		   test_near(row->slots.degrees, pow(26, 2) / (pow(8, 2) + pow(18, 2)), 1e-9),
	   "slots");
	ok(isnan(row->change.pct), "points are not told in percent");
	/* 16 points less of more slots: 2 slots before, 2.04 after */
	row = find(diff, "tma_retiring");
	ok(row->value.clear && test_near(row->slots.diff, 0.04, 1e-12) && !row->slots.clear,
	   "a smaller share of more slots is no change");
	row = find(diff, "tma_dram_bound");
	ok(row->value.of[TD_DIFF_A] == 10 && isnan(row->value.of[TD_DIFF_B]) &&
		   isnan(row->value.diff) && !row->marked,
	   "missing is not 0");
	ok(isnan(row->slots.of[TD_DIFF_A]), "cycles are no slots");
}

static void test_first(const struct td_diff *diff)
{
	const struct td_diff_row *row = find(diff, "elapsed");

	ok(test_near(row->value.diff, -0.5, 1e-12) && test_near(row->change.pct, -25, 1e-12),
	   "time");
	row = find(diff, "IPC");
	ok(test_near(row->change.pct, 50, 1e-12), "IPC");
}

/* One recording per side: all rows are shown, and none is significant. */
static void test_one(const struct td_diff_side *of_a, const struct td_diff_side *of_b)
{
	struct td_diff diff = { 0 };
	bool silent = true;

	td_diff_make(&diff, of_a, of_b, TD_PER_INSTRUCTIONS);
	for (size_t i = 0; i < diff.nr; i++) {
		const struct td_diff_row *row = &diff.rows[i];

		silent = silent && !row->marked && !row->value.clear && isnan(row->value.error) &&
			 isnan(row->slots.error) && isnan(row->change.error);
	}
	ok(diff.nr == 6 && silent, "no interval, no mark");
	td_diff_free(&diff);
}

/* One of B's two runs was on another core type, so it used no slots of this one. */
static void test_absent(enum td_per per, double want)
{
	struct made there = a[0], gone = { .cells = { LOST, LOST, LOST, LOST } };
	const struct td_diff_input of_a[] = { make(&a[1], 4, 2, 1) };
	struct td_diff_input of_b[2];
	struct td_diff_side sides[] = { { of_a, 1, "a", false }, { of_b, 2, "b", false } };
	const struct td_diff_row *row;
	struct td_diff diff = { 0 };

	of_b[0] = make(&there, 8, 1, 1);
	of_b[1] = make(&gone, NAN, 1, NAN);
	gone.row.absent = true;
	td_diff_make(&diff, &sides[0], &sides[1], per);
	row = find(&diff, "tma_retiring");
	ok(row->value.of[TD_DIFF_B] == 50.5, "a share is of the run there");
	ok(test_near(row->slots.of[TD_DIFF_B], want, 1e-12), "slots are of both: %g",
	   row->slots.of[TD_DIFF_B]);
	td_diff_free(&diff);
}

static void test_rows(void)
{
	const struct td_diff_input of_a[] = { make(&a[0], 4, 2, 1), make(&a[1], 4, 2, 1) };
	const struct td_diff_input of_b[] = { make(&b[0], 6, 1.5, 1.5), make(&b[1], 6, 1.5, 1.5) };
	struct td_diff_side sides[] = { { of_a, 2, "a", false }, { of_b, 2, "b", false } };
	struct td_diff diff = { 0 };

	td_diff_make(&diff, &sides[0], &sides[1], TD_PER_INSTRUCTIONS);
	test_order(&diff);
	ok(test_near(diff.slots.of[TD_DIFF_A], 4, 1e-12) && test_near(diff.slots.diff, 2, 1e-12),
	   "all slots of an instruction");
	test_nodes(&diff);
	test_first(&diff);
	td_diff_free(&diff);
	sides[0].nr = sides[1].nr = 1;
	test_one(&sides[0], &sides[1]);
}

/* --- events ----------------------------------------------------------------- */

#define EVENT(name, count)                                                        \
	{                                                                         \
		.id = "all", .event = (name), .unit = "", .status = TD_STATUS_OK, \
		.value = (count), .running_pct = 100                              \
	}

static const double ones[] = { 1, 1, 1, 1 };

static void test_events(void)
{
	struct td_event_row of_a[] = { EVENT("cycles", 50), EVENT("x", 3.5), EVENT("x", 25),
				       EVENT("new", 0) };
	struct td_event_row of_b[] = { EVENT("cycles", 30), EVENT("x", 1.75), EVENT("x", 25),
				       EVENT("new", 0.75) };
	const struct td_event_report reports[] = {
		{ .rows = of_a, .nr_rows = 4 },
		{ .rows = of_b, .nr_rows = 4 },
	};
	const struct td_diff_input inputs[] = {
		{ .events = &reports[0],
		  .scales = ones,
		  .elapsed_s = NAN,
		  .user_s = NAN,
		  .sys_s = NAN },
		{ .events = &reports[1],
		  .scales = ones,
		  .elapsed_s = NAN,
		  .user_s = NAN,
		  .sys_s = NAN },
	};
	const struct td_diff_side sides[] = { { &inputs[0], 1, "a" }, { &inputs[1], 1, "b" } };
	struct td_diff diff = { 0 };

	td_diff_make(&diff, &sides[0], &sides[1], TD_PER_SECOND);
	ok(diff.nr == 4, "no time, and the same event twice");
	/* 0 to 0.75 has no percentage */
	is_str(diff.rows[0].name, "x", "what changed most");
	ok(test_near(diff.rows[0].change.pct, -50, 1e-12), "in percent");
	is_str(diff.rows[1].name, "cycles", "then the next");
	ok(test_near(diff.rows[1].change.pct, -40, 1e-12), "by less");
	ok(diff.rows[2].value.diff == 0, "the other of the same name");
	ok(isnan(diff.rows[3].change.pct) && diff.rows[3].value.diff == 0.75, "none of nothing");
	td_diff_free(&diff);
}

/*
 * 100 counted in half of the time, so 50 were seen: as 200, with a variance of 50
 * times 4.  Those of 4 seconds are 50 a second, and its variance 200 / 16.
 */
static void test_counting(void)
{
	struct td_event_row row = EVENT("x", 200);
	const struct td_event_report report = { .rows = &row, .nr_rows = 1 };
	const double second = 0.25;
	const struct td_diff_input inputs[] = {
		{ .events = &report,
		  .scales = &second,
		  .elapsed_s = NAN,
		  .user_s = NAN,
		  .sys_s = NAN },
		{ .events = &report,
		  .scales = &second,
		  .elapsed_s = NAN,
		  .user_s = NAN,
		  .sys_s = NAN },
	};
	const struct td_diff_side side = { inputs, 2, "a", false };
	struct td_diff diff = { 0 };

	for (int unit = 0; unit < 2; unit++) {
		row.running_pct = 50;
		row.unit = unit ? "ns" : "";
		td_diff_make(&diff, &side, &side, TD_PER_SECOND);
		ok(diff.rows[0].value.of[TD_DIFF_A] == 50, "per second");
		if (unit)
			ok(isnan(diff.rows[0].value.error), "nanoseconds are no counts");
		else
			ok(test_near(diff.rows[0].value.error, 4.302653 * sqrt(400. / 16), 1e-4),
			   "the variance of what was seen");
		td_diff_free(&diff);
	}
}

/* --- ids -------------------------------------------------------------------- */

static void test_ids(void)
{
	struct td_event_row of_a[] = { EVENT("x", 10), EVENT("x", 10) };
	struct td_event_row of_b[] = { EVENT("x", 99), EVENT("x", 11), EVENT("x", 30) };
	const struct td_event_report reports[] = {
		{ .rows = of_a, .nr_rows = 2 },
		{ .rows = of_b, .nr_rows = 3 },
	};
	const struct td_diff_input inputs[] = {
		{ .events = &reports[0],
		  .scales = ones,
		  .elapsed_s = 1,
		  .user_s = NAN,
		  .sys_s = NAN },
		{ .events = &reports[1],
		  .scales = ones,
		  .elapsed_s = 2,
		  .user_s = NAN,
		  .sys_s = NAN },
	};
	const struct td_diff_side sides[] = { { &inputs[0], 1, "a", false },
					      { &inputs[1], 1, "b", false } };
	struct td_diff diff = { 0 };

	of_a[0].id = of_b[1].id = "first";
	of_a[1].id = of_b[2].id = "second";
	of_b[0].id = "new";
	td_diff_make(&diff, &sides[0], &sides[1], TD_PER_RUN);
	ok(diff.nr == 4 && diff.has_ids, "a row for each");
	ok(diff.rows[0].kind == TD_DIFF_TIME, "the time is first");
	is_str(diff.rows[1].id, "first", "in their order, not by change");
	ok(test_near(diff.rows[1].change.pct, 10, 1e-12), "of its own");
	ok(test_near(diff.rows[2].change.pct, 200, 1e-12), "of the other");
	is_str(diff.rows[3].id, "new", "what one side has is last");
	td_diff_free(&diff);
}

/* Where realloc() copies each time, to add rows takes far longer than to find them. */
#ifdef __SANITIZE_ADDRESS__
#define MANY 2000
#else
#define MANY 50000
#endif

/* Compared with each other, they would take a minute. */
static void test_many_ids(void)
{
	struct td_event_row *rows = calloc(MANY, sizeof(*rows));
	double *scales = calloc(MANY, sizeof(*scales));
	char(*ids)[16] = calloc(MANY, sizeof(*ids));
	const struct td_event_report report = { .rows = rows, .nr_rows = MANY };
	const struct td_diff_input input = {
		.events = &report, .scales = scales, .elapsed_s = 1, .user_s = NAN, .sys_s = NAN
	};
	const struct td_diff_side side = { &input, 1, "a", false };
	struct td_diff diff = { 0 };
	clock_t began = clock();

	for (int i = 0; rows && scales && ids && i < MANY; i++) {
		snprintf(ids[i], sizeof(ids[i]), "thread %d", i);
		rows[i] = (struct td_event_row)EVENT("x", i);
		rows[i].id = ids[i];
		scales[i] = 1;
	}
	td_diff_make(&diff, &side, &side, TD_PER_RUN);
	ok(diff.nr == MANY + 1 && diff.rows[MANY].value.of[TD_DIFF_B] == MANY - 1, "many ids");
	began = clock() - began;
	ok(began < test_most_time(MANY), "%d ids in %ld us", MANY, (long)began);
	td_diff_free(&diff);
	free(rows);
	free(scales);
	free(ids);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(intervals); i++)
		test_interval(i);
	test_change();
	test_absent(TD_PER_RUN, 0.505 * 8 / 2);
	test_absent(TD_PER_SLOTS, 0.505 * 8);
	test_rows();
	test_events();
	test_counting();
	test_ids();
	test_many_ids();
	return done_testing();
}
