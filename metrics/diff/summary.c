// SPDX-License-Identifier: GPL-2.0-only
/* Marks and sorts the rows of a difference, and sums them up. */
#include "metrics/diff/diff.h"

#include <math.h>

#include "lib/base/util.h"
#include "lib/count/timeline.h"
#include "metrics/diff/interval.h"

#define PERCENT 100

/* --- the marks of rows ---------------------------------------------------- */

/* Are the sides commands that ran to their end, recorded or run here? */
static bool is_of_time(const struct td_diff *diff)
{
	const struct td_diff_side *a = &diff->sides[TD_DIFF_A];

	return a->is_command || (a->of_runs && diff->nr && diff->rows[0].kind == TD_DIFF_TIME &&
				 !isnan(diff->rows[0].value.diff));
}

enum asked {
	NOT_ASKED,
	OF_FIRST_LINE, /* the time, which is in the first line of the output */
	BY_NAME,       /* named by --fail-above */
	NR_ASKED,
};

static enum asked how_asked(const struct td_diff *diff, size_t row)
{
	if (diff->limits && td_limits_has(diff->limits, &diff->rows[row]))
		return BY_NAME;
	return !row && is_of_time(diff) ? OF_FIRST_LINE : NOT_ASKED;
}

/*
 * Is the row tested by its slots, which do not include changes of other nodes?  Rows of
 * --fail-above are not, because their limits are in points.
 */
static bool is_of_slots(const struct td_diff *diff, size_t row)
{
	return !isnan(diff->rows[row].slots.diff) && how_asked(diff, row) != BY_NAME;
}

int td_diff_decimals(double value)
{
	double size = fabs(value);

	return size < 10 ? 4 : size < 1000 ? 2 : 0;
}

/* Is the change shown as more than 0.00?  A mark beside 0.00 would be confusing. */
static bool is_change_shown(const struct td_diff_row *row, bool of_slots)
{
	double slots = fmax(row->slots.of[TD_DIFF_A], row->slots.of[TD_DIFF_B]);
	double least_slots = 0.5 * pow(10, -td_diff_decimals(slots));

	if (!isnan(row->change.pct))
		return fabs(row->change.pct) >= TD_DIFF_MIN;
	if (row->unit[0] != '%')
		return row->value.diff != 0;
	return fabs(row->value.diff) >= TD_DIFF_MIN ||
	       (of_slots && fabs(row->slots.diff) >= least_slots);
}

/* Set the weights: rows with limits get half of the weight, the time half of the remainder. */
static void weigh(const struct td_diff *diff, const double *chances, double *weights)
{
	static const double shares[NR_ASKED] = { 1, 1, 2 };
	size_t nr[NR_ASKED] = { 0 };

	for (size_t i = 0; i < diff->nr; i++)
		nr[how_asked(diff, i)] += isnan(chances[i]) ? 0 : 1;
	for (size_t i = 0; i < diff->nr; i++) {
		enum asked asked = how_asked(diff, i);

		weights[i] = shares[asked] / (double)nr[asked];
	}
}

void td_diff_mark(struct td_diff *diff)
{
	td_autofree double *chances = td_calloc(diff->nr + 1, sizeof(*chances));
	td_autofree double *weights = td_calloc(diff->nr + 1, sizeof(*weights));
	td_autofree bool *marked = td_calloc(diff->nr + 1, sizeof(*marked));

	for (size_t i = 0; i < diff->nr; i++)
		chances[i] = is_of_slots(diff, i) ? diff->rows[i].slots.chance
						  : diff->rows[i].value.chance;
	weigh(diff, chances, weights);
	td_holm_mark(chances, weights, diff->nr, marked);
	for (size_t i = 0; i < diff->nr; i++)
		diff->rows[i].marked =
			marked[i] && is_change_shown(&diff->rows[i], is_of_slots(diff, i));
}

/* --- the order of rows ---------------------------------------------------- */

/* Order by size, largest first and unknown last. */
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
	/* rows that changed only by noise come after marked rows, however large they are */
	if (!order && x->kind > TD_DIFF_IPC)
		order = (int)y->marked - (int)x->marked;
	if (!order && x->kind > TD_DIFF_IPC)
		order = larger(x->slots.diff, y->slots.diff);
	/* events have different units */
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
	size_t of_id, own; /* position of the first row with its id, and of the row itself */
};

/* Compare positions, so that the sort is stable and rows keep the order of the tree. */
static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	bool times = x->row.kind == TD_DIFF_TIME && y->row.kind == TD_DIFF_TIME;
	int order = (y->row.kind == TD_DIFF_TIME) - (x->row.kind == TD_DIFF_TIME);

	if (!order)
		order = (x->of_id > y->of_id) - (x->of_id < y->of_id);
	if (!order && !times)
		order = by_change(&x->row, &y->row);
	return order ? order : (x->own > y->own) - (x->own < y->own);
}

