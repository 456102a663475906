// SPDX-License-Identifier: GPL-2.0-only
/* Merges the rows of a machine's PMUs into one. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/eval/evaluation.h"

static void merge_remarks(struct td_cell *cell, const struct td_cell *part)
{
	cell->other_slices |= part->other_slices;
	cell->over_unknown |= part->over_unknown;
	/* their sum stays the same only if each part does */
	cell->running_ns += part->running_ns;
	cell->why = cell->why ? cell->why : part->why;
}

/*
 * Merges one metric: the mean of the PMUs' values, weighted by their slots.  A
 * PMU with 0 slots did nothing and is ignored; one without the metric, or with
 * unknown slots, leaves the merged row without a value.  The time that a task
 * ran on each PMU adds up, while CPUs count as running only as long as the PMU
 * that ran least.
 */
static void merge_cell(const struct td_row *rows, size_t nr, size_t column,
		       const char *unit, bool tasks, struct td_cell *cell)
{
	static const char no_slots[] =
		"the slots of a kind of core are not known";
	double sum = 0, weight = 0, over = 0, running = tasks ? 0 : TD_PERCENT;

	*cell = td_cell_make(TD_STATUS_NOT_COUNTED, NAN);
	/* only shares can be weighted by slots */
	if (strcmp(unit, "%") != 0) {
		cell->status = TD_STATUS_NONE;
		return;
	}
	for (size_t i = 0; i < nr; i++) {
		const struct td_cell *part = &rows[i].cells[column];

		cell->matters |= part->matters;
		if (rows[i].absent)
			continue;
		if (isnan(rows[i].slots)) {
			cell->why = part->why ? part->why : no_slots;
			return;
		}
		if (rows[i].slots <= 0)
			continue;
		if (part->status == TD_STATUS_NONE)
			cell->status = TD_STATUS_NONE;
		merge_remarks(cell, part);
		sum += part->value * rows[i].slots;
		weight += rows[i].slots;
		over += part->over_threshold ? rows[i].slots : 0;
		running = tasks ? running + part->running_pct
				: fmin(running, part->running_pct);
	}
	if (weight <= 0)
		return;
	cell->running_pct = fmin(running, TD_PERCENT);
	if (isnan(sum))
		return;
	cell->status = TD_STATUS_OK;
	cell->why = NULL;
	cell->value = sum / weight;
	cell->over_threshold = over * 2 > weight;
}

static const struct td_node *node_of(const struct td_row *row, size_t column)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (row->nodes[i].column == (int)column)
			return &row->nodes[i];
	}
	return NULL;
}

static bool same_parent(const struct td_node *a, const struct td_node *b)
{
	if (!a->parent || !b->parent)
		return a->parent == b->parent;
	return strcmp(a->parent, b->parent) == 0;
}

/*
 * Does a name mean the same metric on all PMUs?  Atom cores use some names of
 * the P-cores for shares of slots, where P-cores have shares of cycles at
 * another place in the tree.
 */
static bool is_one_thing(const struct td_row *rows, size_t nr, size_t column)
{
	const struct td_node *first = NULL;

	for (size_t i = 0; i < nr; i++) {
		const struct td_node *node = node_of(&rows[i], column);

		if (!node)
			continue;
		if (!first)
			first = node;
		if (!same_parent(first, node))
			return false;
	}
	return true;
}

/* The row with the most slots, which makes up most of the value. */
static const struct td_row *largest(const struct td_row *rows, size_t nr)
{
	const struct td_row *best = &rows[0];

	for (size_t i = 1; i < nr; i++) {
		if (isnan(best->slots) || rows[i].slots > best->slots)
			best = &rows[i];
	}
	return best;
}

/* Can the row lack metrics?  Not if nothing ran on its PMU. */
static bool takes_part(const struct td_row *row)
{
	return !row->absent && !(row->slots <= 0);
}

static bool is_gone(const struct td_cell *cells, const struct td_node *node)
{
	return cells[node->column].status == TD_STATUS_NONE;
}

/* Is the node's parent left out?  Nodes come after their ancestors. */
static bool has_lost_parent(const struct td_row *row, size_t i,
			    const struct td_cell *cells)
{
	size_t above = i;

	if (row->nodes[i].depth == 0)
		return false;
	while (row->nodes[above].depth >= row->nodes[i].depth)
		above--;
	return is_gone(cells, &row->nodes[above]);
}

static bool has_lost_sibling(const struct td_row *row, size_t i,
			     const struct td_cell *cells)
{
	for (size_t j = 0; row->nodes[i].parent && j < row->nr_nodes; j++) {
		if (same_parent(&row->nodes[i], &row->nodes[j]) &&
		    is_gone(cells, &row->nodes[j]))
			return true;
	}
	return false;
}

/*
 * Leaves out siblings and descendants of nodes that are left out, as children
 * add up to their parent only if all of them are there.
 */
