// SPDX-License-Identifier: GPL-2.0-only
/* What all rows of a difference together tell: their marks, and their order. */
#include "metrics/diff/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/index.h"
#include "lib/base/util.h"
#include "metrics/diff/interval.h"

/* Of slots, if they are known: of them, the changes of others are left out. */
static double chance_of(const struct td_diff_row *row)
{
	return isnan(row->slots.diff) ? row->value.chance : row->slots.chance;
}

int td_diff_mark(struct td_diff *diff)
{
	td_autofree double *chances = calloc(diff->nr + 1, sizeof(*chances));
	td_autofree bool *marked = calloc(diff->nr + 1, sizeof(*marked));

	if (!chances || !marked)
		return -ENOMEM;
	for (size_t i = 0; i < diff->nr; i++)
		chances[i] = chance_of(&diff->rows[i]);
	if (td_chance_holm(chances, diff->nr, marked))
		return -ENOMEM;
	for (size_t i = 0; i < diff->nr; i++)
		diff->rows[i].marked = marked[i];
	return 0;
}

/* --- their order ------------------------------------------------------------ */

/* The larger size comes first, and one that is not known last. */
static int larger(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (fabs(a) < fabs(b)) - (fabs(a) > fabs(b));
}

static int by_change(const void *a, const void *b)
{
	const struct td_diff_row *x = a, *y = b;
	bool events = x->kind == TD_DIFF_EVENT;
	int order = (int)(x->kind > TD_DIFF_IPC) - (int)(y->kind > TD_DIFF_IPC);

	if (!order)
		order = isnan(x->value.diff) - isnan(y->value.diff);
	if (!order && x->kind > TD_DIFF_IPC)
		order = larger(x->slots.diff, y->slots.diff);
	/* in different units, so there is no other way to compare them */
	if (!order && events)
		order = larger(x->change_pct, y->change_pct);
	else if (!order && x->kind > TD_DIFF_IPC)
		order = larger(x->value.diff, y->value.diff);
	if (!order)
		order = (x->kind > y->kind) - (x->kind < y->kind);
	return order;
}

struct placed {
	struct td_diff_row row;
	size_t of_id, own;
};

/* Rows that are alike keep their order: it is the tree's. */
static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	bool times = x->row.kind == TD_DIFF_TIME && y->row.kind == TD_DIFF_TIME;
	int order =
		(y->row.kind == TD_DIFF_TIME) - (x->row.kind == TD_DIFF_TIME);

	if (!order)
		order = (x->of_id > y->of_id) - (x->of_id < y->of_id);
	if (!order && !times)
		order = by_change(&x->row, &y->row);
	return order ? order : (x->own > y->own) - (x->own < y->own);
}

/* Where an id was first met; TD_NOT_FOUND: there is no memory. */
static size_t place_of(const struct td_diff *diff, struct td_index *ids,
		       size_t row)
{
	const char *id = diff->rows[row].id;
	uint64_t hash = td_hash_text(id);
	size_t step = 0, at;

	while ((at = td_index_next(ids, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(diff->rows[at].id, id) == 0)
			return at;
	}
	return td_index_add(ids, hash, row) ? TD_NOT_FOUND : row;
}

static int place(const struct td_diff *diff, struct placed *placed)
{
	struct td_index ids = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < diff->nr; i++) {
		size_t of_id = place_of(diff, &ids, i);

		placed[i] = (struct placed){ diff->rows[i], of_id, i };
		rc = of_id == TD_NOT_FOUND ? -ENOMEM : 0;
	}
	td_index_free(&ids);
	return rc;
}

int td_diff_sort(struct td_diff *diff)
{
	td_autofree struct placed *placed =
		calloc(diff->nr + 1, sizeof(*placed));

	if (!placed || place(diff, placed))
		return -ENOMEM;
	qsort(placed, diff->nr, sizeof(*placed), by_place);
	for (size_t i = 0; i < diff->nr; i++)
		diff->rows[i] = placed[i].row;
	return 0;
}
