// SPDX-License-Identifier: GPL-2.0-only
/* Finds the lost slots of each row, and sorts rows by them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/eval/evaluation.h"
#include "metrics/eval/finished.h"

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

/* Is the row's cgroup within that of another row?  Marks that row. */
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

/* Sum the slots of all rows, except cgroups within others. */
static double all_slots(const struct td_report *report, const struct key *keys)
{
	double sum = 0;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (!isnan(row->slots) && !(keys && is_within(row, keys, report->nr_rows)))
			sum += row->slots;
	}
	return sum;
}

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
	double slots;

	report->has_lost = false;
	slots = all_slots(report, keys);
	for (size_t i = 0; i < report->nr_rows; i++) {
		struct td_row *row = &report->rows[i];

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
