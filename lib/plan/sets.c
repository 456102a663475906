// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan/sets.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/event/event.h"
#include "lib/plan/fit.h"
#include "lib/plan/plan.h"

/* The event that measures a run's work; its counter is a fixed one. */
#define WORK_NAME  "instructions"
#define WORK_TERMS "event=0xc0"

/* --- the sets of groups --------------------------------------------------- */

/* Pinned groups count all the time; the number of counters of uncore PMUs is unknown. */
static bool is_in_every_run(const struct td_machine *machine, const struct td_group *group)
{
	return group->pinned || machine->pmus[group->pmu].kind != TD_PMU_CORE;
}

/*
 * Put each group of a PMU into the first set with room; a group that is too large for the
 * counters gets a set of its own.  Sets sets[group], with the meaning of td_group.set, for the
 * groups of this PMU.  Returns the number of sets.
 */
static unsigned int split(const struct td_plan *plan, const struct td_machine *machine, int pmu,
			  unsigned int *sets)
{
	const struct td_concurrent base = td_concurrent_pinned(plan, machine, pmu);
	td_autofree struct td_concurrent *concurrent =
		td_calloc(plan->nr_groups + 1, sizeof(*concurrent));
	unsigned int nr = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		unsigned int set = 0;

		if (group->pmu != pmu || is_in_every_run(machine, group))
			continue;
		while (set < nr && !td_concurrent_add(&concurrent[set], plan, machine, group))
			set++;
		if (set == nr) {
			concurrent[nr] = base;
			concurrent[nr].closed |=
				!td_concurrent_add(&concurrent[nr], plan, machine, group);
			nr++;
		}
		sets[g] = set + 1;
	}
	return nr;
}

unsigned int td_plan_count_sets(const struct td_plan *plan, const struct td_machine *machine)
{
	td_autofree unsigned int *sets = td_calloc(plan->nr_groups + 1, sizeof(*sets));
	unsigned int max = 1;

	for (int pmu = 0; pmu < (int)machine->nr_core; pmu++) {
		unsigned int nr = split(plan, machine, pmu, sets);

		max = nr > max ? nr : max;
	}
	return max;
}

/* --- the work of a run ---------------------------------------------------- */

static bool is_instructions(const struct td_machine *machine, const struct td_event *event)
{
	static const struct td_modifiers none;

	return td_claim_of(machine, event).mask & TD_FIXED(0) &&
	       td_modifiers_same_rings(&event->mods, &none);
}

/* Return the event of the group that counts instructions, or -1. */
static int find_work(const struct td_plan *plan, const struct td_machine *machine,
		     const struct td_group *group)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (is_instructions(machine, &plan->events.v[group->members[i]]))
			return group->members[i];
	}
	return -1;
}

/* Find an event that counts instructions in a set, and mark it. */
static bool mark_work(struct td_plan *plan, const struct td_machine *machine, int pmu,
		      unsigned int set)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		int event = -1;

		if (group->pmu == pmu && (!group->set || group->set == set))
			event = find_work(plan, machine, group);
		if (event < 0)
			continue;
		plan->events.v[event].is_work = true;
		return true;
	}
	return false;
}

static int add_event(struct td_plan *plan, const struct td_machine *machine, int pmu,
		     struct td_err *err)
{
	struct td_event *event = td_events_add(&plan->events);
	int rc = td_event_init(event, &machine->pmus[pmu], pmu, WORK_NAME, WORK_TERMS, err);
	event->hidden = event->is_work = true;
	return rc;
}

static void add_group(struct td_plan *plan, int pmu, unsigned int set, int event)
{
	struct td_group *group = td_plan_new_group(plan, pmu);

	td_group_add(group, &event, 1);
	group->set = set;
}

static bool has_groups(const struct td_plan *plan, int pmu)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu == pmu)
			return true;
	}
	return false;
}

/*
 * Make each set of a PMU count instructions, with an event that it contains or an added
 * one, which uses a fixed counter.
 */
static int add_work(struct td_plan *plan, const struct td_machine *machine, int pmu,
		    unsigned int nr, struct td_err *err)
{
	bool any = !nr && mark_work(plan, machine, pmu, 0);
	int event;

	for (unsigned int set = 1; set <= nr; set++)
		any |= mark_work(plan, machine, pmu, set);
	if (!has_groups(plan, pmu) || (any && !nr))
		return 0;
	if (add_event(plan, machine, pmu, err))
		return err->code;
	event = (int)plan->events.nr - 1;
	if (!any) {
		add_group(plan, pmu, 0, event);
		return 0;
	}
	for (unsigned int set = 1; set <= nr; set++) {
		if (!mark_work(plan, machine, pmu, set))
			add_group(plan, pmu, set, event);
	}
	return 0;
}

