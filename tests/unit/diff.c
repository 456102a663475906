// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/diff/diff.h"

#include "lib/base/util.h"
#include "metrics/diff/interval.h"
#include "tests/unit/report.h"
#include "tests/unit/test.h"

#define MAX_VALUES 4

/* clang-format off */
/* Half of the interval, by hand with the textbooks' tables of Student's t. */
static const struct {
	const char *name;
	double a[MAX_VALUES], b[MAX_VALUES];
	size_t nr_a, nr_b;
	double error_a, error_b; /* of the last value */
	double diff, error;
	bool clear;
} intervals[] = {
	{ "errors of one recording a side", { 10 }, { 16 }, 1, 1, 3, 4,
	  6, 5, true },
	{ "more than what changed", { 10 }, { 14 }, 1, 1, 3, 4, 4, 5, false },
	{ "as much", { 10 }, { 15 }, 1, 1, 3, 4, 5, 5, false },
	{ "less, downwards", { 16 }, { 10 }, 1, 1, 3, 4, -6, 5, true },
	{ "one that is not known", { 10 }, { 99 }, 1, 1, NAN, 4,
	  89, NAN, false },
	{ "nothing changed, without errors", { 5 }, { 5 }, 1, 1, 0, 0,
	  0, 0, false },
	/* variances 4 and 4: 8 / 3, 4 degrees of freedom: 2.776445 */
	{ "three and three", { 10, 12, 14 }, { 21, 23, 25 }, 3, 3, NAN, NAN,
	  11, 4.533916, true },
	/* variances 2 and 2: 2, 2 degrees: 4.302653 */
	{ "two and two", { 4, 6 }, { 7, 9 }, 2, 2, NAN, NAN,
	  3, 6.084870, false },
	/* of one side only: 4 / 3 and its 2 degrees */
	{ "a side that does not vary", { 10, 12, 14 }, { 20, 20, 20 }, 3, 3,
	  NAN, NAN, 8, 4.968276, true },
	{ "none that does", { 7, 7 }, { 8, 8 }, 2, 2, NAN, NAN, 1, 0, true },
	/* 1 degree: 12.706205, with 3 */
	{ "one and two", { 10 }, { 4, 6 }, 1, 2, 3, NAN,
	  -5, 13.055558, false },
	{ "a value that was not counted", { 10, NAN, 12, 14 }, { 21, 23, 25 },
	  4, 3, NAN, NAN, 11, 4.533916, true },
	{ "a side without any", { 10 }, { NAN }, 1, 1, 3, 4,
	  NAN, NAN, false },
};
/* clang-format on */

static void test_interval(size_t r)
{
	struct td_diff_sample a = { 0 }, b = { 0 };
	struct td_diff_value value;

	for (size_t i = 0; i < intervals[r].nr_a; i++)
		td_diff_sample_add(&a, intervals[r].a[i], intervals[r].error_a);
	for (size_t i = 0; i < intervals[r].nr_b; i++)
		td_diff_sample_add(&b, intervals[r].b[i], intervals[r].error_b);
	value = td_diff_compare(&a, &b);
	ok(test_near(value.diff, intervals[r].diff, 1e-12) &&
		   test_near(value.error, intervals[r].error, 5e-3) &&
		   value.clear == intervals[r].clear,
	   "%s", intervals[r].name);
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
	{ .column = 2,
	  .level = 3,
	  .desc = "This metric estimates the fraction of cycles in DRAM" },
	{ .column = 3 },
};

#define NR TD_ARRAY_SIZE(columns)

#define SURE(v, e)                                                  \
	{                                                           \
		.status = TD_STATUS_OK, .value = (v), .error = (e), \
		.runs_error = NAN                                   \
	}

/* One recording, in percent and in slots per unit of work. */
struct made {
	struct td_cell cells[NR], scaled_cells[NR];
	struct td_row row, scaled_row;
	struct td_report report, scaled;
	struct td_diff_ipc ipc;
	struct td_diff_input input;
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

static void make(struct made *m, double slots, double elapsed_s, double ipc)
{
	m->row = (struct td_row){ .id = "all",
				  .pmu = "cpu",
				  .cells = m->cells,
				  .nodes = nodes,
				  .nr_nodes = NR };
	m->scaled_row = m->row;
	m->scaled_row.cells = m->scaled_cells;
	for (size_t i = 0; i < NR; i++) {
		m->scaled_cells[i] = m->cells[i];
		m->scaled_cells[i].value *= slots / 100;
		m->scaled_cells[i].error *= slots / 100;
	}
	m->report = report_of(&m->row);
	m->scaled = report_of(&m->scaled_row);
	m->ipc = (struct td_diff_ipc){ "all", "cpu", ipc };
	m->input = (struct td_diff_input){ .report = &m->report,
					   .scaled = &m->scaled,
					   .elapsed_s = elapsed_s,
					   .ipc = &m->ipc,
					   .nr_ipc = 1 };
}

/* 4 slots an instruction in A and 6 in B. */
static struct made a = {
	.cells = { SURE(50, 1), SURE(40, 1), SURE(10, 1), SURE(2, NAN) },
};
static struct made b = {
	.cells = { SURE(34, 1), SURE(60, 1), LOST, SURE(1.5, NAN) },
};

static const struct td_diff_row *find(const struct td_diff *diff,
				      const char *name)
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
	/* 2 slots, then 0.04, then what is not in slots, then what is missing */
	static const char *const order[] = {
		"elapsed",      "IPC",          "tma_backend_bound",
		"tma_retiring", "tma_info_ipc", "tma_dram_bound",
	};

