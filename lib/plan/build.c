// SPDX-License-Identifier: GPL-2.0-only
/* The scheduler of metrics: it makes groups of events and needs. */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/plan/clocks.h"
#include "lib/plan/fit.h"
#include "lib/plan/parts.h"
#include "lib/plan/plan.h"

/* Adds the groups of one family behind those of the families before. */
static int add_packed(struct td_scheduling *s, struct td_packing *part)
{
	struct td_packing *p = &s->packing;
	int rc = td_pack(part);

	for (size_t i = 0; !rc && i < part->nr; i++)
		p->homes[part->events[i]] =
			part->homes[part->events[i]] + (int)p->nr_groups;
	p->nr_placed += part->nr_placed;
	p->nr_groups += part->nr_groups;
	return rc;
}

/*
 * Packs one family, or with 0 what is counted all the time; homes and events
 * have room for all events.
 */
static int pack_family(struct td_scheduling *s, int family, int *homes,
		       int *events)
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

		if (td_scheduling_family(s, event) != family)
			continue;
		homes[event] = TD_NOWHERE;
		events[part.nr++] = event;
	}
	/*
	 * without events, a family needs no group; what is counted all the time
	 * may have one already, with the reference
	 */
	return family && !part.nr ? 0 : add_packed(s, &part);
}

/* td_pack() for the events of each family, which have groups of their own. */
static int pack_families(struct td_scheduling *s)
{
	size_t nr = (size_t)s->nr_initial;
	td_autofree int *ints = calloc(2 * nr + 1, sizeof(*ints));
	int last = 0, rc = ints ? 0 : -ENOMEM;

	for (int i = 0; i < s->nr_initial; i++) {
		if (td_scheduling_family(s, i) > last)
			last = td_scheduling_family(s, i);
	}
	if (!last)
		return rc ? rc : td_pack(&s->packing);
	s->packing.nr_groups = s->packing.nr_placed = 0;
	for (int family = 0; !rc && family <= last; family++)
		rc = pack_family(s, family, ints, ints + nr);
	return rc;
}

/* Fields go where their SLOTS went. */
static void home_fields(const struct td_scheduling *s)
{
	for (int i = 0; i < s->nr_initial; i++) {
		int slots = td_scheduling_has(s, i)
				    ? td_scheduling_slots_of(s, i)
				    : -1;

		if (slots >= 0)
			s->packing.homes[i] = s->packing.homes[slots];
	}
}

/* --- groups --------------------------------------------------------------- */

/* A new group with the SLOTS of a home and its fields, and nothing else yet. */
static struct td_group *new_group(const struct td_scheduling *s, int home)
{
	struct td_group *group = td_plan_new_group(s->plan, s->pmu);
	const int *homes = s->packing.homes;

	if (group)
		group->may_split = true;
	for (int i = 0; group && i < s->nr_initial; i++) {
		if (!td_scheduling_is_slots(s, i) || homes[i] != home)
			continue;
		group->slots = true;
		if (td_group_add(group, &i, 1))
			return NULL;
	}
	for (int i = 0; group && i < s->nr_initial; i++) {
		if (td_scheduling_has(s, i) && homes[i] == home &&
		    td_scheduling_slots_of(s, i) >= 0 &&
		    td_group_add(group, &i, 1))
			return NULL;
	}
	return group;
}

static bool is_plain(const struct td_scheduling *s, int event)
{
	return !td_scheduling_is_slots(s, event) &&
	       td_scheduling_slots_of(s, event) < 0;
}

static int add_pinned_group(const struct td_scheduling *s)
{
	struct td_group *group = new_group(s, TD_PINNED);

	if (!group)
		return -ENOMEM;
	group->pinned = group->may_unpin = true;
	for (int i = 0; i < s->nr_initial; i++) {
		if (td_scheduling_has(s, i) &&
		    s->packing.homes[i] == TD_PINNED && is_plain(s, i) &&
		    td_group_add(group, &i, 1))
			return -ENOMEM;
	}
	return 0;
}

/* The first group has the reference event itself, the others a clone. */
static int add_reference(struct td_scheduling *s, struct td_group *group,
			 bool first)
{
	int rc = 0;

	if (!td_scheduling_has_reference(s))
		return 0;
	if (!first)
		return td_plan_add_clone(s->plan, group, s->reference.event);
	if (s->reference.event < 0)
		rc = td_reference_make(&s->reference, s->plan, s->machine,
				       s->pmu, s->err);
	group->reference = s->reference.event;
	if (!rc && (s->reference.event >= s->nr_initial ||
		    is_plain(s, s->reference.event)))
		rc = td_group_add(group, &s->reference.event, 1);
	return rc;
}

static bool is_home(const struct td_scheduling *s, int home)
{
	for (int i = 0; i < s->nr_initial; i++) {
		if (s->packing.homes[i] == home)
			return true;
	}
	return false;
}

static int add_group(struct td_scheduling *s, int home, bool first)
{
	const struct td_packing *p = &s->packing;
	struct td_group *group = new_group(s, home);
	int rc = group ? add_reference(s, group, first) : -ENOMEM;

	for (size_t i = 0; !rc && i < p->nr_placed; i++) {
		int event = p->order[i];

		if (p->homes[event] != home || !is_plain(s, event))
			continue;
		rc = td_group_add(group, &event, 1);
		group->family = td_scheduling_family(s, event);
	}
	return rc;
}

