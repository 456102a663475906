// SPDX-License-Identifier: GPL-2.0-only
/* The metrics' scheduler: events and needs -> groups. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/plan_fit.h"
#include "lib/plan_group.h"
#include "lib/util.h"

/* The scheduler at work. */
struct planning {
	struct td_plan *plan;
	const struct td_machine *machine;
	const int *references; /* one a PMU */
	bool *placed;          /* one an event that was asked for */
	size_t nr_asked;       /* events behind these are clones */
};

/* Would group still be schedulable with these more? */
static bool group_fits(const struct planning *p, const struct td_group *group,
		       const int *more, size_t nr)
{
	struct td_fit fit = { 0 };

	for (size_t i = 0; i < group->nr + nr; i++) {
		int event =
			i < group->nr ? group->members[i] : more[i - group->nr];

		if (!td_fit_add(&fit, p->machine, &p->plan->events[event]))
			return false;
	}
	return true;
}

/* A group for more events of a PMU that has some already, or its first. */
static struct td_group *further_group(struct planning *p, int pmu)
{
	struct td_group *group = td_plan_new_group(p->plan, pmu);
	int reference = p->references ? p->references[pmu] : -1;

	/* not before the reference itself has its place */
	if (!group || reference < 0 || !p->placed[reference])
		return group;
	return td_plan_add_clone(p->plan, group, reference) ? NULL : group;
}

static int find_slots(const struct td_plan *plan, int pmu)
{
	for (int i = 0; i < (int)plan->nr_events; i++) {
		if (plan->events[i].pmu == pmu &&
		    td_event_is_slots(&plan->events[i]))
			return i;
	}
	return -1;
}

/* SLOTS and its metric events: one group a PMU. */
static int add_slots_group(struct planning *p, int pmu)
{
	struct td_plan *plan = p->plan;
	int slots = find_slots(plan, pmu);
	struct td_group *group;

	if (slots < 0)
		return 0;
	group = td_plan_new_group(plan, pmu);
	if (!group || td_group_add(group, &slots, 1))
		return -ENOMEM;
	group->slots = p->placed[slots] = true;
	for (int i = 0; i < (int)p->nr_asked; i++) {
		if (plan->events[i].pmu != pmu || p->placed[i] ||
		    !td_event_is_metric(&plan->events[i]))
			continue;
		if (td_group_add(group, &i, 1))
			return -ENOMEM;
		p->placed[i] = true;
	}
	return 0;
}

/* The first group that takes them all; NULL: none does. */
static struct td_group *room_for(const struct planning *p, int pmu,
				 const int *events, size_t nr)
{
	for (size_t g = 0; g < p->plan->nr_groups; g++) {
		struct td_group *group = &p->plan->groups[g];

		if (group->pmu == pmu && group_fits(p, group, events, nr))
			return group;
	}
	return NULL;
}

/* One event into the first group with room, or a new one. */
static int place_single(struct planning *p, int event)
{
	int pmu = p->plan->events[event].pmu;
	struct td_group *group = room_for(p, pmu, &event, 1);

	if (!group)
		group = further_group(p, pmu);
	if (!group || td_group_add(group, &event, 1))
		return -ENOMEM;
	p->placed[event] = true;
	return 0;
}

/*
 * Would all that still wants a place fit into the groups that there are, one
 * by one?  Then a new group for the sake of keeping some together is one too
 * many.  Leaves the plan as it was.
 */
static bool rest_fits(struct planning *p, int pmu)
{
	size_t groups = p->plan->nr_groups, added = 0;
	td_autofree struct td_group **where =
		calloc(p->nr_asked + 1, sizeof(struct td_group *));
	bool fits = where != NULL;

	for (int i = 0; fits && i < (int)p->nr_asked; i++) {
		struct td_group *group;

		if (p->plan->events[i].pmu != pmu || p->placed[i])
			continue;
		group = room_for(p, pmu, &i, 1);
		fits = group && td_group_add(group, &i, 1) == 0;
		if (fits)
			where[added++] = group;
	}
	while (added > 0)
		where[--added]->nr--;
	return fits && groups > 0;
}

