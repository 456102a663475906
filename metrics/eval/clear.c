// SPDX-License-Identifier: GPL-2.0-only
/* Finds the nodes that are over their thresholds for sure. */
#include <math.h>
#include <string.h>

#include "metrics/eval/eval.h"

/* The metric's cell; NULL if it is not shown, or is of another PMU. */
static struct td_cell *cell_of(const struct td_metric *metric, int pmu,
			       const struct td_row *row)
{
	if (metric->pmu != pmu || metric->column < 0)
		return NULL;
	return &row->cells[metric->column];
}

/*
 * Moves the values of all shown metrics to one end of their intervals: side is
 * -1 or 1.  Those that are not shown have no error, and stay.
 */
static void shift(const struct td_evaluation *e, int pmu,
		  const struct td_row *row, int side)
{
	const struct td_tree *tree = e->tree;

	memcpy(e->shifted, e->values, tree->nr_operands * sizeof(*e->shifted));
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];
		const struct td_cell *cell = cell_of(metric, pmu, row);

		if (cell)
			e->shifted[metric->slot] =
				(cell->value + side * cell->error) /
				metric->def->factor;
	}
}

/* Forgets the cells whose threshold does not hold at one end. */
static void check_end(const struct td_evaluation *e, int pmu,
		      const struct td_row *row, int side)
{
	const struct td_tree *tree = e->tree;

	shift(e, pmu, row, side);
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];
		struct td_cell *cell = cell_of(metric, pmu, row);

		/* NaN, of an unknown error, is no */
		if (cell && cell->clear_of_threshold)
			cell->clear_of_threshold =
				td_expr_eval(metric->threshold, e->shifted) > 0;
	}
}

/* A merged row has the nodes of the PMU with the most slots. */
static int pmu_of(const struct td_tree *tree, const struct td_row *row)
{
	const struct td_node *nodes = row->ranked ? row->unranked : row->nodes;

	for (int i = 0; i < (int)tree->nr_pmus; i++) {
		if (tree->nodes[i] == nodes)
			return i;
	}
	return -1;
}

/*
 * Thresholds of nodes are comparisons joined by "and" and "or", so what is true
 * at both ends is true in between.  A threshold may name further nodes, such as
 * the parent, which are moved along.
 */
void td_eval_find_clear(const struct td_evaluation *e, struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];
		int pmu = pmu_of(e->tree, row);

		for (size_t i = 0; i < report->nr_columns; i++) {
			struct td_cell *cell = &row->cells[i];

			cell->clear_of_threshold = pmu >= 0 &&
						   cell->over_threshold &&
						   !isnan(cell->error);
		}
		if (pmu < 0)
			continue;
		check_end(e, pmu, row, -1);
		check_end(e, pmu, row, 1);
	}
}
