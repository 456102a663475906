// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packs events into groups.  First-fit, the most demanding event first, gives
 * the number of groups.  Then the events of each need are put into one group,
 * unless this would leave no place for another event.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/plan/parts.h"

struct packing {
	struct td_packing *p;
	struct td_fit *fits;    /* one for each group */
	struct td_fit *scratch; /* a copy of fits for trials */
	int *trial;             /* group of each of p->events in a trial */
	bool *done;             /* for each need: was it placed? */
};

/* --- one by one ----------------------------------------------------------- */

/*
 * Returns the sort key of a claim: first events that need a register, then events with the fewest
 * counters.
 */
static int demand(const struct td_claim *claim)
{
	int counters = __builtin_popcount(claim->mask);

	return claim->reg == TD_REGISTER_NONE ? 2 * counters : 2 * counters - TD_NR_COUNTERS;
}

static int by_demand(const void *a, const void *b, void *ctx)
{
	const struct td_packing *p = ctx;
	int x = *(const int *)a, y = *(const int *)b;
	const struct td_claim *claim_x = &p->claims[x];
	const struct td_claim *claim_y = &p->claims[y];
	int diff = demand(claim_x) - demand(claim_y);

	if (diff)
		return diff;
	if (claim_x->mask != claim_y->mask)
		return claim_x->mask < claim_y->mask ? -1 : 1;
	return x - y;
}

static int by_index(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static bool same_demand(const struct td_claim *a, const struct td_claim *b)
{
	return a->mask == b->mask && a->most == b->most && a->reg == TD_REGISTER_NONE &&
	       b->reg == TD_REGISTER_NONE;
}

/*
 * Puts each event without a home into the first group with room, in scratch.
 * Returns the number of groups in use, or 0 if that would exceed max.
 */
static size_t try_rest(const struct packing *w, size_t max)
{
	const struct td_packing *p = w->p;
	const struct td_claim *last = NULL;
	size_t used = p->nr_groups, g = 0;

	for (size_t i = 0; i < p->nr; i++) {
		const struct td_claim *claim = &p->claims[p->events[i]];

		if (p->homes[p->events[i]] != TD_NOWHERE)
			continue;
		/* if a group was too full for an equal event, it still is */
		if (!last || !same_demand(last, claim))
			g = 0;
		last = claim;
		while (g < used && !td_fit_add(&w->scratch[g], claim))
			g++;
		if (g == used) {
			if (used == max)
				return 0;
			w->scratch[g] = p->further;
			td_fit_add(&w->scratch[g], claim);
			used++;
		}
		w->trial[i] = (int)g;
	}
	return used;
}

static void reset_scratch(const struct packing *w)
{
	memcpy(w->scratch, w->fits, w->p->nr_groups * sizeof(*w->fits));
}

/* Places each event without a home where try_rest() finds room for it. */
static void place_rest(const struct packing *w)
{
	struct td_packing *p = w->p;
	size_t first = p->nr_placed;

	reset_scratch(w);
	p->nr_groups = try_rest(w, p->nr_groups + p->nr);
	for (size_t i = 0; i < p->nr; i++) {
		int event = p->events[i];

		if (p->homes[event] != TD_NOWHERE)
			continue;
		p->homes[event] = w->trial[i];
		p->order[p->nr_placed++] = event;
	}
	qsort(p->order + first, p->nr_placed - first, sizeof(*p->order), by_index);
}

/* --- together ------------------------------------------------------------- */

static bool add_all(const struct packing *w, struct td_fit *fit, const int *events, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!td_fit_add(fit, &w->p->claims[events[i]]))
			return false;
	}
	return true;
}

static void set_homes(const struct packing *w, const int *events, size_t nr, int home)
{
	for (size_t i = 0; i < nr; i++)
		w->p->homes[events[i]] = home;
}

