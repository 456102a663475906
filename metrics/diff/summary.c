// SPDX-License-Identifier: GPL-2.0-only
/* What all rows of a difference together tell: marks, order, what they come to. */
#include "metrics/diff/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/index.h"
#include "lib/base/util.h"
#include "lib/count/course.h"
#include "metrics/diff/interval.h"

#define PERCENT 100

/* --- the marks of rows ---------------------------------------------------- */

/* Of slots, if they are known: of them, the changes of others are left out. */
static double chance_of(const struct td_diff_row *row)
{
	return isnan(row->slots.diff) ? row->value.chance : row->slots.chance;
}

int td_diff_decimals(double value)
{
	double size = fabs(value);

	return size < 10 ? 4 : size < 1000 ? 2 : 0;
}

/* Is it not 0 with so many digits behind the point? */
static bool is_shown(double value, int decimals)
{
	return fabs(value) >= 0.5 * pow(10, -decimals);
}

/* Who sees a mark beside a 0.00 does not know what to think of either. */
static bool is_change_shown(const struct td_diff_row *row)
{
	const double *slots = row->slots.of;

	if (!isnan(row->change.pct))
		return fabs(row->change.pct) >= TD_DIFF_LEAST;
	if (row->unit[0] != '%')
		return row->value.diff != 0;
	return fabs(row->value.diff) >= TD_DIFF_LEAST ||
	       is_shown(row->slots.diff,
			td_diff_decimals(
				fmax(slots[TD_DIFF_A], slots[TD_DIFF_B])));
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
		diff->rows[i].marked =
			marked[i] && is_change_shown(&diff->rows[i]);
	return 0;
}

/* --- the order of rows ---------------------------------------------------- */

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
		order = larger(x->change.pct, y->change.pct);
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

/* --- the node --------------------------------------------------------------- */

static bool is_in_slots(const struct td_diff_row *row)
{
	return row->level && !isnan(row->slots.diff);
}

/* Slots that went the way of the whole. */
static double moved(const struct td_diff_row *row, bool saved)
{
	double diff = saved ? -row->slots.diff : row->slots.diff;

	return is_in_slots(row) ? fmax(diff, 0) : 0;
}

/* Those of level 1 have no slots in common, and are all of them. */
static double all_moved(const struct td_diff *diff, bool saved)
{
	double sum = 0;

	for (size_t i = 0; i < diff->nr; i++) {
		if (diff->rows[i].level == 1)
			sum += moved(&diff->rows[i], saved);
	}
	return sum;
}

static const struct td_diff_row *largest_of_level(const struct td_diff *diff,
						  int level, bool saved)
{
	const struct td_diff_row *largest = NULL;

	for (size_t i = 0; i < diff->nr; i++) {
		const struct td_diff_row *row = &diff->rows[i];

		if (row->level == level && moved(row, saved) > 0 &&
		    (!largest || moved(row, saved) > moved(largest, saved)))
			largest = row;
	}
	return largest;
}

/* One run of each has no chances, so that nothing is marked. */
static bool may_be_told(const struct td_diff_row *row)
{
	return row->marked || isnan(row->slots.chance);
}

/*
 * The deepest one that has most of the slots.  More than all are no share: there
 * its siblings lost what it won.
 */
static void find_node(const struct td_diff *diff, struct td_diff_summary *s)
{
	double all = all_moved(diff, s->saved);

	for (int level = 1; all > 0; level++) {
		const struct td_diff_row *row =
			largest_of_level(diff, level, s->saved);
		double share = row ? moved(row, s->saved) / all : 0;

		if (!row || !may_be_told(row) ||
		    (level > 1 && (share < 0.5 || share > 1)))
			break;
		s->node = row;
		s->node_pct = PERCENT * share;
	}
}

bool td_diff_has_chances(const struct td_diff *diff)
{
	return diff->sides[TD_DIFF_A].nr > 1 || diff->sides[TD_DIFF_B].nr > 1;
}

static bool is_told_to_change(const struct td_diff *diff,
			      const struct td_diff_row *row)
{
	return row->marked || (!td_diff_has_chances(diff) &&
			       !isnan(row->value.diff) && is_change_shown(row));
}

