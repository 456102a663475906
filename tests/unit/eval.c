// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/eval/eval.h"

#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define MAX_COUNTS 64
#define MAX_WANTS  12

/* A counter; "#2" in event means the second group's counter of the event. */
struct count {
	const char *event;
	int cpu, tid;
	uint64_t value, enabled, running;
};

/*
 * Lunar Lake: one group of fields without corrections; its Atom is 8 slots
 * wide.
 */
#define CORE(cpu, tid, s, r, b, f, e, on, ran)                          \
	{ "cpu_core/slots/", cpu, tid, s, on, ran },                    \
		{ "cpu_core/topdown-retiring/", cpu, tid, r, on, ran }, \
		{ "cpu_core/topdown-bad-spec/", cpu, tid, b, on, ran }, \
		{ "cpu_core/topdown-fe-bound/", cpu, tid, f, on, ran }, \
	{                                                               \
		"cpu_core/topdown-be-bound/", cpu, tid, e, on, ran      \
	}
#define CORE_2(cpu, tid, h, m, l, mem, on, ran)                              \
	{ "cpu_core/topdown-heavy-ops/", cpu, tid, h, on, ran },             \
		{ "cpu_core/topdown-br-mispredict/", cpu, tid, m, on, ran }, \
		{ "cpu_core/topdown-fetch-lat/", cpu, tid, l, on, ran },     \
	{                                                                    \
		"cpu_core/topdown-mem-bound/", cpu, tid, mem, on, ran        \
	}
#define ATOM(cpu, tid, c, r, b, f, e, on, ran)                          \
	{ "cpu_atom/cycles/", cpu, tid, c, on, ran },                   \
		{ "cpu_atom/topdown-retiring/", cpu, tid, r, on, ran }, \
		{ "cpu_atom/topdown-bad-spec/", cpu, tid, b, on, ran }, \
		{ "cpu_atom/topdown-fe-bound/", cpu, tid, f, on, ran }, \
	{                                                               \
		"cpu_atom/topdown-be-bound/", cpu, tid, e, on, ran      \
	}

struct want {
	const char *id, *pmu, *metric; /* metric NULL: the row itself */
	double value;                  /* NaN: not counted; for a row, its slots */
	double running;                /* 0 means 100 */
	bool over, none;
	double share; /* for a row; -1: not compared */
};

