// SPDX-License-Identifier: GPL-2.0-only
/* The sentence about a difference, and the number of runs that would confirm it. */
#include "metrics/diff/diff.h"

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define UNKNOWN                                         \
	{                                               \
		{ NAN, NAN }, NAN, NAN, NAN, false, NAN \
	}

/* A change that is known for sure, or not at all. */
static struct td_diff_value change(double a, double b, bool clear)
{
	return (struct td_diff_value){ .of = { a, b },
				       .diff = b - a,
				       .error = clear ? 1 : 1000,
				       .degrees = 8,
				       .clear = clear,
				       .chance = clear ? 0.001 : 0.5 };
}

static struct td_diff_row node(const char *name, int level, double slots)
{
	return (struct td_diff_row){ .kind = TD_DIFF_METRIC,
				     .id = "all",
				     .pmu = "cpu",
				     .name = name,
				     .unit = "%",
				     .level = level,
				     .value = change(50, 50 + slots, true),
				     .slots = change(1000, 1000 + slots, true),
				     .marked = true };
}

/* clang-format off */
/* Slots that each node has more of in B, as they are sorted: by size. */
static const struct {
	const char *name;
	struct { const char *name; int level; double slots; } nodes[5];
	double whole;
	const char *node;
	double pct;
} cases[] = {
	{ "the deepest that has most of it",
	  { { "backend", 1, -90 }, { "memory", 2, -80 }, { "frontend", 1, -10 }, { "core", 2, -10 } },
	  -100, "memory", 80 },
	{ "no child has half of it",
	  { { "backend", 1, -90 }, { "memory", 2, -45 }, { "core", 2, -45 }, { "frontend", 1, -10 } },
	  -100, "backend", 90 },
	{ "what went the other way is no part of it",
	  { { "backend", 1, -80 }, { "memory", 2, -60 }, { "retiring", 1, 50 }, { "core", 2, -20 } },
	  -30, "memory", 75 },
	{ "more than all is no share",
	  { { "memory", 2, -120 }, { "backend", 1, -80 }, { "core", 2, 40 }, { "frontend", 1, -20 } },
	  -100, "backend", 80 },
	{ "added", { { "retiring", 1, 60 }, { "frontend", 1, 20 } }, 80, "retiring", 75 },
	{ "cycles are no "
	"slots", { { "dram", 3, NAN }, { "retiring", 1, 60 } }, 60, "retiring", 100 },
	{ "nothing went this way", { { "retiring", 1, 60 } }, -5, NULL, 0 },
};
/* clang-format on */

static void test_case(size_t c)
{
	struct td_diff_row rows[TD_ARRAY_SIZE(cases[0].nodes)];
	struct td_diff diff = { .per = TD_PER_INSTRUCTIONS, .rows = rows };
	double b = 1000 + cases[c].whole, mean = (1000 + b) / 2;
	struct td_diff_summary s;

	diff.sides[TD_DIFF_A].nr = diff.sides[TD_DIFF_B].nr = 5;
	for (; diff.nr < TD_ARRAY_SIZE(rows) && cases[c].nodes[diff.nr].name; diff.nr++)
		rows[diff.nr] = node(cases[c].nodes[diff.nr].name, cases[c].nodes[diff.nr].level,
				     cases[c].nodes[diff.nr].slots);
	diff.slots = change(1000, 1000 + cases[c].whole, true);
	s = td_diff_sum_up(&diff);
	ok(cases[c].node ? s.node && !strcmp(s.node->name, cases[c].node) : !s.node, "%s",
	   cases[c].name);
	ok(test_near(s.node_pct, cases[c].pct, 1e-12) && s.saved == (cases[c].whole < 0),
	   "its share");
	ok(!s.of_time && test_near(s.whole.change.pct, cases[c].whole / 10, 1e-12) &&
		   test_near(s.whole.change.error, 100 * b / 1000 / mean, 1e-2),
	   "recordings: slots of the whole");
	diff.slots.clear = false;
	diff.slots.chance = 0.3;
	ok(!td_diff_sum_up(&diff).node, "no share of what may be chance");
	ok(td_diff_sum_up(&diff).most == rows, "but what changed most");
	for (size_t i = 0; i < diff.nr; i++)
		rows[i].marked = false;
	diff.slots.clear = true;
	s = td_diff_sum_up(&diff);
	ok(!s.node && !s.most, "nothing that may be chance");
}