/* The rows are sorted by how much changed; events come by their percentage. */
static const struct td_diff_row *find_most(const struct td_diff *diff,
					   enum td_diff_kind from,
					   enum td_diff_kind to)
{
	for (size_t i = 0; i < diff->nr; i++) {
		const struct td_diff_row *row = &diff->rows[i];

		if (row->kind >= from && row->kind <= to &&
		    is_told_to_change(diff, row))
			return row;
	}
	return NULL;
}

/* --- the whole -------------------------------------------------------------- */

static const struct td_diff_value unknown = { { NAN, NAN }, NAN,   NAN,
					      NAN,          false, NAN };

static struct td_diff_whole whole_of(const struct td_diff_value *value)
{
	struct td_diff_whole whole = { *value, td_diff_change_of(value),
				       false };

	whole.told = fabs(whole.change.pct) >= TD_DIFF_LEAST &&
		     (isnan(value->chance) || value->clear);
	return whole;
}

static void find_whole(const struct td_diff *diff, struct td_diff_summary *s)
{
	bool runs = diff->sides[TD_DIFF_A].of_runs;
	bool made_here = diff->sides[TD_DIFF_A].is_command;
	const struct td_diff_value *time =
		diff->nr && diff->rows[0].kind == TD_DIFF_TIME
			? &diff->rows[0].value
			: &unknown;
	bool recorded = runs && !made_here && !isnan(time->diff);

	s->of_time = made_here || recorded;
	s->whole = whole_of(s->of_time ? time : &diff->slots);
	s->per_run = whole_of(recorded ? &diff->slots_per_run : &unknown);
	s->per_instruction =
		whole_of(recorded ? &diff->slots_per_instruction : &unknown);
}

struct td_diff_summary td_diff_sum_up(const struct td_diff *diff)
{
	struct td_diff_summary s = { 0 };

	find_whole(diff, &s);
	s.saved = diff->slots.diff < 0;
	if (whole_of(&diff->slots).told)
		find_node(diff, &s);
	if (!s.node)
		s.most = find_most(diff, TD_DIFF_METRIC, TD_DIFF_EVENT);
	if (!s.node && !s.most && !s.whole.told)
		s.most = find_most(diff, TD_DIFF_TIME, TD_DIFF_IPC);
	if (s.of_time && !s.whole.told)
		s.busy = find_most(diff, TD_DIFF_TIME, TD_DIFF_TIME);
	if (s.busy == s.most)
		s.busy = NULL;
	return s;
}

/* --- how many --------------------------------------------------------------- */

#define SOME 5   /* what nothing is known of is run so often */
#define MANY 100 /* nobody runs it more often than that */

static bool would_tell(double diff, double of_run, size_t nr)
{
	return diff >
	       td_student(2. * (double)nr - 2) * sqrt(2 * of_run / (double)nr);
}

/* The variance of a value of one run, as its interval has it. */
static double variance_of_run(const struct td_diff_value *v, size_t a, size_t b)
{
	double of_diff = v->error / td_student(v->degrees);

	return of_diff * of_diff / (1 / (double)a + 1 / (double)b);
}

/* Of the time, too, though the sentence may name another row. */
static bool has_marks(const struct td_diff *diff)
{
	for (size_t i = 0; i < diff->nr; i++) {
		if (diff->rows[i].marked)
			return true;
	}
	return false;
}

size_t td_diff_enough(const struct td_diff *diff)
{
	const struct td_diff_summary s = td_diff_sum_up(diff);
	const struct td_diff_value *whole = &s.whole.value;
	size_t a = diff->sides[TD_DIFF_A].nr, b = diff->sides[TD_DIFF_B].nr;
	size_t least = a < b ? a : b, some = least < TD_DIFF_FEW ? SOME : 0;
	size_t nr = some ? some : least + 1;
	double of_run;

	if (least < 2 || isnan(whole->error) || whole->clear || has_marks(diff))
		return some;
	of_run = variance_of_run(whole, a, b);
	while (nr <= MANY && !would_tell(fabs(whole->diff), of_run, nr))
		nr++;
	return nr <= MANY ? nr : some;
}
