// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds impossible values, which show that counting was disturbed.  They are marked, but
 * neither changed nor hidden.
 */
#include <math.h>
#include <string.h>

#include "metrics/eval/evaluation.h"
#include "metrics/eval/finished.h"
#include "metrics/sets/set.h"

/*
 * Margin of values without error, in points: a step of PERF_METRICS is 0.4 % of the slots, and
 * a node may be the difference of several fields.
 */
#define MARGIN 2

#define SLOTS_LEVEL 2 /* deeper levels may be shares of something else */

static double margin_of(const struct td_cell *cell)
{
	return isnan(cell->error) ? MARGIN : cell->error;
}

static bool is_out_of_range(const struct td_cell *cell)
{
	double margin = margin_of(cell);

	return cell->value < -margin || cell->value > 100 + margin;
}

static bool is_above_parent(const struct td_row *row, size_t node)
{
	const struct td_cell *cell = &row->cells[row->nodes[node].column];
	const struct td_node *above = td_eval_parent(row, node);
	const struct td_cell *parent;

	if (!above || row->nodes[node].level > SLOTS_LEVEL)
		return false;
	parent = &row->cells[above->column];
	return parent->status == TD_STATUS_OK &&
	       cell->value > parent->value + margin_of(cell) + margin_of(parent);
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

/* --- level 1, of separate events --------------------------------------------- */

/* The limits of the fields of PERF_METRICS, in percent. */
#define MIN_PCT 99
#define MAX_PCT (100 * TD_MAX_SUM)

#define OF_ALL_CORES ((1U << TD_PART_OTHER) - 1)

/*
 * Sum the nodes of level 1 and their margins.  AMD's five nodes and the four of E-cores have
 * separate events, whose sum need not be 100 %.  Returns NaN for other trees, and if a node
 * was not measured.
 */
static double sum_of_parts(const struct td_report *report, const struct td_row *row, double *margin)
{
	double sum = 0;
	unsigned int parts = 0;

	*margin = 0;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		int column = row->nodes[i].column;
		const struct td_cell *cell = &row->cells[column];
		enum td_part part = td_part_of(report->columns[column].name);

		if (row->nodes[i].level != 1 || part == TD_NR_PARTS)
			continue;
		sum += cell->status == TD_STATUS_OK ? cell->value : NAN;
		*margin += margin_of(cell);
		parts |= 1U << part;
	}
	return (parts & OF_ALL_CORES) == OF_ALL_CORES ? sum : NAN;
}

static void check_sum(const struct td_report *report, struct td_row *row)
{
	double margin, sum = sum_of_parts(report, row, &margin);

	if (!(sum < MIN_PCT - margin || sum > MAX_PCT + margin))
		return;
	for (size_t i = 0; i < row->nr_nodes; i++) {
		struct td_cell *cell = &row->cells[row->nodes[i].column];

		if (row->nodes[i].level == 1 && !cell->misfit)
			cell->misfit = TD_MISFIT_SUM;
	}
}

/* --- level 1 of Intel ------------------------------------------------------- */

/*
 * If tasks are switched often or groups multiplexed, the kernel adds the growth of the fields
 * since the last switch and ignores decreases, so that it counts too much.  How the excess is
 * divided among the four fields is unknown, but no field has more than half, because all four
 * grow and fall.
 */
#define MIN_EXCESS 1.01 /* rounding gives 257 of 255 at most */
#define MAX_EXCESS 1.3
#define HALF_PCT   50

static void widen(struct td_cell *cell, double excess)
{
	if (cell->status != TD_STATUS_OK || isnan(cell->error))
		return;
	cell->error += fmax(fabs(cell->value), HALF_PCT) * excess;
	if (cell->misfit == TD_MISFIT_SUM)
		cell->misfit = TD_FITS;
}

void td_report_widen_errors(struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];
		double sum = row->fields_sum;

		for (size_t i = 0; i < row->nr_nodes; i++) {
			const struct td_node *node = &row->nodes[i];

			if (node->level && node->level <= SLOTS_LEVEL && sum > MIN_EXCESS &&
			    sum <= MAX_EXCESS)
				widen(&row->cells[node->column], sum - 1);
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
