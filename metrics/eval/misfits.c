// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds values that are not possible: they show that something disturbed the
 * counting.  They are marked, but not changed and not hidden.
 */
#include "metrics/eval/misfits.h"

#include <math.h>
#include <string.h>

#include "metrics/sets/bottlenecks.h"

/*
 * The margin where no error is known, in points: a step of PERF_METRICS is 0.4
 * of the slots, and a node may be the difference of some fields.
 */
#define MARGIN 2

/* Levels 1 and 2 are shares of the slots on every core; others may not be. */
#define SLOTS_LEVEL 2

static double margin_of(const struct td_cell *cell)
{
	return isnan(cell->error) ? MARGIN : cell->error;
}

static bool is_out_of_range(const struct td_cell *cell)
{
	double margin = margin_of(cell);

	return cell->value < -margin || cell->value > 100 + margin;
}

/* The node above in the order of the tree, or NULL. */
static const struct td_node *parent_of(const struct td_row *row, size_t node)
{
	int depth = row->nodes[node].depth;

	while (depth > 0 && node-- > 0) {
		if (row->nodes[node].depth == depth - 1)
			return &row->nodes[node];
	}
	return NULL;
}

static bool is_above_parent(const struct td_row *row, size_t node)
{
	const struct td_cell *cell = &row->cells[row->nodes[node].column];
	const struct td_node *above = parent_of(row, node);
	const struct td_cell *parent;

	if (!above || row->nodes[node].level > SLOTS_LEVEL)
		return false;
	parent = &row->cells[above->column];
	return parent->status == TD_STATUS_OK &&
	       cell->value >
		       parent->value + margin_of(cell) + margin_of(parent);
}

static void check_row(const struct td_report *report, struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];
		struct td_cell *cell = &row->cells[node->column];
		const struct td_column *column = &report->columns[node->column];
		bool share = node->level || td_is_bottleneck(column->name);

		if (cell->status != TD_STATUS_OK || cell->misfit || !share ||
		    strcmp(column->unit, "%") != 0)
			continue;
		if (is_out_of_range(cell))
			cell->misfit = TD_MISFIT_RANGE;
		else if (is_above_parent(row, i))
			cell->misfit = TD_MISFIT_PARENT;
	}
}

/* --- level 1 of AMD --------------------------------------------------------- */

/* As of the fields of PERF_METRICS, in percent. */
#define LEAST_PCT 99
#define MOST_PCT  (100 * TD_MOST_SUM)

/*
 * Five nodes, each of events of its own, so that nothing but the events makes them
 * all of the slots.  *margin: of their sum.  NaN: it is another tree, or not all
 * of them were counted.
 */
static double sum_of_parts(const struct td_report *report,
			   const struct td_row *row, double *margin)
{
	double sum = 0;
	unsigned int parts = 0;

	*margin = 0;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		int column = row->nodes[i].column;
		const struct td_cell *cell = &row->cells[column];
		enum td_part part = td_part_of(report->columns[column].name);

		if (row->nodes[i].level != 1 || part == TD_NR_PARTS ||
		    cell->status != TD_STATUS_OK)
			continue;
		sum += cell->value;
		*margin += margin_of(cell);
		parts |= 1U << part;
	}
	return parts == (1U << TD_NR_PARTS) - 1 ? sum : NAN;
}

static void check_sum(const struct td_report *report, struct td_row *row)
{
	double margin, sum = sum_of_parts(report, row, &margin);

	if (!(sum < LEAST_PCT - margin || sum > MOST_PCT + margin))
		return;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (row->nodes[i].level == 1 && !cell->misfit)
			cell->misfit = TD_MISFIT_SUM;
	}
}

/* --- level 1 of Intel ------------------------------------------------------- */

/*
 * Where tasks are switched often, the kernel adds what the fields have grown by
 * since the switch before, and leaves out what they fell by, so that more is
 * counted than there was.  By how much each share is wrong is not known: by its
 * part of what is too much, if they are all alike.
 */
#define MOST_TO_BEAR 1.3

static void bear(struct td_cell *cell, double too_much)
{
	if (cell->status != TD_STATUS_OK || isnan(cell->error))
		return;
	cell->error += fabs(cell->value) * too_much;
	if (cell->misfit == TD_MISFIT_SUM)
		cell->misfit = TD_FITS;
}

void td_report_bear_sums(struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];
		double sum = row->fields_sum;

		for (size_t i = 0; i < row->nr_nodes; i++) {
			const struct td_node *node = &row->nodes[i];

			if (node->level && node->level <= SLOTS_LEVEL &&
			    sum > TD_MOST_SUM && sum <= MOST_TO_BEAR)
				bear(&row->cells[node->column], sum - 1);
		}
	}
}

void td_report_find_misfits(struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		check_sum(report, &report->rows[i]);
		check_row(report, &report->rows[i]);
	}
}