/* The total of commands is the time, but the node is one of slots. */
static void test_commands(void)
{
	struct td_diff_row rows[] = {
		{ .kind = TD_DIFF_TIME, .name = "elapsed", .id = "all", .unit = "s" },
		node("memory", 1, -100)
	};
	struct td_diff diff = { .per = TD_PER_RUN, .rows = rows, .nr = 2 };
	struct td_diff_summary s;

	rows[0].value = change(2, 1.5, true);
	diff.slots = change(1000, 900, true);
	for (size_t i = 0; i < TD_DIFF_SIDES; i++)
		diff.sides[i] = (struct td_diff_side){ NULL, 5, "x", true };
	s = td_diff_sum_up(&diff);
	ok(s.of_time && test_near(s.whole.change.pct, -25, 1e-12) && s.node == &rows[1],
	   "commands: the time");
	/* no counts: no node and no percentage */
	diff.slots = (struct td_diff_value)UNKNOWN;
	diff.nr = 1;
	s = td_diff_sum_up(&diff);
	ok(s.of_time && !s.node && !s.most, "time alone");
	diff.nr = 0;
	ok(isnan(td_diff_sum_up(&diff).whole.change.pct), "no time, no number");
}

/* Runs whose time varies too much may still differ in what the processor worked. */
static void test_busy(void)
{
	struct td_diff_row rows[] = {
		{ .kind = TD_DIFF_TIME, .name = "elapsed", .value = change(2, 4, false) },
		{ .kind = TD_DIFF_TIME, .name = "user", .value = change(1, 7, true) },
		node("memory", 1, 100),
	};
	struct td_diff diff = { .per = TD_PER_RUN, .rows = rows, .nr = 3 };

	for (size_t i = 0; i < TD_DIFF_SIDES; i++)
		diff.sides[i] = (struct td_diff_side){ NULL, 5, "x", true };
	diff.slots = change(1000, 1100, true);
	ok(!td_diff_sum_up(&diff).busy, "no mark");
	rows[1].marked = true;
	ok(td_diff_sum_up(&diff).busy == &rows[1], "more user time");
	rows[0].value = change(2, 4, true);
	ok(td_diff_sum_up(&diff).busy && !td_diff_sum_up(&diff).whole.told,
	   "a time without a mark is not told");
	rows[0].marked = true;
	ok(!td_diff_sum_up(&diff).busy, "the time says it");
}

/* The total of recorded commands is also the time, with the work next to it. */
static void test_recorded_commands(void)
{
	struct td_diff_row rows[] = {
		{ .kind = TD_DIFF_TIME, .name = "elapsed", .id = "all", .unit = "s" },
		node("memory", 1, -100)
	};
	struct td_diff diff = { .per = TD_PER_INSTRUCTIONS, .rows = rows, .nr = 2 };
	struct td_diff_summary s;

	rows[0].value = change(2, 4, true);
	diff.slots = diff.slots_per_instruction = change(1, 0.99999, true);
	diff.slots_per_run = change(1000, 2000, true);
	for (size_t i = 0; i < TD_DIFF_SIDES; i++)
		diff.sides[i] = (struct td_diff_side){ NULL, 5, "x", false, .of_runs = true };
	s = td_diff_sum_up(&diff);
	ok(s.of_time && test_near(s.whole.change.pct, 100, 1e-12) &&
		   test_near(s.per_run.change.pct, 100, 1e-12) &&
		   test_near(s.per_instruction.change.pct, -0.001, 1e-9),
	   "recordings of commands: the time, and the slots of both units");
	ok(!s.node, "no share of what is shown as 0.00");
	diff.slots = change(1000, 900, true);
	ok(td_diff_sum_up(&diff).node == &rows[1], "of what is more");
	diff.sides[TD_DIFF_A].of_runs = false;
	s = td_diff_sum_up(&diff);
	ok(!s.of_time && isnan(s.per_run.change.pct),
	   "others may have been stopped anywhere: slots");
}

/* --- marks ------------------------------------------------------------------ */

/* clang-format off */
/* Two equal runs: significant or not, the printed difference is 0. */
static const struct {
	const char *name, *unit;
	double of[2], slots[2];
	bool marked;
} marks[] = {
	{ "IPC that differs in the sixth digit", "", { 1.5, 1.500001 }, { NAN, NAN }, false },
	{ "IPC that shows it", "", { 1.5, 1.5001 }, { NAN, NAN }, true },
	{ "points that round to 0.00", "%", { 50, 50.004 }, { NAN, NAN }, false },
	{ "the same share of more slots", "%", { 50, 50 }, { 0.5, 0.51 }, true },
	{ "of as many, as they are shown", "%", { 50, 50 }, { 0.5, 0.50004 }, false },
	{ "something where nothing was", "", { 0, 1e-6 }, { NAN, NAN }, true },
};
/* clang-format on */

