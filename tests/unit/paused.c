// SPDX-License-Identifier: GPL-2.0-only
/* A node that is paused while its parent is below its threshold. */
#include "metrics/eval/finished.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/test.h"

enum {
	PARENT,
	CHILD,
	SIBLING,
	NR
};

struct batch {
	double slots, parent;
	bool over;             /* the parent is above its threshold */
	double child, sibling; /* NaN: paused */
};

/* Without batches: the events of the child ran for half of the time, and its value was 50 %. */
static const struct {
	const char *name;
	struct batch batches[4]; /* end at slots NaN; slots 0: no task ran */
	/* for the run; for the time when it was counted: 50, 2, 0.1 and 50 */
	double value, error, alike, low;
	const char *child; /* NULL: tma_dram_bound */
	double parent;     /* value of the parent if it is multiplexed; 0: it is not */
} rows[] = {
	{ "never", { { 10, 60, true, 50 }, { 30, 60, true, 50 }, { NAN } }, NAN, 2, 0.1, 50 },
	{ "half of it: between nothing and all that its parent had",
	  { { 10, 5, false, NAN }, { 10, 60, true, 50 }, { NAN } },
	  25,
	  1 + 2.5,
	  0.1 + 2.5,
	  0 },
	{ "half of it, of what is no part of its parent: up to everything",
	  { { 10, 5, false, NAN }, { 10, 60, true, 50 }, { NAN } },
	  25,
	  1 + 50,
	  0.1 + 50,
	  0,
	  "tma_ports_utilized_3m" },
	{ "when there were more slots",
	  { { 30, 5, false, NAN }, { 10, 60, true, 50 }, { NAN } },
	  12.5,
	  0.5 + 3.75,
	  0.1 + 3.75,
	  0 },
	{ "woken late: as later, which never changed",
	  { { 10, 60, true, NAN }, { 10, 60, true, 50 }, { 10, 60, true, 50 }, { NAN } },
	  50,
	  2,
	  0.1,
	  50 },
	{ "woken late: the same part of its parent",
	  { { 10, 30, true, NAN }, { 10, 40, true, 20 }, { 10, 40, true, 20 }, { NAN } },
	  (15 + 20 + 20) / 3.,
	  2 * (55 / 3.) / 50,
	  0.1,
	  50 },
	/* 100 and 50 % of it: 75 on the average, with a deviation of sqrt(1/8) */
	{ "woken late: a part of its parent that changes",
	  { { 10, 60, true, NAN }, { 10, 60, true, 60 }, { 10, 60, true, 30 }, { NAN } },
	  45,
	  2 * 45 / 50. + 1.959964 * 0.35355339 * 20,
	  0.1 + 1.959964 * 0.35355339 * 20,
	  50 },
	{ "woken late: one batch does not tell how much it changes",
	  { { 10, 30, true, NAN }, { 10, 40, true, 20 }, { NAN } },
	  (15 + 20) / 2.,
	  2 * 17.5 / 50 + 7.5,
	  0.1 + 7.5,
	  50 },
	{ "never, but its sibling did: it had other turns then",
	  { { 10, 60, true, 50, NAN }, { 30, 60, true, 20, 10 }, { NAN } },
	  (500 + 600) / 40.,
	  2 * 27.5 / 50,
	  0.1,
	  50 },
	{ "never, but its sibling did, and it was below 0 most of the time",
	  { { 10, 60, true, 10, NAN }, { 30, 60, true, -10, 10 }, { NAN } },
	  (100 - 300) / 40.,
	  2,
	  0.1,
	  50 },
	{ "never, nor its parent, of level 2, which takes turns, too",
	  { { 10, 60, true, 50, NAN },
	    { 10, NAN, false, NAN, 10 },
	    { 30, 20, true, 20, 10 },
	    { NAN } },
	  27.5,
	  1.1,
	  0.1,
	  50,
	  .parent = 30 },
	{ "nothing ran, or elsewhere",
	  { { 0, 5, false, NAN }, { 10, NAN, false, NAN }, { 10, 60, true, 50 }, { NAN } },
	  NAN,
	  2,
	  0.1,
	  50 },
	{ "without batches: from nothing to all that its parent had of the run",
	  { { NAN } },
	  50,
	  50,
	  0.1,
	  50 },
};

