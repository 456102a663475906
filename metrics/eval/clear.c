// SPDX-License-Identifier: GPL-2.0-only
/* Finds the nodes that are over their thresholds for sure. */
#include <math.h>
#include <string.h>

#include "metrics/eval/parts.h"

/* The metric's cell; NULL if it is not shown. */
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
			e->shifted[metric->slot] +=
				side * cell->error / metric->def->factor;
	}
}

/*
 * Thresholds of nodes are comparisons joined by "and" and "or", so what is true
 * at both ends is true in between.  A threshold may name further nodes, such as
 * the parent, which are moved along.
 */
void td_eval_find_what_is_clear(const struct td_evaluation *e, int pmu,
				struct td_row *row)
{
	const struct td_tree *tree = e->tree;

	for (size_t i = 0; i < tree->nr_metrics; i++) {
		struct td_cell *cell = cell_of(&tree->metrics[i], pmu, row);

		if (cell)
			cell->clear_of_threshold =
				cell->over_threshold && !isnan(cell->error);
	}
	for (int side = -1; side <= 1; side += 2) {
		shift(e, pmu, row, side);
		for (size_t i = 0; i < tree->nr_metrics; i++) {
			const struct td_metric *metric = &tree->metrics[i];
			struct td_cell *cell = cell_of(metric, pmu, row);

			if (!cell || !cell->clear_of_threshold)
				continue;
			/* NaN, of an unknown error, is no */
			cell->clear_of_threshold =
				td_expr_eval(metric->threshold, e->shifted) > 0;
		}
	}
}