static void test_mark(size_t i)
{
	struct td_diff_row row = {
		.kind = *marks[i].unit ? TD_DIFF_METRIC : TD_DIFF_IPC,
		.id = "all",
		.unit = marks[i].unit,
		.value = change(marks[i].of[0], marks[i].of[1], true),
		.slots = change(marks[i].slots[0], marks[i].slots[1], true),
		.change = { NAN, NAN, NAN, NAN },
	};
	struct td_diff diff = { .rows = &row, .nr = 1 };

	if (!*marks[i].unit)
		row.change = td_diff_change_of(&row.value);
	td_diff_mark(&diff);
	ok(row.marked == marks[i].marked, "mark: %s", marks[i].name);
}

/* --- how many --------------------------------------------------------------- */

/* clang-format off */
/*
 * The variance of one run is 1, so the interval of n a side is t(2n - 2) times the
 * root of 2 / n: by a textbook's table 4.303 2 of two, 2.776 3, 2.306 5, 2.101 10,
 * 2.042 16.
 */
static const struct {
	const char *name;
	size_t nr;
	double diff, error, degrees;
	bool clear;
	size_t enough;
} runs[] = {
	{ "one of each", 1, 3, NAN, NAN, false, 5 },
	{ "two, even if they tell it", 2, 30, 4.303, 2, true, 5 },
	{ "two, which do not", 2, 3, 4.303, 2, false, 5 },
	{ "three, which tell it", 3, 3, 2.267, 4, true, 0 },
	/* 9: 2.120 times 0.4714 are 0.9993, of 8 it is 1.0725 */
	{ "five, and a difference of 1", 5, 1, 1.4585, 8, false, 9 },
	/* 32: 1.999 times 0.25 */
	{ "ten, and half of it", 10, 0.5, 0.9396, 18, false, 32 },
	{ "none that anybody runs", 5, 0.01, 1.4585, 8, false, 0 },
	{ "the same", 5, 0, 1.4585, 8, false, 0 },
};
/* clang-format on */

static void test_enough(size_t r)
{
	struct td_diff diff = { .per = TD_PER_INSTRUCTIONS };
	size_t got;

	for (size_t i = 0; i < TD_DIFF_SIDES; i++)
		diff.sides[i].nr = runs[r].nr;
	diff.slots = (struct td_diff_value){
		.of = { 100, 100 + runs[r].diff },
		.diff = runs[r].diff,
		.error = runs[r].error,
		.degrees = runs[r].degrees,
		.clear = runs[r].clear,
		.chance = isnan(runs[r].error) ? NAN
			  : runs[r].clear      ? 0.01
					       : 0.5,
	};
	got = td_diff_enough(&diff);
	ok(got == runs[r].enough, "%s: %zu", runs[r].name, got);
}

/* A mark matters even on a time that no sentence mentions. */
static void test_mark_beside(enum td_diff_kind kind)
{
	struct td_diff_row rows[] = { { .kind = TD_DIFF_TIME, .id = "all" },
				      { .kind = kind, .id = "all" } };
	struct td_diff diff = { .per = TD_PER_RUN, .rows = rows, .nr = 2 };

	for (size_t i = 0; i < TD_DIFF_SIDES; i++)
		diff.sides[i] = (struct td_diff_side){ NULL, 5, "x", true };
	rows[0].value = (struct td_diff_value){
		.of = { 100, 101 }, .diff = 1, .error = 1.4585, .degrees = 8, .chance = 0.5
	};
	/*
	 * The time has half of the probability of 0.05, 1.25 % on either side: t is 2.4055 for 22
	 * degrees, times the root of 2 / 12 it is 0.982; with 11 runs it is 1.033.
	 */
	ok(td_diff_enough(&diff) == 12, "more runs, if nothing is marked");
	rows[1].marked = true;
	ok(td_diff_enough(&diff) == 0, "none, if a row is");
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++)
		test_case(i);
	test_commands();
	test_busy();
	test_recorded_commands();
	for (size_t i = 0; i < TD_ARRAY_SIZE(marks); i++)
		test_mark(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(runs); i++)
		test_enough(i);
	test_mark_beside(TD_DIFF_TIME);
	test_mark_beside(TD_DIFF_IPC);
	test_mark_beside(TD_DIFF_METRIC);
	return done_testing();
}
