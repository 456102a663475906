// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the events that count all the time (pinned). */
#include "lib/plan/parts.h"

bool td_scheduling_has(const struct td_scheduling *s, int event)
{
	const struct td_event *e = &s->plan->events.v[event];

	return e->home == s->pmu && !e->refusal;
}

bool td_scheduling_is_slots(const struct td_scheduling *s, int event)
{
	return td_scheduling_has(s, event) &&
	       td_event_is_slots(&s->plan->events.v[event]);
}

void td_scheduling_find_clocks(struct td_scheduling *s)
{
	for (enum td_clock_event i = 0; i < TD_NR_CLOCKS; i++)
		s->clocks[i] = s->schedule->clocks
				       ? td_clocks_find(s->plan, s->machine,
							s->pmu, i, false)
				       : -1;
}

int td_scheduling_family(const struct td_scheduling *s, int event)
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

static bool are_needed_together(const struct td_scheduling *s, int a, int b)
{
	for (size_t i = 0; i < s->schedule->nr_needs; i++) {
		if (has(&s->schedule->needs[i], a) &&
		    has(&s->schedule->needs[i], b))
			return true;
	}
	return false;
}

int td_scheduling_slots_of(const struct td_scheduling *s, int event)
{
	int first = -1;

	if (!td_event_is_metric(&s->plan->events.v[event]))
		return -1;
	for (int i = 0; i < s->nr_initial; i++) {
		if (!td_scheduling_is_slots(s, i))
			continue;
		if (are_needed_together(s, i, event))
			return i;
		first = first < 0 ? i : first;
	}
	return first;
}

/* True if the fit can take all events with this home. */
static bool takes_home(const struct td_scheduling *s, struct td_fit *fit,
		       int home)
{
	for (int i = 0; i < s->nr_initial; i++) {
		if (td_scheduling_has(s, i) && s->packing.homes[i] == home &&
		    !td_fit_add(fit, &s->claims[i]))
			return false;
	}
	return true;
}

static bool all_fit(const struct td_scheduling *s)
{
	struct td_fit fit = { 0 };

	return takes_home(s, &fit, TD_NOWHERE);
}

/* True if each of the other events, alone, can count beside these. */
static bool leaves_room(const struct td_scheduling *s,
			const struct td_fit *taken)
{
	for (int i = 0; i < s->nr_initial; i++) {
		struct td_fit with = *taken;

		if (td_scheduling_has(s, i) &&
		    s->packing.homes[i] == TD_NOWHERE &&
		    i != s->reference.event &&
		    !td_fit_add(&with, &s->claims[i]))
			return false;
	}
	return true;
}

/*
 * Moves an event and its SLOTS to a home.  Returns false if the event is
 * another PMU's.
 */
static bool move(const struct td_scheduling *s, int event, int home)
{
	int slots;

	if (!td_scheduling_has(s, event))
		return false;
	slots = td_scheduling_slots_of(s, event);
	s->packing.homes[event] = home;
	if (slots >= 0)
		s->packing.homes[slots] = home;
	return true;
}

/* Moves the events of ranks 1 to rank.  Returns false if there are none. */
static bool move_ranks(const struct td_scheduling *s, int rank, int home)
{
	bool moved = false;

	for (size_t i = 0; i < s->schedule->nr_needs; i++) {
		const struct td_need *need = &s->schedule->needs[i];

		if (need->rank < 1 || need->rank > rank)
			continue;
		for (size_t e = 0; e < need->nr; e++)
			moved |= move(s, need->events[e], home);
	}
	return moved;
}

/* Does the event need the only general counter that others have left? */
static bool is_in_the_way(const struct td_claim *claim)
{
	return claim->most == 1 && !(claim->mask & TD_FIXED_ALL);
}

/* always: one of a fixed counter, even if none is given. */
static void choose_reference(struct td_scheduling *s, bool always)
{
	const int *references = s->schedule->references;
	int given = references ? references[s->pmu] : -1;

	s->reference = (struct td_reference){ .event = -1, .kind = -1 };
	if (given >= 0 && !is_in_the_way(&s->claims[given])) {
		s->reference.event = given;
		s->reference.claim = s->claims[given];
	} else if (always || given >= 0) {
		td_reference_choose(&s->reference, s->plan, s->machine, s->pmu,
				    s->pinned.fixed);
	}
}

bool td_scheduling_has_reference(const struct td_scheduling *s)
{
	return s->reference.event >= 0 || s->reference.kind >= 0;
}

/*
 * Do half of the general counters stay free?  With less, all that is not pinned
 * takes more than twice as many turns, which costs more than it gains; but not
 * where most of it rests.
 */
static bool leaves_half(const struct td_scheduling *s)
{
	int all = td_uarch_general(s->machine->pmus[s->pmu].uarch), taken = 0;

	if (s->schedule->families)
		return true;
	for (int i = 0; i < all; i++)
		taken += s->pinned.owners[i] != 0;
	return 2 * taken <= all;
}

/*
 * True if the pinned events fit and leave room for the reference and any other
 * event.
 */
static bool is_good(struct td_scheduling *s)
{
	int *homes = s->packing.homes;
	struct td_fit taken;

	if (!takes_home(s, &s->pinned, TD_PINNED) || !leaves_half(s))
		return false;
	choose_reference(s, true);
	if (s->reference.event >= 0 && homes[s->reference.event] == TD_PINNED)
		return false;
	taken = s->pinned;
	if (td_scheduling_has_reference(s) &&
	    !td_fit_add(&taken, &s->reference.claim))
		return false;
	return leaves_room(s, &taken);
}

/* Pins the events of ranks 1 to rank, if that is possible. */
static bool pin(struct td_scheduling *s, int rank)
{
	s->pinned = (struct td_fit){ 0 };
	s->has_pinned = move_ranks(s, rank, TD_PINNED) && is_good(s);
	if (s->has_pinned)
		return true;
	move_ranks(s, rank, TD_NOWHERE);
	s->pinned = (struct td_fit){ 0 };
	return false;
}

/*
 * Is it asked for, or are there fields of PERF_METRICS?  At the end of each turn the
 * kernel keeps what these have grown by, and leaves out what they fell by
 * (__icl_update_topdown_event()), so that in turns they are more than all slots.
 */
static bool wants_pinned(const struct td_scheduling *s)
{
	for (int i = 0; i < s->nr_initial; i++) {
		if (td_scheduling_has(s, i) &&
		    td_event_is_metric(&s->plan->events.v[i]))
			return true;
	}
	return s->schedule->always;
}

void td_scheduling_pin(struct td_scheduling *s)
{
	bool wanted = wants_pinned(s);

	if (wanted && all_fit(s))
		return; /* all count all the time anyway, in one group */
	if (wanted && (pin(s, 2) || pin(s, 1)))
		return;
	choose_reference(s, s->schedule->always);
}
