// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

#define NR_COUNTERS  32 /* general ones below 16, fixed ones from 16 on */
#define FIXED(n)     (UINT32_C(1) << (16 + (n)))
#define FIXED_CYCLES FIXED(1)

/* The counters that could count an event, as one mask; 0: it needs none. */
static uint32_t candidates(const struct td_machine *machine,
			   const struct td_event *event)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];
	struct td_placement place =
		td_uarch_place(pmu->uarch, event->config[0]);
	uint32_t mask;

	if (event->type != pmu->type || td_event_is_metric(event))
		return 0;
	mask = place.general;
	if (place.fixed >= 0)
		mask |= FIXED(place.fixed);
	if (machine->nmi_watchdog)
		mask &= ~FIXED_CYCLES;
	return mask;
}

/* Finds event i a counter, moving those that have one (Kuhn's matching). */
static bool place_event(const uint32_t *masks, int i, int *owner,
			uint32_t *tried)
{
	for (int c = 0; c < NR_COUNTERS; c++) {
		uint32_t bit = UINT32_C(1) << c;

		if (!(masks[i] & bit) || *tried & bit)
			continue;
		*tried |= bit;
		if (owner[c] < 0 ||
		    place_event(masks, owner[c], owner, tried)) {
			owner[c] = i;
			return true;
		}
	}
	return false;
}

static bool counters_suffice(const uint32_t *masks, int nr)
{
	int owner[NR_COUNTERS];

	memset(owner, -1, sizeof(owner));
	for (int i = 0; i < nr; i++) {
		uint32_t tried = 0;

		if (masks[i] && !place_event(masks, i, owner, &tried))
			return false;
	}
	return true;
}

/* Events of a group that take a counter: more cannot fit anyway. */
#define MAX_COUNTED NR_COUNTERS

/* Would group still be schedulable with these more? */
static bool group_fits(const struct td_plan *plan,
		       const struct td_machine *machine,
		       const struct td_group *group, const int *more, size_t nr)
{
	uint32_t masks[MAX_COUNTED];
	int counted = 0;

	for (size_t i = 0; i < group->nr + nr; i++) {
		int event =
			i < group->nr ? group->members[i] : more[i - group->nr];
		uint32_t mask = candidates(machine, &plan->events[event]);

		if (!mask)
			continue;
		if (counted == MAX_COUNTED)
			return false;
		masks[counted++] = mask;
	}
	return counters_suffice(masks, counted);
}

static int group_add(struct td_group *group, const int *events, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		int *member = td_array_add(&group->members, group->nr,
					   sizeof(*member));

		if (!member)
			return -ENOMEM;
		*member = events[i];
		group->nr++;
	}
	return 0;
}

static struct td_group *new_group(struct td_plan *plan, int pmu)
{
	struct td_group *group =
		td_array_add(&plan->groups, plan->nr_groups, sizeof(*group));

	if (!group)
		return NULL;
	plan->nr_groups++;
	group->pmu = pmu;
	return group;
}

/* SLOTS and its metric events: one group a PMU. */
static int add_slots_group(struct td_plan *plan, int pmu, bool *placed)
{
	struct td_group *group = NULL;

	for (int i = 0; i < (int)plan->nr_events; i++) {
		if (plan->events[i].pmu != pmu ||
		    !td_event_is_slots(&plan->events[i]))
			continue;
		group = new_group(plan, pmu);
		if (!group || group_add(group, &i, 1))
			return -ENOMEM;
		group->slots = placed[i] = true;
		break;
	}
	for (int i = 0; group && i < (int)plan->nr_events; i++) {
		if (plan->events[i].pmu != pmu || placed[i] ||
		    !td_event_is_metric(&plan->events[i]))
			continue;
		if (group_add(group, &i, 1))
			return -ENOMEM;
		placed[i] = true;
	}
	return 0;
}

/* The first group that takes them all; NULL: none does. */
static struct td_group *room_for(const struct td_plan *plan,
				 const struct td_machine *machine, int pmu,
				 const int *events, size_t nr)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		struct td_group *group = &plan->groups[g];

		if (group->pmu == pmu &&
		    group_fits(plan, machine, group, events, nr))
			return group;
	}
	return NULL;
}

/* One event into the first group with room, or a new one. */
static int place_single(struct td_plan *plan, const struct td_machine *machine,
			int event)
{
	int pmu = plan->events[event].pmu;
	struct td_group *group = room_for(plan, machine, pmu, &event, 1);

	if (!group)
		group = new_group(plan, pmu);
	return group ? group_add(group, &event, 1) : -ENOMEM;
}

static void drop_members(struct td_plan *plan, const size_t *nr, size_t groups)
{
	for (size_t g = 0; g < groups; g++)
		plan->groups[g].nr = nr[g];
	while (plan->nr_groups > groups)
		free(plan->groups[--plan->nr_groups].members);
}

/*
 * Would all that still wants a place fit into the groups that there are, one
 * by one?  Then a new group for the sake of keeping some together is one too
 * many.  Leaves the plan as it was.
 */