/* clang-format off */
static const struct {
	const char *name, *model;
	int level;
	bool merge, by_cpu;
	struct count counts[MAX_COUNTS];
	size_t rows;
	struct want want[MAX_WANTS];
} rows[] = {
	/* 800 slots, 50 + 10 + 14 + 26 %; 200 slots, 10 + 10 + 30 + 50 % */
	{ "two PMUs", "lnl", 1,
	  .counts = { CORE(0, -1, 800, 400, 80, 112, 208, 8, 8),
		      ATOM(4, -1, 25, 20, 20, 60, 100, 8, 8) },
	  .rows = 2, .want = {
		{ "all", "cpu_core", NULL, 800, .share = 80 },
		{ "all", "cpu_core", "tma_retiring", 50 },
		{ "all", "cpu_core", "tma_bad_speculation", 10 },
		{ "all", "cpu_core", "tma_frontend_bound", 14 },
		{ "all", "cpu_core", "tma_backend_bound", 26, .over = true },
		{ "all", "cpu_atom", NULL, 200, .share = 20 },
		{ "all", "cpu_atom", "tma_retiring", 10 },
		{ "all", "cpu_atom", "tma_frontend_bound", 30, .over = true },
		{ "all", "cpu_atom", "tma_backend_bound", 50, .over = true } } },
	{ "merged, by their slots", "lnl", 1, .merge = true,
	  .counts = { CORE(0, -1, 800, 400, 80, 112, 208, 8, 8),
		      ATOM(4, -1, 25, 20, 20, 60, 100, 8, 8) },
	  .rows = 1, .want = {
		{ "all", "all", NULL, 1000, .share = -1 },
		{ "all", "all", "tma_retiring", 42 },
		{ "all", "all", "tma_bad_speculation", 10 },
		/* above its threshold on a fifth of the slots, and on all slots */
		{ "all", "all", "tma_frontend_bound", 17.2 },
		{ "all", "all", "tma_backend_bound", 30.8, .over = true } } },
	{ "merged, one of them idle", "lnl", 1, .merge = true,
	  .counts = { CORE(0, -1, 800, 400, 80, 112, 208, 8, 8),
		      ATOM(4, -1, 0, 0, 0, 0, 0, 8, 8) },
	  .rows = 1, .want = {
		{ "all", "all", NULL, 800, .share = -1 },
		{ "all", "all", "tma_retiring", 50 },
		{ "all", "all", "tma_frontend_bound", 14 } } },
	{ "one of them idle", "lnl", 1,
	  .counts = { CORE(0, -1, 800, 400, 80, 112, 208, 8, 8),
		      ATOM(4, -1, 0, 0, 0, 0, 0, 8, 8) },
	  .rows = 2, .want = {
		{ "all", "cpu_core", NULL, 800, .share = 100 },
		{ "all", "cpu_atom", NULL, 0, .share = 0 },
		{ "all", "cpu_atom", "tma_retiring", NAN } } },
	{ "merged, what one of them has not", "lnl", 2, .merge = true,
	  .counts = { CORE(0, -1, 800, 400, 80, 112, 208, 8, 8),
		      CORE_2(0, -1, 40, 16, 80, 120, 8, 8),
		      ATOM(4, -1, 25, 20, 20, 60, 100, 8, 8),
		      { "cpu_atom/TOPDOWN_BAD_SPECULATION.MISPREDICT/", 4, -1, 18, 8, 8 },
		      { "cpu_atom/TOPDOWN_FE_BOUND.FRONTEND_LATENCY/", 4, -1, 10, 8, 8 } },
	  .rows = 1, .want = {
		{ "all", "all", "tma_fetch_latency", .none = true },
		{ "all", "all", "tma_ifetch_latency", .none = true },
		{ "all", "all", "tma_memory_bound", .none = true },
		/*
		 * both PMUs have it, but only one has its sibling
		 * tma_memory_bound
		 */
		{ "all", "all", "tma_core_bound", .none = true },
		/* (2 * 800 + 9 * 200) / 1000 */
		{ "all", "all", "tma_branch_mispredicts", 3.4 } } },
	{ "merged, what an idle one has not", "lnl", 2, .merge = true,
	  .counts = { CORE(0, -1, 800, 400, 80, 112, 208, 8, 8),
		      CORE_2(0, -1, 40, 16, 80, 120, 8, 8),
		      ATOM(4, -1, 0, 0, 0, 0, 0, 8, 8) },
	  .rows = 1, .want = {
		{ "all", "all", "tma_fetch_latency", 10 },
		{ "all", "all", "tma_memory_bound", 15 },
		{ "all", "all", "tma_core_bound", 11, .over = true } } },
	{ "half of the time", "lnl", 1,
	  .counts = { CORE(0, -1, 400, 200, 40, 56, 104, 8, 4) },
	  .rows = 1, .want = {
		{ "all", "cpu_core", NULL, 800, 50, .share = 100 },
		{ "all", "cpu_core", "tma_retiring", 50, 50 } } },
	{ "a CPU each, half of the time on one", "lnl", 1,
	  .counts = { CORE(0, -1, 400, 400, 0, 0, 0, 8, 4),
		      CORE(1, -1, 800, 0, 0, 0, 800, 8, 8) },
	  .rows = 1, .want = {
		{ "all", "cpu_core", NULL, 1600, 75, .share = 100 },
		{ "all", "cpu_core", "tma_retiring", 50, 75 } } },
	{ "by CPU", "lnl", 1, .by_cpu = true,
	  .counts = { CORE(0, -1, 400, 200, 40, 56, 104, 8, 8),
		      ATOM(4, -1, 25, 20, 20, 60, 100, 8, 8),
		      CORE(1, -1, 400, 40, 40, 40, 280, 8, 8) },
	  .rows = 3, .want = {
		{ "CPU0", "cpu_core", "tma_retiring", 50 },
		{ "CPU0", "cpu_core", NULL, 400, .share = 100 },
		{ "CPU1", "cpu_core", "tma_retiring", 10 },
		{ "CPU4", "cpu_atom", "tma_retiring", 10 },
		{ "CPU4", "cpu_atom", NULL, 200, .share = 100 } } },
	{ "never ran", "lnl", 1,
	  .counts = { CORE(0, -1, 0, 0, 0, 0, 0, 8, 0) },
	  .rows = 1, .want = {
		{ "all", "cpu_core", "tma_retiring", NAN, -1 },
		{ "all", "cpu_core", NULL, NAN, -1, .share = NAN } } },
	{ "one event did not run on the second CPU", "lnl", 2,
	  .counts = { CORE(0, -1, 400, 200, 40, 56, 104, 8, 8),
		      CORE_2(0, -1, 20, 8, 40, 60, 8, 8),
		      CORE(1, -1, 400, 200, 40, 56, 104, 8, 8),
		      { "cpu_core/topdown-heavy-ops/", 1, -1, 20, 8, 8 },
		      { "cpu_core/topdown-fetch-lat/", 1, -1, 0, 8, 0 } },
	  .rows = 1, .want = {
		{ "all", "cpu_core", "tma_retiring", 50 },
		{ "all", "cpu_core", "tma_heavy_operations", 5 },
		{ "all", "cpu_core", "tma_frontend_bound", 14 },
		{ "all", "cpu_core", "tma_fetch_latency", NAN, 50 },
		{ "all", "cpu_core", "tma_fetch_bandwidth", NAN, 50 } } },
	/*
	 * Two groups were multiplexed, for 1000 and 500 cycles of 1500.  Counts of the second are
	 * scaled with its own 500 cycles.
	 */
	{ "a group is scaled by its clone", "adl", 2,
	  .counts = { { "cpu_atom/cycles/", 4, -1, 1000, 8, 4 },
		      { "cpu_atom/topdown-retiring/", 4, -1, 1000, 8, 4 },
		      { "cpu_atom/topdown-be-bound/", 4, -1, 2000, 8, 4 },
		      { "cpu_atom/topdown-fe-bound/", 4, -1, 1500, 8, 4 },
		      { "cpu_atom/cycles/#2", 4, -1, 500, 8, 4 },
		      { "cpu_atom/TOPDOWN_BAD_SPECULATION.MISPREDICT/", 4, -1, 50, 8, 4 },
		      { "cpu_atom/TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS/", 4, -1, 25, 8, 4 } },
	  .rows = 1, .want = {
		{ "all", "cpu_atom", "tma_retiring", 20, 50 },
		{ "all", "cpu_atom", "tma_bad_speculation", 10, 50 },
		{ "all", "cpu_atom", "tma_branch_mispredicts", 2, 50 },
		{ "all", "cpu_atom", "tma_machine_clears", 1, 50 },
		{ "all", "cpu_atom", NULL, 7500, 50, .share = 100 } } },
	{ "a clone that never ran", "adl", 2,
	  .counts = { { "cpu_atom/cycles/", 4, -1, 1000, 8, 4 },
		      { "cpu_atom/topdown-retiring/", 4, -1, 1000, 8, 4 },
		      { "cpu_atom/cycles/#2", 4, -1, 0, 8, 0 },
		      { "cpu_atom/TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS/", 4, -1, 0, 8, 0 } },
	  .rows = 1, .want = {
		{ "all", "cpu_atom", "tma_retiring", 20, 50 },
		{ "all", "cpu_atom", "tma_machine_clears", NAN, -1 } } },
	/* a quarter of its time on one core type: 800 and 200 slots */
	{ "a task on both kinds of core", "lnl", 1,
	  .counts = { CORE(-1, 100, 800, 400, 80, 112, 208, 8, 2),
		      ATOM(-1, 100, 25, 20, 20, 60, 100, 8, 6) },
	  .rows = 2, .want = {
		{ "all", "cpu_core", NULL, 800, 25, .share = 80 },
		{ "all", "cpu_core", "tma_retiring", 50, 25 },
		{ "all", "cpu_atom", NULL, 200, 75, .share = 20 },
		{ "all", "cpu_atom", "tma_retiring", 10, 75 } } },
	{ "a task on both kinds of core, merged", "lnl", 1, .merge = true,
	  .counts = { CORE(-1, 100, 800, 400, 80, 112, 208, 8, 2),
		      ATOM(-1, 100, 25, 20, 20, 60, 100, 8, 6) },
	  .rows = 1, .want = {
		{ "all", "all", NULL, 1000, .share = -1 },
		{ "all", "all", "tma_retiring", 42 } } },
	{ "a task that was never on an Atom", "lnl", 1,
	  .counts = { CORE(-1, 100, 800, 400, 80, 112, 208, 8, 8),
		      ATOM(-1, 100, 0, 0, 0, 0, 0, 8, 0) },
	  .rows = 2, .want = {
		{ "all", "cpu_core", NULL, 800, .share = 100 },
		{ "all", "cpu_atom", "tma_retiring", NAN, -1 } } },
	/* on the Atom for 6 of 8 ns, with each group for 3 of these */
	{ "a task, groups that take turns", "adl", 2,
	  .counts = { { "cpu_atom/cycles/", -1, 100, 300, 8, 3 },
		      { "cpu_atom/topdown-retiring/", -1, 100, 300, 8, 3 },
		      { "cpu_atom/cycles/#2", -1, 100, 300, 8, 3 },
		      { "cpu_atom/TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS/", -1, 100, 15, 8, 3 } },
	  .rows = 1, .want = {
		{ "all", "cpu_atom", NULL, 3000, 37.5, .share = 100 },
		{ "all", "cpu_atom", "tma_retiring", 20, 37.5 },
		{ "all", "cpu_atom", "tma_machine_clears", 1, 37.5 } } },
	/*
	 * 600 and 300 slots of the tasks on cpu_core, and 80 of the second one
	 * on cpu_atom
	 */
	{ "two tasks, one of them on both kinds of core", "lnl", 1,
	  .counts = { CORE(-1, 100, 600, 300, 60, 60, 180, 8, 8),
		      ATOM(-1, 100, 0, 0, 0, 0, 0, 8, 0),
		      CORE(-1, 101, 300, 150, 30, 30, 90, 8, 4),
		      ATOM(-1, 101, 10, 8, 8, 24, 40, 8, 4) },
	  .rows = 2, .want = {
		{ "all", "cpu_core", "tma_retiring", 50, 75 },
		{ "all", "cpu_core", NULL, 900, 75, .share = 100 * 900. / 980 },
		{ "all", "cpu_atom", "tma_retiring", 10, 25 },
		{ "all", "cpu_atom", NULL, 80, 25, .share = 100 * 80. / 980 } } },
	{ "width not known: over the sum of the four", "new-atom", 1,
	  .counts = { { "cpu/topdown-retiring/", 4, -1, 20, 8, 8 },
		      { "cpu/topdown-bad-spec/", 4, -1, 20, 8, 8 },
		      { "cpu/topdown-fe-bound/", 4, -1, 60, 8, 8 },
		      { "cpu/topdown-be-bound/", 4, -1, 100, 8, 8 } },
	  .rows = 1, .want = {
		{ "all", "cpu", NULL, 200, .share = 100 },
		{ "all", "cpu", "tma_backend_bound", 50, .over = true } } },
	/* the scale of sysfs: 4 slots per cycle */
	{ "scales", "skx", 1,
	  .counts = { { "cpu/topdown-total-slots/", 0, -1, 100, 8, 8 },
		      { "cpu/topdown-slots-retired/", 0, -1, 200, 8, 8 },
		      { "cpu/topdown-slots-issued/", 0, -1, 220, 8, 8 },
		      { "cpu/topdown-fetch-bubbles/", 0, -1, 40, 8, 8 },
		      { "cpu/topdown-recovery-bubbles/", 0, -1, 5, 8, 8 } },
	  .rows = 1, .want = {
		{ "all", "cpu", NULL, 400, .share = 100 },
		{ "all", "cpu", "tma_retiring", 50 },
		{ "all", "cpu", "tma_frontend_bound", 10 },
		{ "all", "cpu", "tma_bad_speculation", 10 },
		{ "all", "cpu", "tma_backend_bound", 30, .over = true } } },
};
/* clang-format on */