/* Places events of one PMU that belong together. */
static int place_together(struct planning *p, const int *events, size_t nr)
{
	int pmu = p->plan->events[events[0]].pmu, rc = 0;
	struct td_group *group = room_for(p, pmu, events, nr);

	if (!group && !rest_fits(p, pmu)) {
		group = further_group(p, pmu);
		if (!group)
			return -ENOMEM;
		/* too many even for an empty one: one by one */
		if (!group_fits(p, group, events, nr))
			group = NULL;
	}
	if (group) {
		for (size_t i = 0; i < nr; i++)
			p->placed[events[i]] = true;
		return td_group_add(group, events, nr);
	}
	for (size_t i = 0; !rc && i < nr; i++)
		rc = place_single(p, events[i]);
	return rc;
}

/* The part of a need that is on pmu and has no place yet. */
static size_t unplaced(const struct planning *p, const struct td_need *need,
		       int pmu, int *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < need->nr; i++) {
		int event = need->events[i];

		if (p->plan->events[event].pmu != pmu || p->placed[event])
			continue;
		if (out)
			out[nr] = event;
		nr++;
	}
	return nr;
}

/*
 * The next need: of the lowest rank, the one with the fewest events to place,
 * since those fit beside the reference.  NULL: all have their places.
 */
static const struct td_need *next_need(const struct planning *p,
				       const struct td_need *needs, size_t nr,
				       int pmu)
{
	const struct td_need *best = NULL;
	size_t fewest = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t left = unplaced(p, &needs[i], pmu, NULL);

		if (!left ||
		    (best && (needs[i].rank > best->rank ||
			      (needs[i].rank == best->rank && left >= fewest))))
			continue;
		best = &needs[i];
		fewest = left;
	}
	return best;
}

static int place_need(struct planning *p, const struct td_need *need, int pmu)
{
	td_autofree int *events = calloc(need->nr + 1, sizeof(*events));

	if (!events)
		return -ENOMEM;
	return place_together(p, events, unplaced(p, need, pmu, events));
}

/* The reference itself, in the PMU's first group. */
static int place_reference(struct planning *p, int pmu, int reference)
{
	int rc = p->placed[reference] ? 0 : place_single(p, reference);

	for (size_t g = 0; !rc && g < p->plan->nr_groups; g++) {
		if (p->plan->groups[g].pmu != pmu)
			continue;
		p->plan->groups[g].reference = reference;
		break;
	}
	return rc;
}

static int place_pmu(struct planning *p, const struct td_need *needs,
		     size_t nr_needs, int pmu)
{
	int reference = p->references ? p->references[pmu] : -1;
	int rc = add_slots_group(p, pmu);
	const struct td_need *need;

	if (!rc && reference >= 0)
		rc = place_reference(p, pmu, reference);
	while (!rc && (need = next_need(p, needs, nr_needs, pmu)))
		rc = place_need(p, need, pmu);
	for (int i = 0; !rc && i < (int)p->nr_asked; i++) {
		if (p->plan->events[i].pmu == pmu && !p->placed[i])
			rc = place_single(p, i);
	}
	return rc;
}

int td_plan_build(struct td_plan *plan, const struct td_machine *machine,
		  const struct td_need *needs, size_t nr_needs,
		  const int *references, struct td_err *err)
{
	td_autofree bool *placed = calloc(plan->nr_events + 1, sizeof(*placed));
	struct planning p = { plan, machine, references, placed,
			      plan->nr_events };
	int rc = placed ? 0 : -ENOMEM;

	for (int pmu = 0; !rc && pmu < (int)machine->nr_core; pmu++)
		rc = place_pmu(&p, needs, nr_needs, pmu);
	td_plan_fill_at_once(plan, machine);
	return rc ? td_err_nomem(err) : 0;
}
