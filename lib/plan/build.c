// SPDX-License-Identifier: GPL-2.0-only
/* The scheduler of metrics: makes groups of the events that metrics need. */

#include "lib/base/util.h"
#include "lib/plan/clocks.h"
#include "lib/plan/fit.h"
#include "lib/plan/plan.h"

/* The packing of one PMU's events into groups, which are numbered from 0. */
struct packing {
	const struct td_claim *claims; /* one for each event of the plan */
	int pmu;
	int *events; /* events to place; pack() sorts them */
	size_t nr;
	const struct td_need *needs; /* needs on all PMUs */
	size_t nr_needs;
	/* initial contents of the first group, and of each further group */
	struct td_fit first, further;

	/* The result, in memory of the caller: */
	int *homes; /* for each event of the plan: its group, or a negative number below */
	int *order; /* the events in the order in which they were placed; room for nr */
	size_t nr_placed, nr_groups;
};

#define NOWHERE    (-1) /* an event still to place */
#define NOT_PACKED (-2) /* an event that is not packed */

/*
 * Packing is first-fit, the most demanding event first, which gives the number of groups.  Then the
 * events of each need are put into one group, unless this leaves no place for another event.
 */
struct packer {
	struct packing *p;
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
	const struct packing *p = ctx;
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
static size_t try_rest(const struct packer *w, size_t max)
{
	const struct packing *p = w->p;
	const struct td_claim *last = NULL;
	size_t used = p->nr_groups, g = 0;

	for (size_t i = 0; i < p->nr; i++) {
		const struct td_claim *claim = &p->claims[p->events[i]];

		if (p->homes[p->events[i]] != NOWHERE)
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

static void reset_scratch(const struct packer *w)
{
	memcpy(w->scratch, w->fits, w->p->nr_groups * sizeof(*w->fits));
}

/* Places each event without a home where try_rest() finds room for it. */
static void place_rest(const struct packer *w)
{
	struct packing *p = w->p;
	size_t first = p->nr_placed;

	reset_scratch(w);
	p->nr_groups = try_rest(w, p->nr_groups + p->nr);
	for (size_t i = 0; i < p->nr; i++) {
		int event = p->events[i];

		if (p->homes[event] != NOWHERE)
			continue;
		p->homes[event] = w->trial[i];
		p->order[p->nr_placed++] = event;
	}
	qsort(p->order + first, p->nr_placed - first, sizeof(*p->order), by_index);
}

/* --- together ------------------------------------------------------------- */

static bool add_all(const struct packer *w, struct td_fit *fit, const int *events, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!td_fit_add(fit, &w->p->claims[events[i]]))
			return false;
	}
	return true;
}

static void set_homes(const struct packer *w, const int *events, size_t nr, int home)
{
	for (size_t i = 0; i < nr; i++)
		w->p->homes[events[i]] = home;
}

/* If these events are in group g, is there still a place for each other event? */
static bool has_room_for(const struct packer *w, size_t g, const int *events, size_t nr)
{
	struct td_fit with = w->fits[g];
	bool room;

	if (!add_all(w, &with, events, nr))
		return false;
	reset_scratch(w);
	w->scratch[g] = with;
	set_homes(w, events, nr, (int)g);
	room = try_rest(w, w->p->nr_groups) > 0;
	set_homes(w, events, nr, NOWHERE);
	return room;
}

static size_t overlap(const struct packer *w, const struct td_need *need, int group)
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
static bool place(const struct packer *w, const struct td_need *need, const int *events, size_t nr)
{
	struct packing *p = w->p;
	size_t most = 0;
	int best = -1;

	for (size_t g = 0; g < p->nr_groups; g++) {
		size_t there = overlap(w, need, (int)g);

		if ((best < 0 || there > most) && has_room_for(w, g, events, nr)) {
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
static size_t homeless(const struct packer *w, const struct td_need *need, int *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < need->nr; i++) {
		if (w->p->homes[need->events[i]] != NOWHERE || !is_first(need, i))
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
static const struct td_need *next_need(const struct packer *w)
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

static void place_needs(const struct packer *w)
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

/*
 * Packs events into as few groups as the counters allow.  Keeps the events of a need in
 * one group where possible, lower ranks first.
 */
static void pack(struct packing *p)
{
	size_t max = 2 * p->nr + 2;
	td_autofree struct td_fit *fits = td_calloc(max, sizeof(*fits));
	td_autofree struct td_fit *scratch = td_calloc(max, sizeof(*scratch));
	td_autofree int *trial = td_calloc(max, sizeof(*trial));
	td_autofree bool *done = td_calloc(p->nr_needs + 1, sizeof(*done));
	struct packer w = { p, fits, scratch, trial, done };

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

/* Home of pinned events, until they have a group. */
#define PINNED (-3)

/* Home of events whose only counters other programs hold.  Each has a group of its own. */
#define ALONE (-4)

/* The state of td_plan_build() on one PMU. */
struct scheduling {
	struct td_plan *plan;
	const struct td_machine *machine;
	const struct td_schedule *schedule;
	int nr_initial; /* number of events before references and clones */
	int pmu;
	struct td_claim *claims; /* one for each of the nr_initial events */
	struct packing packing;  /* the homes of all events */
	struct td_fit pinned;    /* counters and registers of the pinned group */
	bool has_pinned;
	struct td_reference reference;
	int clocks[TD_NR_CLOCKS]; /* events that all families count; -1: not in the plan */
	struct td_err *err;
};

/* --- pinned events -------------------------------------------------------- */

/* Is the event on this PMU and not refused? */
static bool is_here(const struct scheduling *s, int event)
{
	const struct td_event *e = &s->plan->events.v[event];

	return e->cpu_pmu == s->pmu && !e->refusal;
}

static bool is_slots(const struct scheduling *s, int event)
{
	return is_here(s, event) && td_event_is_slots(&s->plan->events.v[event]);
}

/* Return the family whose groups count an event, as in td_schedule; 0 for a clock. */
static int family_of(const struct scheduling *s, int event)
{
	const int *families = s->schedule->families;

	for (enum td_clock_event i = 0; i < TD_NR_CLOCKS; i++) {
		if (event == s->clocks[i])
			return 0;
	}
	return families && event < s->nr_initial ? families[event] : 0;
}

static bool has(const struct td_need *need, int event)
{
	for (size_t i = 0; i < need->nr; i++) {
		if (need->events[i] == event)
			return true;
	}
	return false;
}

static bool are_needed_together(const struct scheduling *s, int a, int b)
{
	for (size_t i = 0; i < s->schedule->nr_needs; i++) {
		if (has(&s->schedule->needs[i], a) && has(&s->schedule->needs[i], b))
			return true;
	}
	return false;
}

/*
 * Return the SLOTS whose group a field joins: the one in a need with the field, else the
 * first.  Returns -1 if the event is not a field or there is no SLOTS.
 */
static int slots_of(const struct scheduling *s, int event)
{
	int first = -1;

	if (!td_event_is_metric(&s->plan->events.v[event]))
		return -1;
	for (int i = 0; i < s->nr_initial; i++) {
		if (!is_slots(s, i))
			continue;
		if (are_needed_together(s, i, event))
			return i;
		first = first < 0 ? i : first;
	}
	return first;
}

/* Add all events with this home to the fit.  Returns false if one does not fit. */
static bool add_home(const struct scheduling *s, struct td_fit *fit, int home)
{
	for (int i = 0; i < s->nr_initial; i++) {
		if (is_here(s, i) && s->packing.homes[i] == home && !td_fit_add(fit, &s->claims[i]))
			return false;
	}
	return true;
}

/* Move an event and its SLOTS to a home.  Returns false if the event is on another PMU. */
static bool move(const struct scheduling *s, int event, int home)
{
	int slots;

	if (!is_here(s, event) || s->packing.homes[event] == ALONE)
		return false;
	slots = slots_of(s, event);
	s->packing.homes[event] = home;
	if (slots >= 0)
		s->packing.homes[slots] = home;
	return true;
}

/* Move the events of ranks 1 to rank.  Returns false if there are none. */
static bool move_ranks(const struct scheduling *s, int rank, int home)
{
	bool moved = false;

	td_for_each(const struct td_need, need, s->schedule->needs, s->schedule->nr_needs) {
		if (need->rank < 1 || need->rank > rank)
			continue;
		for (size_t e = 0; e < need->nr; e++)
			moved |= move(s, need->events[e], home);
	}
	return moved;
}

/* Would the event use the only general counter that other programs do not use? */
static bool is_in_the_way(const struct td_claim *claim)
{
	return claim->most == 1 && !(claim->mask & TD_FIXED_ALL);
}

/*
 * Choose the reference.  If the schedule has none and always is set, use an event of a fixed
 * counter.
 */
static void choose_reference(struct scheduling *s, bool always)
{
	const int *references = s->schedule->references;
	int given = references ? references[s->pmu] : -1;

	s->reference = (struct td_reference){ .event = -1, .kind = -1 };
	if (given >= 0 && !is_in_the_way(&s->claims[given])) {
		s->reference.event = given;
		s->reference.claim = s->claims[given];
	} else if (always || given >= 0) {
		td_reference_choose(&s->reference, s->plan, s->machine, s->pmu, s->pinned.fixed);
	}
}

static bool has_reference(const struct scheduling *s)
{
	return s->reference.event >= 0 || s->reference.kind >= 0;
}

/*
 * Does the pinned group leave half of the general counters free?  Otherwise, the other events need
 * more than twice as many groups, which costs more than pinning gains.  Families are an exception,
 * because most of them are disabled.
 */
static bool leaves_half(const struct scheduling *s)
{
	int all = td_uarch_general(s->machine->pmus[s->pmu].uarch), used = 0;

	if (s->schedule->families)
		return true;
	for (int i = 0; i < all; i++)
		used += s->pinned.owners[i] != 0;
	return 2 * used <= all;
}

/* Do the pinned events fit and leave room for the reference and any other event? */
static bool is_good(struct scheduling *s)
{
	int *homes = s->packing.homes;
	struct td_fit used;

	if (!add_home(s, &s->pinned, PINNED) || !leaves_half(s))
		return false;
	choose_reference(s, true);
	if (s->reference.event >= 0 && homes[s->reference.event] == PINNED)
		return false;
	used = s->pinned;
	if (has_reference(s) && !td_fit_add(&used, &s->reference.claim))
		return false;
	/* Is there room beside the used counters for each single event without a home? */
	for (int i = 0; i < s->nr_initial; i++) {
		struct td_fit with = used;

		if (is_here(s, i) && s->packing.homes[i] == NOWHERE && i != s->reference.event &&
		    !td_fit_add(&with, &s->claims[i]))
			return false;
	}
	return true;
}

/* Pin the events of ranks 1 to rank, if that is possible. */
static bool pin(struct scheduling *s, int rank)
{
	s->pinned = (struct td_fit){ 0 };
	s->has_pinned = move_ranks(s, rank, PINNED) && is_good(s);
	if (s->has_pinned)
		return true;
	move_ranks(s, rank, NOWHERE);
	s->pinned = (struct td_fit){ 0 };
	return false;
}

/*
 * Are pinned events requested, or are there fields of PERF_METRICS?  If fields are
 * multiplexed, the kernel adds their increases and ignores their decreases
 * (__icl_update_topdown_event()), so that they exceed 100 % of the slots.
 */
static bool wants_pinned(const struct scheduling *s)
{
	for (int i = 0; i < s->nr_initial; i++) {
		if (is_here(s, i) && td_event_is_metric(&s->plan->events.v[i]))
			return true;
	}
	return s->schedule->always;
}

/* Choose the pinned events and the reference.  No event of the PMU may have a home yet. */
static void choose_pinned(struct scheduling *s)
{
	bool wanted = wants_pinned(s);

	struct td_fit fit = { 0 };

	if (wanted && add_home(s, &fit, NOWHERE))
		return; /* all fit into one group, which counts all the time */
	if (wanted && (pin(s, 2) || pin(s, 1)))
		return;
	choose_reference(s, s->schedule->always);
}

/* --- families ------------------------------------------------------------- */

/* Pack the events of one family into groups after those of earlier families. */
static void add_packed(struct scheduling *s, struct packing *part)
{
	struct packing *p = &s->packing;

	pack(part);
	for (size_t i = 0; i < part->nr; i++)
		p->homes[part->events[i]] = part->homes[part->events[i]] + (int)p->nr_groups;
	p->nr_placed += part->nr_placed;
	p->nr_groups += part->nr_groups;
}

/*
 * Pack the events of one family; 0: the events that are counted all the time.  homes and events are
 * scratch memory for all events.
 */
static void pack_family(struct scheduling *s, int family, int *homes, int *events)
{
	struct packing *p = &s->packing;
	struct packing part = *p;

	part.homes = homes;
	part.events = events;
	part.order = p->order + p->nr_placed;
	part.nr = 0;
	if (family)
		part.first = p->further;
	for (int i = 0; i < s->nr_initial; i++)
		homes[i] = NOT_PACKED;
	for (size_t i = 0; i < p->nr; i++) {
		int event = p->events[i];

		if (family_of(s, event) != family)
			continue;
		homes[event] = NOWHERE;
		events[part.nr++] = event;
	}
	/* a family without events needs no group; family 0 may have one with the reference */
	if (!family || part.nr)
		add_packed(s, &part);
}

/* Pack the events of each family into groups of their own. */
static void pack_families(struct scheduling *s)
{
	size_t nr = (size_t)s->nr_initial;
	td_autofree int *ints = td_calloc(2 * nr + 1, sizeof(*ints));
	int last = 0;

	for (int i = 0; i < s->nr_initial; i++) {
		if (family_of(s, i) > last)
			last = family_of(s, i);
	}
	if (!last) {
		pack(&s->packing);
		return;
	}
	s->packing.nr_groups = s->packing.nr_placed = 0;
	for (int family = 0; family <= last; family++)
		pack_family(s, family, ints, ints + nr);
}

/* Move fields to the home of their SLOTS. */
static void home_fields(const struct scheduling *s)
{
	for (int i = 0; i < s->nr_initial; i++) {
		int slots = is_here(s, i) ? slots_of(s, i) : -1;

		if (slots >= 0)
			s->packing.homes[i] = s->packing.homes[slots];
	}
}

/* --- groups --------------------------------------------------------------- */

/* Add a group that contains the SLOTS of a home and its fields, if any. */
static struct td_group *new_group(const struct scheduling *s, int home)
{
	struct td_group *group = td_plan_new_group(s->plan, s->pmu);
	const int *homes = s->packing.homes;

	group->may_split = true;
	for (int i = 0; i < s->nr_initial; i++) {
		if (!is_slots(s, i) || homes[i] != home)
			continue;
		group->slots = true;
		td_group_add(group, &i, 1);
	}
	for (int i = 0; i < s->nr_initial; i++) {
		if (is_here(s, i) && homes[i] == home && slots_of(s, i) >= 0)
			td_group_add(group, &i, 1);
	}
	return group;
}

static bool is_plain(const struct scheduling *s, int event)
{
	return !is_slots(s, event) && slots_of(s, event) < 0;
}

/* Add the reference event to the first group, and a clone to each of the others. */
static int add_reference(struct scheduling *s, struct td_group *group, bool first)
{
	int rc = 0;

	if (!has_reference(s))
		return 0;
	if (!first) {
		td_plan_add_clone(s->plan, group, s->reference.event);
		return 0;
	}
	if (s->reference.event < 0)
		rc = td_reference_make(&s->reference, s->plan, s->machine, s->pmu, s->err);
	group->reference = s->reference.event;
	if (!rc && (s->reference.event >= s->nr_initial || is_plain(s, s->reference.event)))
		td_group_add(group, &s->reference.event, 1);
	return rc;
}

static bool is_home(const struct scheduling *s, int home)
{
	for (int i = 0; i < s->nr_initial; i++) {
		if (s->packing.homes[i] == home)
			return true;
	}
	return false;
}

static int add_group(struct scheduling *s, int home, bool first)
{
	const struct packing *p = &s->packing;
	struct td_group *group = new_group(s, home);
	int rc = add_reference(s, group, first);

	for (size_t i = 0; !rc && i < p->nr_placed; i++) {
		int event = p->order[i];

		if (p->homes[event] != home || !is_plain(s, event))
			continue;
		td_group_add(group, &event, 1);
		group->family = family_of(s, event);
	}
	return rc;
}

/*
 * If the number of groups is even, add a group with only the reference.  If another program
 * multiplexes two groups, counters are free in every other time slice, and half of an even number
 * of groups would never get them.
 */
static void make_odd(struct scheduling *s, size_t nr)
{
	const struct td_pmu *pmu = &s->machine->pmus[s->pmu];
	struct td_group *group;

	if (nr < 2 || nr % 2 || s->reference.event < 0 || !(pmu->held_general || pmu->held_fixed))
		return;
	group = td_plan_new_group(s->plan, s->pmu);
	td_plan_add_clone(s->plan, group, s->reference.event);
}

/* Add the groups of held events, which take no other event with them.  Returns their number. */
static size_t add_held(const struct scheduling *s)
{
	size_t nr = 0;

	for (int i = 0; i < s->nr_initial; i++) {
		struct td_group *group;

		if (s->packing.homes[i] != ALONE)
			continue;
		group = td_plan_new_group(s->plan, s->pmu);
		group->may_split = true;
		group->family = family_of(s, i);
		td_group_add(group, &i, 1);
		nr++;
	}
	return nr;
}

static int add_groups(struct scheduling *s)
{
	size_t nr = 0;

	if (s->has_pinned) {
		struct td_group *group = new_group(s, PINNED);

		group->pinned = group->may_unpin = true;
		for (int i = 0; i < s->nr_initial; i++) {
			if (is_here(s, i) && s->packing.homes[i] == PINNED && is_plain(s, i))
				td_group_add(group, &i, 1);
		}
	}
	for (int home = 0; home < (int)s->packing.nr_groups; home++) {
		int rc = is_home(s, home) ? add_group(s, home, nr == 0) : 0;

		if (rc)
			return rc;
		nr += is_home(s, home);
	}
	make_odd(s, nr + add_held(s));
	return 0;
}

/* --- a PMU ---------------------------------------------------------------- */

/* Put an event into the first group before packing starts. */
static void start_with(struct scheduling *s, int event)
{
	td_fit_add(&s->packing.first, &s->claims[event]);
	s->packing.homes[event] = 0;
}

/* Put SLOTS and the reference into the first multiplexed group. */
static void start_packing(struct scheduling *s)
{
	struct packing *p = &s->packing;
	bool started = s->has_pinned;

	p->first = p->further = s->pinned;
	p->nr = 0;
	for (int i = 0; !started && i < s->nr_initial; i++) {
		started = is_slots(s, i);
		if (started)
			start_with(s, i);
	}
	if (has_reference(s)) {
		int event = s->reference.event;

		td_fit_add(&p->further, &s->reference.claim);
		if (event < 0)
			td_fit_add(&p->first, &s->reference.claim);
		else if (p->homes[event] == NOWHERE)
			start_with(s, event);
	}
	for (int i = 0; i < s->nr_initial; i++) {
		if (p->homes[i] != NOWHERE)
			continue;
		if (slots_of(s, i) >= 0)
			p->homes[i] = NOT_PACKED;
		else
			p->events[p->nr++] = i;
	}
}

/*
 * Make a group for each event, except that fields stay with SLOTS.  An event of another PMU
 * that is counted on this PMU's CPUs (cpu=) joins the first group: for tasks, it needs an
 * event of this PMU in its group.
 */
static void pack_singles(struct scheduling *s)
{
	struct packing *p = &s->packing;

	p->nr_groups = p->nr_placed = 0;
	for (int i = 0; i < s->nr_initial; i++) {
		if (p->homes[i] != NOWHERE || slots_of(s, i) >= 0)
			continue;
		p->order[p->nr_placed++] = i;
		p->homes[i] = s->plan->events.v[i].pmu != s->pmu ? 0 : (int)p->nr_groups++;
	}
}

static int build_pmu(struct scheduling *s)
{
	enum td_pmu_kind kind = s->machine->pmus[s->pmu].kind;
	bool packs = kind == TD_PMU_CORE && !s->schedule->single;
	int rc;

	for (int i = 0; i < s->nr_initial; i++) {
		bool wanted = is_here(s, i) && kind != TD_PMU_TOOL;

		s->packing.homes[i] = wanted ? NOWHERE : NOT_PACKED;
		if (wanted)
			s->claims[i] = td_claim_of(s->machine, &s->plan->events.v[i]);
		if (wanted && packs && s->claims[i].held)
			s->packing.homes[i] = ALONE;
	}
	if (!is_home(s, NOWHERE) && !is_home(s, ALONE))
		return 0;
	for (enum td_clock_event i = 0; i < TD_NR_CLOCKS; i++)
		s->clocks[i] = s->schedule->clocks
				       ? td_clocks_find(s->plan, s->machine, s->pmu, i, false)
				       : -1;
	s->pinned = (struct td_fit){ 0 };
	s->has_pinned = false;
	s->reference = (struct td_reference){ .event = -1, .kind = -1 };
	if (packs) {
		choose_pinned(s);
		start_packing(s);
		pack_families(s);
	} else {
		pack_singles(s);
	}
	home_fields(s);
	rc = add_groups(s);
	if (rc || !packs || !s->schedule->clocks)
		return rc;
	return td_clocks_add(s->plan, s->machine, s->pmu, s->err);
}

int td_plan_build(struct td_plan *plan, const struct td_machine *machine,
		  const struct td_schedule *schedule, struct td_err *err)
{
	size_t nr = plan->events.nr;
	td_autofree struct td_claim *claims = td_calloc(nr + 1, sizeof(*claims));
	td_autofree int *ints = td_calloc(3 * nr + 1, sizeof(*ints));
	struct scheduling s = {
		.plan = plan,
		.machine = machine,
		.schedule = schedule,
		.nr_initial = (int)nr,
		.claims = claims,
		.packing = {
			.claims = claims,
			.events = ints,
			.needs = schedule->needs,
			.nr_needs = schedule->nr_needs,
			.homes = ints + nr,
			.order = ints + 2 * nr,
		},
		.err = err,
	};
	int rc = 0;

	for (; !rc && s.pmu < (int)machine->nr_pmus; s.pmu++)
		rc = build_pmu(&s);
	td_plan_fill_at_once(plan, machine);
	return rc;
}