static int event_of(const struct td_plan *plan, const char *name)
{
	bool second = strstr(name, "#2") != NULL;
	size_t len = strlen(name) - (second ? 2 : 0);

	for (int i = 0; i < (int)plan->events.nr; i++) {
		if (strncmp(plan->events.v[i].name, name, len) != 0 || plan->events.v[i].name[len])
			continue;
		if (!second)
			return i;
		second = false;
	}
	return -1;
}

static size_t fill(const struct td_plan *plan, const struct count *counts, struct td_reading *v)
{
	size_t nr = 0;

	for (; nr < MAX_COUNTS && counts[nr].event; nr++) {
		const struct count *c = &counts[nr];

		v[nr] = (struct td_reading){
			event_of(plan, c->event), c->cpu, c->tid, c->value, c->enabled, c->running,
		};
		if (v[nr].event < 0)
			ok(false, "no event %s", c->event);
	}
	return nr;
}

static const struct td_row *find_row(const struct td_report *report, const struct want *want)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		if (strcmp(report->rows[i].id, want->id) == 0 &&
		    strcmp(report->rows[i].pmu, want->pmu) == 0)
			return &report->rows[i];
	}
	return NULL;
}

static const struct td_cell *find_cell(const struct td_report *report, const struct td_row *row,
				       const char *metric)
{
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (strcmp(report->columns[i].name, metric) == 0)
			return &row->cells[i];
	}
	return NULL;
}