static const struct td_column columns[NR] = { { "tma_memory_bound", "%", true },
					      { "tma_dram_bound", "%", true },
					      { "tma_l2_bound", "%", true } };

static struct td_tree make_tree(const char *child)
{
	static struct td_pmu pmu = { .name = (char *)(uintptr_t) "cpu" };
	static const struct td_machine machine = { .pmus = &pmu, .nr_pmus = 1 };
	static struct td_metric_def defs[NR] = {
		{ .name = (char *)(uintptr_t) "tma_memory_bound" },
		{ .name = NULL },
		{ .name = (char *)(uintptr_t) "tma_l2_bound" },
	};
	static struct td_metric metrics[NR] = {
		{ .def = &defs[PARENT], .column = PARENT, .parent = -1, .position = 1 },
		{ .def = &defs[CHILD], .column = CHILD, .family = 1, .position = 2 },
		{ .def = &defs[SIBLING], .column = SIBLING, .family = 1, .position = 3 },
	};
	static struct td_tree_family family = { .node = PARENT };

	defs[CHILD].name = (char *)(uintptr_t)(child ? child : "tma_dram_bound");

	return (struct td_tree){ .machine = &machine,
				 .metrics = metrics,
				 .nr_metrics = NR,
				 .families = &family,
				 .nr_families = 1 };
}

static struct td_report make_report(struct td_row *row, struct td_cell *cells,
				    const struct batch *batch)
{
	const double values[NR] = { batch->parent, batch->child, batch->sibling };

	for (int i = 0; i < NR; i++)
		cells[i] = td_cell_make(isnan(values[i]) ? TD_STATUS_NOT_COUNTED : TD_STATUS_OK,
					values[i]);
	*row = (struct td_row){ .id = "all", .pmu = "cpu", .cells = cells };
	return (struct td_report){
		.columns = columns, .nr_columns = NR, .rows = row, .nr_rows = 1
	};
}

static void add_batch(struct td_ranges *ranges, const struct batch *batch)
{
	struct td_cell cells[NR];
	struct td_row row;
	struct td_report report = make_report(&row, cells, batch);

	row.slots = batch->slots;
	cells[PARENT].over_threshold = batch->over;
	td_ranges_add(ranges, &report, 1);
}

static bool is_near(double a, double b)
{
	return isnan(a) ? isnan(b) : test_near(a, b, 1e-6);
}

static void check(size_t r)
{
	struct td_tree tree = make_tree(rows[r].child);
	struct td_cell cells[NR];
	struct td_row row;
	const struct batch all = { .parent = 60, .child = 50 };
	struct td_report report = make_report(&row, cells, &all);
	struct td_cell *cell = &cells[CHILD];
	struct td_ranges ranges;
	struct td_paused paused;
	bool any;

	cells[PARENT].running_pct = rows[r].parent > 0 ? 20 : 100;
	cells[SIBLING].running_pct = 100;
	cell->running_pct = 50;
	cell->error = 2;
	cell->systematic_error = 0.1;
	cell->low = 50;
	td_ranges_begin(&ranges, &report);
	for (size_t i = 0; !isnan(rows[r].batches[i].slots); i++)
		add_batch(&ranges, &rows[r].batches[i]);
	any = td_paused_find(&paused, &tree, &ranges);
	ok(is_near(rows[r].value, paused.values[CHILD]) && any == !isnan(rows[r].value),
	   "%s: %g %%", rows[r].name, paused.values[CHILD]);
	ok(rows[r].parent > 0 ? is_near(rows[r].parent, paused.values[PARENT])
			      : isnan(paused.values[PARENT]),
	   "%s: its parent", rows[r].name);
	ok(is_near(rows[r].error, cell->error) && is_near(rows[r].alike, cell->systematic_error) &&
		   is_near(rows[r].low, cell->low),
	   "%s: ±%g, ±%g in each run alike, from %g %% on", rows[r].name, cell->error,
	   cell->systematic_error, cell->low);
	td_paused_free(&paused);
	td_ranges_free(&ranges);
}

int main(void)
{
	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
		check(r);
	return done_testing();
}
