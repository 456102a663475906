// SPDX-License-Identifier: GPL-2.0-only
/* Nodes that are above their thresholds at both ends of their intervals. */
#include "lib/base/util.h"
#include "metrics/eval/eval.h"
#include "metrics/table/table.h"
#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

/*
 * Lunar Lake, 1000 slots: backend 30 % (over 20), memory 22 % (over 20 if
 * backend is), retiring 60 % (not over 70) with 11 % heavy (over 10).
 */
static const struct {
	const char *event;
	uint64_t value;
} counts[] = {
	{ "cpu_core/slots/", 1000 },
	{ "cpu_core/topdown-retiring/", 600 },
	{ "cpu_core/topdown-bad-spec/", 50 },
	{ "cpu_core/topdown-fe-bound/", 50 },
	{ "cpu_core/topdown-be-bound/", 300 },
	{ "cpu_core/topdown-heavy-ops/", 110 },
	{ "cpu_core/topdown-br-mispredict/", 20 },
	{ "cpu_core/topdown-fetch-lat/", 20 },
	{ "cpu_core/topdown-mem-bound/", 220 },
};

static const struct {
	const char *metric;
	/* errors of the metric, and of its parent or, for retiring, of heavy operations */
	double error, other;
	bool clear;
} rows[] = {
	{ "tma_backend_bound", 5, 0, true },    { "tma_backend_bound", 11, 0, false },
	{ "tma_backend_bound", NAN, 0, false }, { "tma_memory_bound", 1, 1, true },
	{ "tma_memory_bound", 3, 1, false },    { "tma_memory_bound", 1, 11, false },
	{ "tma_memory_bound", 1, NAN, false },  { "tma_retiring", 20, 0.5, true },
	{ "tma_retiring", 5, 2, false },        { "tma_frontend_bound", 0, 0, false },
};

static void fill(const struct td_plan *plan, struct td_reading *v, size_t *nr)
{
	*nr = 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(counts); i++) {
		for (int j = 0; j < (int)plan->events.nr; j++) {
			if (strcmp(plan->events.v[j].name, counts[i].event) != 0)
				continue;
			v[(*nr)++] = (struct td_reading){ j, 0, -1, counts[i].value, 8, 8 };
			break;
		}
	}
}

static struct td_cell *cell_of(const struct td_report *report, const char *name)
{
	static struct td_cell none;

	for (size_t i = 0; i < report->nr_columns; i++) {
		if (strcmp(report->columns[i].name, name) == 0)
			return &report->rows[0].cells[i];
	}
	return &none;
}

static void test_row(const struct td_evaluation *e, struct td_report *report, size_t r)
{
	const char *other = strcmp(rows[r].metric, "tma_retiring") == 0 ? "tma_heavy_operations"
									: "tma_backend_bound";

	for (size_t i = 0; i < report->nr_columns; i++)
		report->rows[0].cells[i].error = 0;
	cell_of(report, other)->error = rows[r].other;
	cell_of(report, rows[r].metric)->error = rows[r].error;
	td_eval_find_clear(e, report);
	ok(cell_of(report, rows[r].metric)->clear_of_threshold == rows[r].clear,
	   "%s +- %g, the other +- %g", rows[r].metric, rows[r].error, rows[r].other);
}

int main(void)
{
	const struct td_aggregator agg = { TD_AGGREGATE_ALL };
	struct td_reading v[TD_ARRAY_SIZE(counts)];
	struct td_readings readings = { v, 0 };
	struct td_totals totals = { 0 };
	struct td_report report = { 0 };
	struct td_evaluation e;
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_tree tree;
	struct td_err err = { 0 };

	test_machine(&machine, "lnl");
	test_build_levels(&tree, &plan, &machine, 2, false, &err);
	td_evaluation_make(&e, &tree, &plan);
	fill(&plan, v, &readings.nr);
	td_aggregate(&agg, &readings, &plan, &totals);
	td_eval(&e, &totals, NULL, false, &report);
	ok(readings.nr == TD_ARRAY_SIZE(counts), "a row of values");
	ok(!cell_of(&report, "tma_backend_bound")->clear_of_threshold,
	   "nothing is clear before errors are known");
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(&e, &report, r);
	/* --bottlenecks */
	td_report_rank(&report);
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(&e, &report, r);
	td_report_free(&report);
	td_evaluation_free(&e);
	td_totals_free(&totals);
	td_tree_free(&tree);
	td_plan_free(&plan);
	td_machine_free(&machine);
	return done_testing();
}