static double running_of(const struct want *want)
{
	if (want->running < 0)
		return 0;
	return want->running > 0 ? want->running : 100;
}

static void check_row(const char *name, const struct td_row *row, const struct want *want)
{
	bool slots = test_near(row->slots, want->value, 1e-12);
	bool share = want->share < 0 || test_near(row->share_pct, want->share, 1e-12);
	bool running = test_near(row->running_pct, running_of(want), 1e-12);

	ok(slots && share && running, "%s: %s of %s", name, want->pmu, want->id);
	if (!slots || !share || !running)
		printf("# slots %g, share %g, running %g\n", row->slots, row->share_pct,
		       row->running_pct);
}

static enum td_status status_of(const struct want *want)
{
	if (want->none)
		return TD_STATUS_NONE;
	return isnan(want->value) ? TD_STATUS_NOT_COUNTED : TD_STATUS_OK;
}

static void check_cell(const char *name, const struct td_cell *cell, const struct want *want)
{
	double value = want->none ? NAN : want->value;

	ok(cell->status == status_of(want) && test_near(cell->value, value, 1e-12) &&
		   cell->over_threshold == want->over &&
		   (want->none || test_near(cell->running_pct, running_of(want), 1e-12)),
	   "%s: %s of %s, %s", name, want->metric, want->pmu, want->id);
	if (!test_near(cell->value, value, 1e-12))
		printf("# got: %g, running %g\n", cell->value, cell->running_pct);
}