static int rest_fits(struct td_plan *plan, const struct td_machine *machine,
		     int pmu, const bool *placed, bool *fits)
{
	size_t groups = plan->nr_groups;
	td_autofree size_t *nr = calloc(groups + 1, sizeof(*nr));
	int rc = 0;

	if (!nr)
		return -ENOMEM;
	for (size_t g = 0; g < groups; g++)
		nr[g] = plan->groups[g].nr;
	for (int i = 0; !rc && i < (int)plan->nr_events; i++) {
		if (plan->events[i].pmu == pmu && !placed[i])
			rc = place_single(plan, machine, i);
	}
	*fits = plan->nr_groups == groups;
	drop_members(plan, nr, groups);
	return rc;
}

/* Places events of one PMU that belong together. */
static int place_together(struct td_plan *plan,
			  const struct td_machine *machine, const int *events,
			  size_t nr, const bool *placed)
{
	const struct td_group none = { 0 };
	int pmu = plan->events[events[0]].pmu;
	struct td_group *group = room_for(plan, machine, pmu, events, nr);
	bool scatter = false;
	int rc = 0;

	if (group)
		return group_add(group, events, nr);
	rc = rest_fits(plan, machine, pmu, placed, &scatter);
	if (!rc && !scatter && group_fits(plan, machine, &none, events, nr)) {
		group = new_group(plan, pmu);
		return group ? group_add(group, events, nr) : -ENOMEM;
	}
	for (size_t i = 0; !rc && i < nr; i++)
		rc = place_single(plan, machine, events[i]);
	return rc;
}

/* The part of a need that is on pmu and has no place yet. */
static size_t unplaced(const struct td_plan *plan, const struct td_need *need,
		       int pmu, const bool *placed, int *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < need->nr; i++) {
		int event = need->events[i];

		if (plan->events[event].pmu == pmu && !placed[event])
			out[nr++] = event;
	}
	return nr;
}

static int place_need(struct td_plan *plan, const struct td_machine *machine,
		      const struct td_need *need, int pmu, bool *placed)
{
	td_autofree int *events = calloc(need->nr + 1, sizeof(*events));
	size_t nr;
	int rc;

	if (!events)
		return -ENOMEM;
	nr = unplaced(plan, need, pmu, placed, events);
	if (!nr)
		return 0;
	rc = place_together(plan, machine, events, nr, placed);
	for (size_t i = 0; i < nr; i++)
		placed[events[i]] = true;
	return rc;
}

static int place_pmu(struct td_plan *plan, const struct td_machine *machine,
		     const struct td_need *needs, size_t nr_needs, int pmu,
		     bool *placed)
{
	int rc = add_slots_group(plan, pmu, placed);

	for (size_t i = 0; !rc && i < nr_needs; i++)
		rc = place_need(plan, machine, &needs[i], pmu, placed);
	for (int i = 0; !rc && i < (int)plan->nr_events; i++) {
		if (plan->events[i].pmu != pmu || placed[i])
			continue;
		rc = place_single(plan, machine, i);
		placed[i] = true;
	}
	return rc;
}

int td_plan_build(struct td_plan *plan, const struct td_machine *machine,
		  const struct td_need *needs, size_t nr_needs,
		  struct td_err *err)
{
	td_autofree bool *placed = calloc(plan->nr_events + 1, sizeof(*placed));
	int rc = placed ? 0 : -ENOMEM;

	for (int pmu = 0; !rc && pmu < (int)machine->nr_pmus; pmu++)
		rc = place_pmu(plan, machine, needs, nr_needs, pmu, placed);
	return rc ? td_err_nomem(err) : 0;
}

void td_plan_free(struct td_plan *plan)
{
	for (size_t i = 0; i < plan->nr_events; i++)
		td_event_free(&plan->events[i]);
	for (size_t i = 0; i < plan->nr_groups; i++)
		free(plan->groups[i].members);
	free(plan->events);
	free(plan->groups);
	*plan = (struct td_plan){ 0 };
}

int td_plan_split(struct td_plan *plan, size_t index, struct td_err *err)
{
	struct td_group *group = &plan->groups[index], *half;
	size_t keep = group->nr / 2;

	if (group->slots || group->nr < 2)
		return td_err_set(err, -EINVAL, "%s: cannot be split",
				  plan->events[group->members[0]].name);
	half = new_group(plan, group->pmu);
	if (!half)
		return td_err_nomem(err);
	group = &plan->groups[index]; /* may have moved */
	if (group_add(half, group->members + keep, group->nr - keep))
		return td_err_nomem(err);
	group->nr = keep;
	return 0;
}

struct perf_event_attr td_plan_attr(const struct td_plan *plan,
				    const struct td_group *group, size_t i,
				    const struct td_target *target)
{
	const struct td_event *event = &plan->events[group->members[i]];
	bool leader = i == 0;

	return (struct perf_event_attr){
		.type = event->type,
		.size = sizeof(struct perf_event_attr),
		.config = event->config[0],
		.config1 = event->config[1],
		.config2 = event->config[2],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			       PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader,
		.enable_on_exec = leader && target->enable_on_exec,
		.inherit = target->inherit,
		.exclude_kernel = target->exclude_kernel,
		.exclude_hv = target->exclude_kernel,
		.exclude_guest = target->exclude_guest,
	};
}

int td_plan_cpus(const struct td_pmu *pmu, const struct td_target *target,
		 struct td_ints *out)
{
	if (target->has_cpus)
		return td_ints_and(out, &pmu->cpus, &target->cpus);
	return td_ints_copy(out, &pmu->cpus);
}