int td_plan_make_sets(struct td_plan *plan, const struct td_machine *machine, struct td_err *err)
{
	int rc = 0;

	plan->nr_sets = td_plan_count_sets(plan, machine);
	for (int pmu = 0; !rc && plan->nr_sets > 1 && pmu < (int)machine->nr_core; pmu++) {
		td_autofree unsigned int *sets = td_calloc(plan->nr_groups + 1, sizeof(*sets));
		unsigned int nr = split(plan, machine, pmu, sets);

		for (size_t g = 0; g < plan->nr_groups; g++) {
			if (plan->groups[g].pmu == pmu)
				plan->groups[g].set = sets[g];
		}
		rc = add_work(plan, machine, pmu, nr, err);
	}
	return rc;
}

/* --- runs ----------------------------------------------------------------- */

static unsigned int count_sets(const struct td_plan *plan, int pmu)
{
	unsigned int nr = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (group->pmu == pmu && group->set > nr)
			nr = group->set;
	}
	return nr;
}

/* A PMU with fewer sets than another one repeats them. */
bool td_plan_run_counts(const struct td_plan *plan, const struct td_group *group, unsigned int run)
{
	return !group->set || group->set == run % count_sets(plan, group->pmu) + 1;
}

void td_plan_select_set(struct td_plan *plan, unsigned int run)
{
	td_autofree bool *stays = td_calloc(plan->nr_groups + 1, sizeof(*stays));
	size_t kept = 0;

	plan->parked = td_calloc(plan->nr_groups + 1, sizeof(*plan->parked));
	plan->nr_parked = 0;
	for (size_t g = 0; g < plan->nr_groups; g++)
		stays[g] = td_plan_run_counts(plan, &plan->groups[g], run);
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (stays[g])
			plan->groups[kept++] = plan->groups[g];
		else
			plan->parked[plan->nr_parked++] = plan->groups[g];
	}
	plan->nr_groups = kept;
}

void td_plan_restore_groups(struct td_plan *plan)
{
	while (plan->nr_parked) {
		struct td_group *group =
			td_array_add(&plan->groups, plan->nr_groups, sizeof(*group));

		*group = plan->parked[--plan->nr_parked];
		plan->nr_groups++;
	}
	free(plan->parked);
	plan->parked = NULL;
}

/* --- one group per PMU ---------------------------------------------------- */

/* Return the group that others of its PMU join: the first, or the one with SLOTS, which leads. */
static size_t find_first(const struct td_plan *plan, int pmu)
{
	size_t first = plan->nr_groups;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (group->pmu == pmu && group->slots)
			return g;
		if (group->pmu == pmu && first == plan->nr_groups)
			first = g;
	}
	return first;
}

static bool has(const struct td_group *group, int event)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (group->members[i] == event)
			return true;
	}
	return false;
}

/* Add the events of a group to another group, except its clone, which is already there. */
static void join(struct td_plan *plan, const struct td_machine *machine, size_t from, size_t to)
{
	const struct td_group *group = &plan->groups[from];

	for (size_t i = 0; i < group->nr; i++) {
		int event = group->members[i];

		if (event == group->clone || has(&plan->groups[to], event))
			continue;
		td_group_add(&plan->groups[to], &event, 1);
		if (td_plan_group_fits(plan, machine, to))
			continue;
		plan->groups[to].nr--;
		td_event_set_refusal(&plan->events.v[event], TD_NO_COUNTER_LEFT);
	}
}

static void join_pmu(struct td_plan *plan, const struct td_machine *machine, size_t to)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (g != to && plan->groups[g].pmu == plan->groups[to].pmu)
			join(plan, machine, g, to);
	}
	plan->groups[to].at_once = 1;
	plan->groups[to].pinned = plan->groups[to].may_unpin = false;
	plan->groups[to].reference = plan->groups[to].clone = -1;
}

void td_plan_join(struct td_plan *plan, const struct td_machine *machine)
{
	td_autofree bool *keep = td_calloc(plan->nr_groups + 1, sizeof(*keep));
	size_t kept = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		keep[g] = find_first(plan, plan->groups[g].pmu) == g;
		if (keep[g])
			join_pmu(plan, machine, g);
	}
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (keep[g])
			plan->groups[kept++] = plan->groups[g];
		else
			free(plan->groups[g].members);
	}
	plan->nr_groups = kept;
}