/* Return the first row with the same id. */
static size_t place_of(const struct td_diff *diff, struct td_index *ids, size_t row)
{
	const char *id = diff->rows[row].id;
	uint64_t hash = td_hash_text(id);
	size_t step = 0, at;

	while ((at = td_index_next(ids, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(diff->rows[at].id, id) == 0)
			return at;
	}
	td_index_add(ids, hash, row);
	return row;
}

void td_diff_sort(struct td_diff *diff)
{
	td_autofree struct placed *placed = td_calloc(diff->nr + 1, sizeof(*placed));
	struct td_index ids = { 0 };

	for (size_t i = 0; i < diff->nr; i++)
		placed[i] = (struct placed){ diff->rows[i], place_of(diff, &ids, i), i };
	td_index_free(&ids);
	qsort(placed, diff->nr, sizeof(*placed), by_place);
	for (size_t i = 0; i < diff->nr; i++)
		diff->rows[i] = placed[i].row;
}

/* --- the node --------------------------------------------------------------- */

/* Return the slots that changed in the same direction as the total. */
static double moved(const struct td_diff_row *row, bool saved)
{
	double diff = saved ? -row->slots.diff : row->slots.diff;

	return row->level && !isnan(row->slots.diff) ? fmax(diff, 0) : 0;
}

/* Sum the moved slots of level 1, whose nodes are disjoint and together are all slots. */
static double all_moved(const struct td_diff *diff, bool saved)
{
	double sum = 0;

	for (size_t i = 0; i < diff->nr; i++) {
		if (diff->rows[i].level == 1)
			sum += moved(&diff->rows[i], saved);
	}
	return sum;
}

static const struct td_diff_row *largest_of_level(const struct td_diff *diff, int level, bool saved)
{
	const struct td_diff_row *largest = NULL;

	td_for_each(const struct td_diff_row, row, diff->rows, diff->nr) {
		if (row->level == level && moved(row, saved) > 0 &&
		    (!largest || moved(row, saved) > moved(largest, saved)))
			largest = row;
	}
	return largest;
}

/*
 * Find the deepest node with most of the moved slots.  A node that moved more slots than all
 * together is left out, because its siblings changed in the other direction.
 */
static void find_node(const struct td_diff *diff, struct td_diff_summary *s)
{
	double all = all_moved(diff, s->saved);

	for (int level = 1; all > 0; level++) {
		const struct td_diff_row *row = largest_of_level(diff, level, s->saved);
		double share = row ? moved(row, s->saved) / all : 0;

		/* a row is named if it is significant, or the noise is unknown */
		if (!row || (!row->marked && !isnan(row->slots.chance)) ||
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

static bool is_known_to_change(const struct td_diff *diff, const struct td_diff_row *row)
{
	return row->marked || (!td_diff_has_chances(diff) && !isnan(row->value.diff) &&
			       is_change_shown(row, true));
}

/* Find the first row in a range of kinds, which is the largest change; NULL: none. */
static const struct td_diff_row *find_most(const struct td_diff *diff, enum td_diff_kind from,
					   enum td_diff_kind to)
{
	td_for_each(const struct td_diff_row, row, diff->rows, diff->nr) {
		if (row->kind >= from && row->kind <= to && is_known_to_change(diff, row))
			return row;
	}
	return NULL;
}

/* --- the whole -------------------------------------------------------------- */

static const struct td_diff_value unknown = { { NAN, NAN }, NAN, NAN, NAN, false, NAN };

static struct td_diff_whole whole_of(const struct td_diff_value *value)
{
	struct td_diff_whole whole = { *value, td_diff_change_of(value), false };

	whole.told =
		fabs(whole.change.pct) >= TD_DIFF_MIN && (isnan(value->chance) || value->clear);
	return whole;
}

static void find_total(const struct td_diff *diff, struct td_diff_summary *s)
{
	bool recorded = !diff->sides[TD_DIFF_A].is_command && is_of_time(diff);

	s->of_time = is_of_time(diff);
	s->whole = whole_of(!s->of_time ? &diff->slots
			    : diff->nr  ? &diff->rows[0].value
					: &unknown);
	/* the summary must agree with the mark of the time's row */
	if (s->of_time && td_diff_has_chances(diff))
		s->whole.told = diff->nr && diff->rows[0].marked;
	s->per_run = whole_of(recorded ? &diff->slots_per_run : &unknown);
	s->per_instruction = whole_of(recorded ? &diff->slots_per_instruction : &unknown);
}

struct td_diff_summary td_diff_sum_up(const struct td_diff *diff)
{
	struct td_diff_summary s = { 0 };

	find_total(diff, &s);
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

/* --- how many runs are enough ------------------------------------------------ */

#define SOME 5   /* runs to suggest if the noise is unknown */
#define MANY 100 /* maximum number of runs to suggest */

/* Would the difference be significant at the level most with this number of runs per side? */
static bool would_show(double diff, double of_run, size_t nr, double most)
{
	return td_student_p_value(diff / sqrt(2 * of_run / (double)nr), 2. * (double)nr - 2) < most;
}

/* Return the variance of one run, from the interval of the difference. */
static double variance_of_run(const struct td_diff_value *v, size_t a, size_t b)
{
	double of_diff = v->error / td_student(v->degrees);

	return of_diff * of_diff / (1 / (double)a + 1 / (double)b);
}

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
	/* the row of the time has half of the weight */
	double most = TD_MAX_P_VALUE / (s.of_time ? 2 : 1), of_run;

	if (least < 2 || isnan(whole->error) || s.whole.told ||
	    fabs(s.whole.change.pct) < TD_DIFF_MIN || has_marks(diff))
		return some;
	of_run = variance_of_run(whole, a, b);
	while (nr <= MANY && !would_show(fabs(whole->diff), of_run, nr, most))
		nr++;
	return nr <= MANY ? nr : some;
}
