// SPDX-License-Identifier: GPL-2.0-only
/* Finds the lost slots of each row, sorts rows by them, and finds impossible values. */
#include <math.h>

#include "lib/base/util.h"
#include "metrics/eval/evaluation.h"
#include "metrics/eval/finished.h"
#include "metrics/sets/set.h"

/* --- cgroups within cgroups ------------------------------------------------ */

/* Key of a row: the first len bytes of its id, and its PMU. */
struct key {
	const char *id, *pmu;
	size_t len;
	struct td_row *row;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	size_t least = x->len < y->len ? x->len : y->len;
	int order = memcmp(x->id, y->id, least);

	if (!order && x->len != y->len)
		order = x->len < y->len ? -1 : 1;
	return order ? order : strcmp(x->pmu, y->pmu);
}

static struct key *sort_keys(const struct td_report *report)
{
	struct key *keys = td_calloc(report->nr_rows + 1, sizeof(*keys));

	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_row *row = &report->rows[i];

		keys[i] = (struct key){ row->id, row->pmu, strlen(row->id), row };
	}
	qsort(keys, report->nr_rows, sizeof(*keys), compare_keys);
	return keys;
}

/* Is the row's cgroup within the cgroup of another row?  If so, marks the other row. */
static bool is_within(const struct td_row *row, const struct key *keys, size_t nr)
{
	struct key above = { row->id, row->pmu, strlen(row->id), NULL };
	const struct key *found = NULL;

	while (!found && above.len--) {
		if (row->id[above.len] == '/')
			found = bsearch(&above, keys, nr, sizeof(*keys), compare_keys);
	}
	/* the root cgroup is not a prefix of the others */
	above = (struct key){ "/", row->pmu, 1, NULL };
	if (!found && strcmp(row->id, above.id) != 0)
		found = bsearch(&above, keys, nr, sizeof(*keys), compare_keys);
	if (found)
		found->row->holds_others = true;
	return found != NULL;
}

/* --- shares ---------------------------------------------------------------- */

/* Find the cell of retiring; NULL if the tree does not have the node. */
static const struct td_cell *retiring_of(const struct td_report *report, const struct td_row *row)
{
	for (size_t i = 0; i < row->nr_nodes; i++) {
		int column = row->nodes[i].column;

		if (row->nodes[i].level == 1 &&
		    td_part_of(report->columns[column].name) == TD_PART_RETIRING)
			return &row->cells[column];
	}
	return NULL;
}

static void set_lost(const struct td_report *report, struct td_row *row, double slots)
{
	const struct td_cell *retiring = retiring_of(report, row);

	row->lost_pct = row->lost_error = NAN;
	if (!retiring)
		return;
	row->lost_pct = row->slots * (TD_PERCENT - td_cell_value(retiring)) / slots;
	row->lost_error = row->slots * retiring->error / slots;
}

void td_report_find_lost(struct td_report *report, bool cgroups)
{
	td_autofree struct key *keys = cgroups ? sort_keys(report) : NULL;
	double slots = 0;

	/* cgroups within others are counted there */
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (!isnan(row->slots) && !(keys && is_within(row, keys, report->nr_rows)))
			slots += row->slots;
	}
	report->has_lost = false;
	td_for_each(struct td_row, row, report->rows, report->nr_rows) {
		set_lost(report, row, slots);
		report->has_lost |=
			!isnan(row->lost_pct) && strcmp(row->id, report->rows[0].id) != 0;
	}
}

/* --- order ----------------------------------------------------------------- */

/* Sort key of a row; unknown numbers are -1. */
struct place {
	const struct td_row *row;
	size_t id;            /* first row of the id */
	double lost_pct, all; /* lost slots and slots of the id */
	double slots;
};

static int larger_first(double a, double b)
{
	return (a < b) - (a > b);
}

static int by_size(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int rc = larger_first(x->lost_pct, y->lost_pct);

	if (!rc && x->lost_pct < 0)
		rc = larger_first(x->all, y->all);
	if (!rc && x->id != y->id)
		rc = x->id > y->id ? 1 : -1;
	if (!rc)
		rc = larger_first(x->slots, y->slots);
	return rc ? rc : (x->row > y->row) - (x->row < y->row);
}

static void find_places(const struct td_report *report, struct place *places)
{
	size_t end;

	for (size_t i = 0; i < report->nr_rows; i = end) {
		const char *id = report->rows[i].id;
		double lost = -1, all = -1;

		for (end = i; end < report->nr_rows && strcmp(report->rows[end].id, id) == 0;
		     end++) {
			const struct td_row *row = &report->rows[end];

			if (!isnan(row->lost_pct))
				lost = fmax(lost, 0) + row->lost_pct;
			if (!isnan(row->slots))
				all = fmax(all, 0) + row->slots;
		}
		for (size_t j = i; j < end; j++) {
			const struct td_row *row = &report->rows[j];

			places[j] = (struct place){ row, i, lost, all,
						    isnan(row->slots) ? -1 : row->slots };
		}
	}
}

void td_report_sort_by_size(struct td_report *report)
{
	size_t nr = report->nr_rows;
	td_autofree struct place *order = td_calloc(nr + 1, sizeof(*order));
	td_autofree struct td_row *sorted = td_calloc(nr + 1, sizeof(*sorted));

	find_places(report, order);
	qsort(order, nr, sizeof(*order), by_size);
	for (size_t i = 0; i < nr; i++)
		sorted[i] = *order[i].row;
	for (size_t i = 0; i < nr; i++)
		report->rows[i] = sorted[i];
}

/*
 * Finds impossible values, which show that counting was disturbed.  They are marked, but
 * neither changed nor hidden.
 */

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
 * If tasks are switched often or groups are multiplexed, the kernel adds the growth of the fields
 * since the last switch and ignores decreases, so it counts too much.  The distribution of the
 * excess over the four fields is unknown, but no field has more than half, because all four grow
 * and fall.
 */
#define MIN_EXCESS 1.01 /* rounding can only make the fields add up to 257/255 */
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
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		double sum = row->fields_sum;

		td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
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