/* If these events are in group g, is there still a place for each other event? */
static bool leaves_room(const struct packing *w, size_t g, const int *events, size_t nr)
{
	struct td_fit with = w->fits[g];
	bool room;

	if (!add_all(w, &with, events, nr))
		return false;
	reset_scratch(w);
	w->scratch[g] = with;
	set_homes(w, events, nr, (int)g);
	room = try_rest(w, w->p->nr_groups) > 0;
	set_homes(w, events, nr, TD_NOWHERE);
	return room;
}

static size_t overlap(const struct packing *w, const struct td_need *need, int group)
{
	size_t nr = 0;

	for (size_t i = 0; i < need->nr; i++)
		nr += w->p->homes[need->events[i]] == group;
	return nr;
}

/*
 * Places some events of a need into a group: of the groups with room, the one that contains most
 * events of the need.  Returns false if no group has room for all of them.
 */
static bool place(const struct packing *w, const struct td_need *need, const int *events, size_t nr)
{
	struct td_packing *p = w->p;
	size_t most = 0;
	int best = -1;

	for (size_t g = 0; g < p->nr_groups; g++) {
		size_t there = overlap(w, need, (int)g);

		if ((best < 0 || there > most) && leaves_room(w, g, events, nr)) {
			best = (int)g;
			most = there;
		}
	}
	if (best < 0)
		return false;
	add_all(w, &w->fits[best], events, nr);
	set_homes(w, events, nr, best);
	memcpy(p->order + p->nr_placed, events, nr * sizeof(*events));
	p->nr_placed += nr;
	return true;
}

/* Is it the first time that the need contains the event? */
static bool is_first(const struct td_need *need, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (need->events[k] == need->events[i])
			return false;
	}
	return true;
}

/*
 * Lists the events of a need that have no place yet in out, which may be NULL.  Returns their
 * number.
 */
static size_t homeless(const struct packing *w, const struct td_need *need, int *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < need->nr; i++) {
		if (w->p->homes[need->events[i]] != TD_NOWHERE || !is_first(need, i))
			continue;
		if (out)
			out[nr] = need->events[i];
		nr++;
	}
	return nr;
}

/*
 * Returns the next need: the lowest rank, then the fewest events to place, because these fit best
 * into groups with other events.  NULL: all events have a place.
 */
static const struct td_need *next_need(const struct packing *w)
{
	const struct td_need *best = NULL;
	size_t fewest = 0;

	for (size_t i = 0; i < w->p->nr_needs; i++) {
		const struct td_need *need = &w->p->needs[i];
		size_t left = w->done[i] || need->may_split ? 0 : homeless(w, need, NULL);

		if (!left || (best && (need->rank > best->rank ||
				       (need->rank == best->rank && left >= fewest))))
			continue;
		best = need;
		fewest = left;
	}
	return best;
}

static void place_needs(const struct packing *w)
{
	td_autofree int *events = td_calloc(w->p->nr + 1, sizeof(*events));
	const struct td_need *need;

	while ((need = next_need(w))) {
		size_t nr = homeless(w, need, events);

		w->done[need - w->p->needs] = true;
		if (place(w, need, events, nr))
			continue;
		/* no group has room for all of them: place them one by one */
		for (size_t i = 0; i < nr; i++)
			place(w, need, &events[i], 1);
	}
}

void td_pack(struct td_packing *p)
{
	size_t max = 2 * p->nr + 2;
	td_autofree struct td_fit *fits = td_calloc(max, sizeof(*fits));
	td_autofree struct td_fit *scratch = td_calloc(max, sizeof(*scratch));
	td_autofree int *trial = td_calloc(max, sizeof(*trial));
	td_autofree bool *done = td_calloc(p->nr_needs + 1, sizeof(*done));
	struct packing w = { p, fits, scratch, trial, done };

	p->nr_placed = 0;
	qsort_r(p->events, p->nr, sizeof(*p->events), by_demand, p);
	fits[0] = p->first;
	p->nr_groups = 1;
	reset_scratch(&w);
	p->nr_groups = try_rest(&w, p->nr + 1);
	for (size_t g = 1; g < p->nr_groups; g++)
		fits[g] = p->further;
	place_needs(&w);
	place_rest(&w);
}