/*
 * Two groups of another program that take turns leave counters in every second turn: of
 * an even number of groups, half would never have one of these.  One more is of the
 * reference alone.
 */
static int make_odd(struct td_scheduling *s, size_t nr)
{
	const struct td_pmu *pmu = &s->machine->pmus[s->pmu];
	struct td_group *group;

	if (nr < 2 || nr % 2 || s->reference.event < 0 ||
	    !(pmu->held_general || pmu->held_fixed))
		return 0;
	group = td_plan_new_group(s->plan, s->pmu);
	return group ? td_plan_add_clone(s->plan, group, s->reference.event)
		     : -ENOMEM;
}

static int add_groups(struct td_scheduling *s)
{
	bool first = true;
	size_t nr = 0;
	int rc = s->has_pinned ? add_pinned_group(s) : 0;

	for (int home = 0; !rc && home < (int)s->packing.nr_groups; home++) {
		if (!is_home(s, home))
			continue;
		rc = add_group(s, home, first);
		first = false;
		nr++;
	}
	return rc ? rc : make_odd(s, nr);
}

/* --- a PMU ---------------------------------------------------------------- */

/* Puts an event into the first group before packing starts. */
static void start_with(struct td_scheduling *s, int event)
{
	td_fit_add(&s->packing.first, &s->claims[event]);
	s->packing.homes[event] = 0;
}

/* SLOTS and the reference go into the first of the groups that take turns. */
static void start_packing(struct td_scheduling *s)
{
	struct td_packing *p = &s->packing;
	bool started = s->has_pinned;

	p->first = p->further = s->pinned;
	p->nr = 0;
	for (int i = 0; !started && i < s->nr_initial; i++) {
		started = td_scheduling_is_slots(s, i);
		if (started)
			start_with(s, i);
	}
	if (td_scheduling_has_reference(s)) {
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
		if (td_scheduling_slots_of(s, i) >= 0)
			p->homes[i] = TD_NOT_PACKED;
		else
			p->events[p->nr++] = i;
	}
}

/*
 * Is it on this PMU's CPUs by cpu= only?  For tasks, that is so while an event
 * of the PMU in its group is counted, so it needs one.
 */
static bool is_guest(const struct td_scheduling *s, int event)
{
	return s->plan->events.v[event].pmu != s->pmu;
}

/*
 * One group for each event, except that fields stay with SLOTS, and guests with
 * the first event.
 */
static void pack_singles(struct td_scheduling *s)
{
	struct td_packing *p = &s->packing;

	p->nr_groups = p->nr_placed = 0;
	for (int i = 0; i < s->nr_initial; i++) {
		if (p->homes[i] != TD_NOWHERE ||
		    td_scheduling_slots_of(s, i) >= 0)
			continue;
		p->order[p->nr_placed++] = i;
		p->homes[i] = is_guest(s, i) ? 0 : (int)p->nr_groups++;
	}
}

static bool is_counted(const struct td_scheduling *s)
{
	return s->machine->pmus[s->pmu].kind != TD_PMU_TOOL;
}

static int build_pmu(struct td_scheduling *s)
{
	bool core = s->machine->pmus[s->pmu].kind == TD_PMU_CORE;
	int rc = 0;

	for (int i = 0; i < s->nr_initial; i++) {
		bool wanted = td_scheduling_has(s, i) && is_counted(s);

		s->packing.homes[i] = wanted ? TD_NOWHERE : TD_NOT_PACKED;
		if (wanted)
			s->claims[i] =
				td_claim_of(s->machine, &s->plan->events.v[i]);
	}
	if (!is_home(s, TD_NOWHERE))
		return 0;
	td_scheduling_find_clocks(s);
	s->pinned = (struct td_fit){ 0 };
	s->has_pinned = false;
	s->reference = (struct td_reference){ .event = -1, .kind = -1 };
	if (s->schedule->single || !core) {
		pack_singles(s);
	} else {
		td_scheduling_pin(s);
		start_packing(s);
		rc = pack_families(s);
	}
	home_fields(s);
	if (!rc)
		rc = add_groups(s);
	if (!rc && core && s->schedule->clocks && !s->schedule->single)
		rc = td_clocks_add(s->plan, s->machine, s->pmu, s->err);
	return rc;
}

static int build(struct td_scheduling *s)
{
	int rc = 0;

	for (s->pmu = 0; !rc && s->pmu < (int)s->machine->nr_pmus; s->pmu++)
		rc = build_pmu(s);
	return rc;
}

int td_plan_build(struct td_plan *plan, const struct td_machine *machine,
		  const struct td_schedule *schedule, struct td_err *err)
{
	size_t nr = plan->events.nr;
	td_autofree struct td_claim *claims = calloc(nr + 1, sizeof(*claims));
	td_autofree int *ints = calloc(3 * nr + 1, sizeof(*ints));
	struct td_scheduling s = {
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
	int rc = claims && ints ? build(&s) : -ENOMEM;

	if (rc == -ENOMEM)
		return td_err_nomem(err);
	td_plan_fill_at_once(plan, machine);
	return rc;
}
