// SPDX-License-Identifier: GPL-2.0-only
/* The scheduler of metrics: makes groups of the events that metrics need. */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/plan/clocks.h"
#include "lib/plan/fit.h"
#include "lib/plan/parts.h"
#include "lib/plan/plan.h"

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
	struct td_claim *claims;   /* one for each of the nr_initial events */
	struct td_packing packing; /* the homes of all events */
	struct td_fit pinned;      /* counters and registers of the pinned group */
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

/* Is there room beside the used counters for each single event without a home? */
static bool leaves_room(const struct scheduling *s, const struct td_fit *used)
{
	for (int i = 0; i < s->nr_initial; i++) {
		struct td_fit with = *used;

		if (is_here(s, i) && s->packing.homes[i] == TD_NOWHERE && i != s->reference.event &&
		    !td_fit_add(&with, &s->claims[i]))
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

	for (size_t i = 0; i < s->schedule->nr_needs; i++) {
		const struct td_need *need = &s->schedule->needs[i];

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
	return leaves_room(s, &used);
}

/* Pin the events of ranks 1 to rank, if that is possible. */
static bool pin(struct scheduling *s, int rank)
{
	s->pinned = (struct td_fit){ 0 };
	s->has_pinned = move_ranks(s, rank, PINNED) && is_good(s);
	if (s->has_pinned)
		return true;
	move_ranks(s, rank, TD_NOWHERE);
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

	if (wanted && add_home(s, &fit, TD_NOWHERE))
		return; /* all fit into one group, which counts all the time */
	if (wanted && (pin(s, 2) || pin(s, 1)))
		return;
	choose_reference(s, s->schedule->always);
}

/* --- families ------------------------------------------------------------- */

/* Pack the events of one family into groups after those of earlier families. */
static void add_packed(struct scheduling *s, struct td_packing *part)
{
	struct td_packing *p = &s->packing;

	td_pack(part);
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
	struct td_packing *p = &s->packing;
	struct td_packing part = *p;

	part.homes = homes;
	part.events = events;
	part.order = p->order + p->nr_placed;
	part.nr = 0;
	if (family)
		part.first = p->further;
	for (int i = 0; i < s->nr_initial; i++)
		homes[i] = TD_NOT_PACKED;
	for (size_t i = 0; i < p->nr; i++) {
		int event = p->events[i];

		if (family_of(s, event) != family)
			continue;
		homes[event] = TD_NOWHERE;
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
		td_pack(&s->packing);
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

static void add_pinned_group(const struct scheduling *s)
{
	struct td_group *group = new_group(s, PINNED);

	group->pinned = group->may_unpin = true;
	for (int i = 0; i < s->nr_initial; i++) {
		if (is_here(s, i) && s->packing.homes[i] == PINNED && is_plain(s, i))
			td_group_add(group, &i, 1);
	}
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
	const struct td_packing *p = &s->packing;
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

	if (s->has_pinned)
		add_pinned_group(s);
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
	struct td_packing *p = &s->packing;
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
		else if (p->homes[event] == TD_NOWHERE)
			start_with(s, event);
	}
	for (int i = 0; i < s->nr_initial; i++) {
		if (p->homes[i] != TD_NOWHERE)
			continue;
		if (slots_of(s, i) >= 0)
			p->homes[i] = TD_NOT_PACKED;
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
	struct td_packing *p = &s->packing;

	p->nr_groups = p->nr_placed = 0;
	for (int i = 0; i < s->nr_initial; i++) {
		if (p->homes[i] != TD_NOWHERE || slots_of(s, i) >= 0)
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

		s->packing.homes[i] = wanted ? TD_NOWHERE : TD_NOT_PACKED;
		if (wanted)
			s->claims[i] = td_claim_of(s->machine, &s->plan->events.v[i]);
		if (wanted && packs && s->claims[i].held)
			s->packing.homes[i] = ALONE;
	}
	if (!is_home(s, TD_NOWHERE) && !is_home(s, ALONE))
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