	ok(diff->nr == TD_ARRAY_SIZE(order), "a row for each value");
	for (size_t i = 0; i < diff->nr && i < TD_ARRAY_SIZE(order); i++)
		is_str(diff->rows[i].name, order[i], "row %zu", i);
}

static void test_nodes(const struct td_diff *diff)
{
	const struct td_diff_row *row = find(diff, "tma_backend_bound");

	ok(test_near(row->value.diff, 20, 1e-12) &&
		   test_near(row->value.error, sqrt(2), 1e-12),
	   "points");
	ok(test_near(row->slots.diff, 0.6 * 6 - 0.4 * 4, 1e-12) &&
		   test_near(row->slots.error, hypot(0.04, 0.06), 1e-12),
	   "slots");
	ok(row->marked && isnan(row->change_pct), "more than chance");
	/* 16 points less of more slots: 2 slots before, 2.04 after */
	row = find(diff, "tma_retiring");
	ok(row->value.clear && test_near(row->slots.diff, 0.04, 1e-12) &&
		   !row->marked,
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

	ok(test_near(row->value.diff, -0.5, 1e-12) &&
		   test_near(row->change_pct, -25, 1e-12),
	   "time");
	ok(isnan(row->value.error) && !row->marked, "its error is not known");
	row = find(diff, "IPC");
	ok(test_near(row->change_pct, 50, 1e-12), "IPC");
}

static void test_rows(void)
{
	struct td_diff_side of_a, of_b;
	struct td_diff diff;
	struct td_err err;

	make(&a, 4, 2, 1);
	make(&b, 6, 1.5, 1.5);
	of_a = (struct td_diff_side){ &a.input, 1, "a" };
	of_b = (struct td_diff_side){ &b.input, 1, "b" };
	ok(!td_diff_make(&diff, &of_a, &of_b, TD_PER_INSTRUCTIONS, &err),
	   "it is made");
	test_order(&diff);
	test_nodes(&diff);
	test_first(&diff);
	td_diff_free(&diff);
}

/* --- events ----------------------------------------------------------------- */

#define EVENT(name, count)                                \
	{                                                 \
		.id = "all", .event = (name), .unit = "", \
		.status = TD_STATUS_OK, .value = (count)  \
	}

static void test_events(void)
{
	struct td_event_row of_a[] = { EVENT("cycles", 50), EVENT("x", 3.5),
				       EVENT("x", 25), EVENT("new", 0) };
	struct td_event_row of_b[] = { EVENT("cycles", 30), EVENT("x", 1.75),
				       EVENT("x", 25), EVENT("new", 0.75) };
	const struct td_event_report reports[] = {
		{ .rows = of_a, .nr_rows = 4 },
		{ .rows = of_b, .nr_rows = 4 },
	};
	const struct td_diff_input inputs[] = {
		{ .events = &reports[0], .elapsed_s = NAN },
		{ .events = &reports[1], .elapsed_s = NAN },
	};
	const struct td_diff_side sides[] = { { &inputs[0], 1, "a" },
					      { &inputs[1], 1, "b" } };
	struct td_diff diff;
	struct td_err err;

	ok(!td_diff_make(&diff, &sides[0], &sides[1], TD_PER_SECOND, &err),
	   "events");
	ok(diff.nr == 4, "no time, and the same event twice");
	/* 0 to 0.75 has no percentage */
	is_str(diff.rows[0].name, "x", "what changed most");
	ok(test_near(diff.rows[0].change_pct, -50, 1e-12), "in percent");
	is_str(diff.rows[1].name, "cycles", "then the next");
	ok(test_near(diff.rows[1].change_pct, -40, 1e-12), "by less");
	ok(diff.rows[2].value.diff == 0, "the other of the same name");
	ok(isnan(diff.rows[3].change_pct) && diff.rows[3].value.diff == 0.75,
	   "none of nothing");
	td_diff_free(&diff);
}

/* --- ids -------------------------------------------------------------------- */

static void test_ids(void)
{
	struct td_event_row of_a[] = { EVENT("x", 10), EVENT("x", 10) };
	struct td_event_row of_b[] = { EVENT("x", 99), EVENT("x", 11),
				       EVENT("x", 30) };
	const struct td_event_report reports[] = {
		{ .rows = of_a, .nr_rows = 2 },
		{ .rows = of_b, .nr_rows = 3 },
	};
	const struct td_diff_input inputs[] = {
		{ .events = &reports[0], .elapsed_s = 1 },
		{ .events = &reports[1], .elapsed_s = 2 },
	};
	const struct td_diff_side sides[] = { { &inputs[0], 1, "a", false },
					      { &inputs[1], 1, "b", false } };
	struct td_diff diff;
	struct td_err err;

	of_a[0].id = of_b[1].id = "first";
	of_a[1].id = of_b[2].id = "second";
	of_b[0].id = "new";
	ok(!td_diff_make(&diff, &sides[0], &sides[1], TD_PER_RUN, &err), "ids");
	ok(diff.nr == 4 && diff.has_ids, "a row for each");
	ok(diff.rows[0].kind == TD_DIFF_TIME, "the time is first");
	is_str(diff.rows[1].id, "first", "in their order, not by change");
	ok(test_near(diff.rows[1].change_pct, 10, 1e-12), "of its own");
	ok(test_near(diff.rows[2].change_pct, 200, 1e-12), "of the other");
	is_str(diff.rows[3].id, "new", "what one side has is last");
	td_diff_free(&diff);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(intervals); i++)
		test_interval(i);
	test_rows();
	test_events();
	test_ids();
	return done_testing();
}