static void check_report(size_t r, const struct td_report *report)
{
	ok(report->nr_rows == rows[r].rows, "%s: %zu rows", rows[r].name, rows[r].rows);
	for (const struct want *want = rows[r].want; want->id; want++) {
		const struct td_row *row = find_row(report, want);

		if (!row)
			ok(false, "%s: row %s %s", rows[r].name, want->id, want->pmu);
		else if (!want->metric)
			check_row(rows[r].name, row, want);
		else
			check_cell(rows[r].name, find_cell(report, row, want->metric), want);
	}
}

/* Evaluates an interval without readings, of which nothing may stay. */
static void evaluate_nothing(struct td_evaluation *evaluation, const struct td_aggregator *agg,
			     size_t r)
{
	const struct td_readings none = { NULL, 0 };
	struct td_totals totals = { 0 };
	struct td_report report = { 0 };

	td_aggregate(agg, &none, evaluation->plan, &totals);
	td_eval(evaluation, &totals, NULL, rows[r].merge, &report);
	td_report_free(&report);
	td_totals_free(&totals);
}

static void test_row(size_t r)
{
	struct td_reading v[MAX_COUNTS];
	struct td_readings readings = { v, 0 };
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_tree tree;
	struct td_totals totals = { 0 };
	struct td_evaluation evaluation;
	struct td_report report = { 0 };
	const struct td_aggregator agg = {
		rows[r].by_cpu ? TD_AGGREGATE_CPU : TD_AGGREGATE_ALL,
	};
	struct td_err err = { 0 };

	test_machine(&machine, rows[r].model);
	test_build_levels(&tree, &plan, &machine, rows[r].level, false, &err);
	td_evaluation_make(&evaluation, &tree, &plan);
	/* clones are added to the plan, as for runs after the first */
	test_plan_levels(&plan, &machine, &tree, &err);
	evaluate_nothing(&evaluation, &agg, r);
	readings.nr = fill(&plan, rows[r].counts, v);
	td_aggregate(&agg, &readings, &plan, &totals);
	td_eval(&evaluation, &totals, NULL, rows[r].merge, &report);
	check_report(r, &report);
	td_report_free(&report);
	td_evaluation_free(&evaluation);
	td_totals_free(&totals);
	td_tree_free(&tree);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	return done_testing();
}