static bool leave_out_parts_of(const struct td_row *row, struct td_cell *cells)
{
	bool any = false;

	for (size_t i = 0; takes_part(row) && i < row->nr_nodes; i++) {
		if (is_gone(cells, &row->nodes[i]) ||
		    (!has_lost_parent(row, i, cells) &&
		     !has_lost_sibling(row, i, cells)))
			continue;
		/* a mark of a value that is not there would be left */
		cells[row->nodes[i].column] = td_cell_make(TD_STATUS_NONE, NAN);
		any = true;
	}
	return any;
}

static void leave_out_parts(const struct td_row *rows, size_t nr,
			    struct td_cell *cells)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < nr; i++)
			again |= leave_out_parts_of(&rows[i], cells);
	}
}

/*
 * Does every kind of core have the column's metric, as a share of the same
 * thing?
 */
static bool is_mergeable(const struct td_row *rows, size_t nr,
			 const struct td_column *columns, size_t column)
{
	for (size_t i = 0; i < nr; i++) {
		if (!node_of(&rows[i], column))
			return false;
	}
	return nr == 1 || (strcmp(columns[column].unit, "%") == 0 &&
			   is_one_thing(rows, nr, column));
}

/* Is it a column of rows that are merged, not of the whole package's? */
static bool is_merged(const struct td_tree *tree, size_t column)
{
	for (size_t i = 0; i < tree->nr_package_nodes; i++) {
		if (tree->package_nodes[i].column == (int)column)
			return false;
	}
	return tree->columns[column].present;
}

static size_t count_merged(const struct td_tree *tree)
{
	size_t nr = 0;

	for (size_t i = 0; i < tree->nr_columns; i++)
		nr += is_merged(tree, i);
	return nr;
}

int td_merge_plan(const struct td_tree *tree, struct td_merge *merge)
{
	td_autofree struct td_row *rows =
		calloc(tree->nr_pmus + 1, sizeof(*rows));
	td_autofree struct td_cell *cells =
		calloc(tree->nr_columns + 1, sizeof(*cells));
	size_t nr = 0;

	*merge = (struct td_merge){ 0 };
	if (!rows || !cells)
		return -ENOMEM;
	for (size_t i = 0; i < tree->nr_pmus; i++) {
		if (tree->machine->pmus[i].skip)
			continue;
		rows[nr].nodes = tree->nodes[i];
		rows[nr].nr_nodes = tree->nr_nodes[i];
		rows[nr++].slots = NAN;
	}
	for (size_t i = 0; i < tree->nr_columns; i++) {
		if (is_mergeable(rows, nr, tree->columns, i))
			continue;
		cells[i].status = TD_STATUS_NONE;
		merge->nr_lacking += is_merged(tree, i);
	}
	leave_out_parts(rows, nr, cells);
	for (size_t i = 0; i < tree->nr_columns; i++)
		merge->nr_kept +=
			is_merged(tree, i) && cells[i].status != TD_STATUS_NONE;
	merge->nr_parts =
		count_merged(tree) - merge->nr_lacking - merge->nr_kept;
	return 0;
}

/* All kinds of core together have all slots. */
static double merged_share(const struct td_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (rows[i].share_pct >= 0)
			return TD_PERCENT;
	}
	return NAN;
}

void td_eval_merge(const struct td_evaluation *e, struct td_report *report,
		   size_t first, const char *id)
{
	struct td_row *rows = report->rows + first;
	size_t nr = report->nr_rows - first;
	const struct td_row *main = largest(rows, nr);
	struct td_row merged = td_row_init(id, "all");

	merged.slots = 0;
	merged.nodes = main->nodes;
	merged.nr_nodes = main->nr_nodes;
	merged.share_pct = merged_share(rows, nr);
	td_eval_merge_busy(rows, nr, &merged);
	merged.idle = td_eval_is_idle(e, &merged);
	for (size_t i = 0; i < report->nr_columns; i++) {
		struct td_cell cell;

		merge_cell(rows, nr, i, report->columns[i].unit, e->tasks,
			   &cell);
		if (!is_one_thing(rows, nr, i))
			cell.status = TD_STATUS_NONE;
		/* written last, as the first row's cells are input, too */
		rows[0].cells[i] = cell;
	}
	leave_out_parts(rows, nr, rows[0].cells);
	for (size_t i = 0; i < nr; i++)
		merged.slots += isnan(rows[i].slots) ? 0 : rows[i].slots;
	merged.cells = rows[0].cells;
	for (size_t i = 0; i < report->nr_columns; i++) {
		const struct td_cell *cell = &merged.cells[i];

		if (cell->status != TD_STATUS_NONE)
			merged.running_pct =
				fmax(merged.running_pct, cell->running_pct);
		if (cell->status == TD_STATUS_OK)
			merged.running_least_pct = fmin(
				merged.running_least_pct, cell->running_pct);
	}
	rows[0] = merged;
	report->nr_rows = first + 1;
	td_eval_find_what_matters(&rows[0]);
}
