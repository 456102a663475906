// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/table/rank.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static double value_of(const struct td_row *row, const struct td_node *node)
{
	const struct td_cell *cell = &row->cells[node->column];

	return cell->status == TD_STATUS_OK ? cell->value : -INFINITY;
}

/* Equal values keep the order of the columns. */
static int by_value(const void *a, const void *b, void *ctx)
{
	const struct td_node *x = a, *y = b;
	double value_x = value_of(ctx, x), value_y = value_of(ctx, y);

	if (value_x != value_y)
		return value_x > value_y ? -1 : 1;
	return x->column - y->column;
}

static void add_up(struct td_row *row)
{
	row->ranked_sum = 0;
	row->nr_valueless = 0;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (cell->status == TD_STATUS_OK)
			row->ranked_sum += cell->value;
		else if (cell->status != TD_STATUS_NONE)
			row->nr_valueless++;
	}
}

static int rank_row(struct td_row *row)
{
	struct td_node *nodes = calloc(row->nr_nodes + 1, sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < row->nr_nodes; i++)
		nodes[i] = row->nodes[i];
	qsort_r(nodes, row->nr_nodes, sizeof(*nodes), by_value, row);
	if (!row->ranked)
		row->unranked = row->nodes;
	free(row->ranked);
	row->nodes = row->ranked = nodes;
	add_up(row);
	return 0;
}

int td_report_rank(struct td_report *report)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < report->nr_rows; i++)
		rc = rank_row(&report->rows[i]);
	return rc;
}
