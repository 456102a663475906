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

/* --- which group is in which set ------------------------------------------ */

/*
 * PMUs other than the cores' are not known to be full, and what is pinned counts
 * all the time: both are in every run.
 */
static bool is_in_every_run(const struct td_machine *machine,
			    const struct td_group *group)
{
	return group->pinned || machine->pmus[group->pmu].kind != TD_PMU_CORE;
}

/* The set of each group, as td_group.set, and what each set of a PMU holds. */
struct splitting {
	const struct td_plan *plan;
	const struct td_machine *machine;
	unsigned int *sets;
	struct td_concurrent *concurrent;
};

/*
 * Puts each group of a PMU into the first set with room; one that is too large
 * for the counters has a set of its own.  Returns the number of sets.
 */
static unsigned int split(const struct splitting *s, int pmu)
{
	const struct td_plan *plan = s->plan;
	const struct td_concurrent base =
		td_concurrent_pinned(plan, s->machine, pmu);
	unsigned int nr = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		unsigned int set = 0;

		if (group->pmu != pmu || is_in_every_run(s->machine, group))
			continue;
		while (set < nr && !td_concurrent_add(&s->concurrent[set], plan,
						      s->machine, group))
			set++;
		if (set == nr) {
			s->concurrent[nr] = base;
			s->concurrent[nr].closed |= !td_concurrent_add(
				&s->concurrent[nr], plan, s->machine, group);
			nr++;
		}
		s->sets[g] = set + 1;
	}
	return nr;
}

/* Splits the groups of all core PMUs.  Returns the number of runs. */
static unsigned int split_all(const struct splitting *s)
{
	unsigned int most = 1;

	for (int pmu = 0; pmu < (int)s->machine->nr_core; pmu++) {
		unsigned int nr = split(s, pmu);

		most = nr > most ? nr : most;
	}
	return most;
}

static int begin_splitting(struct splitting *s, const struct td_plan *plan,
			   const struct td_machine *machine)
{
	*s = (struct splitting){
		.plan = plan,
		.machine = machine,
		.sets = calloc(plan->nr_groups + 1, sizeof(*s->sets)),
		.concurrent =
			calloc(plan->nr_groups + 1, sizeof(*s->concurrent)),
	};
	return s->sets && s->concurrent ? 0 : -ENOMEM;
}

static void end_splitting(struct splitting *s)
{
	free(s->sets);
	free(s->concurrent);
}

unsigned int td_plan_count_sets(const struct td_plan *plan,
				const struct td_machine *machine)
{
	struct splitting s;
	unsigned int nr =
		begin_splitting(&s, plan, machine) ? 0 : split_all(&s);

	end_splitting(&s);
	return nr;
}

/* --- how much a run has worked -------------------------------------------- */

static bool is_instructions(const struct td_machine *machine,
			    const struct td_event *event)
{
	static const struct td_modifiers none;

	return td_claim_of(machine, event).mask & TD_FIXED(0) &&
	       td_modifiers_same_rings(&event->mods, &none);
}

/* The event of the group that counts instructions, or -1. */
static int find_work(const struct td_plan *plan,
		     const struct td_machine *machine,
		     const struct td_group *group)
{
	for (size_t i = 0; i < group->nr; i++) {
		if (is_instructions(machine,
				    &plan->events.v[group->members[i]]))
			return group->members[i];
	}
	return -1;
}

/* Finds an event that counts instructions in a set, and marks it. */
static bool mark_work(struct td_plan *plan, const struct td_machine *machine,
		      int pmu, unsigned int set)
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

static int add_event(struct td_plan *plan, const struct td_machine *machine,
		     int pmu, struct td_err *err)
{
	struct td_event *event = td_events_add(&plan->events);
	int rc;

	if (!event)
		return td_err_nomem(err);
	rc = td_event_init(event, &machine->pmus[pmu], pmu, WORK_NAME,
			   WORK_TERMS, err);
	event->hidden = event->is_work = true;
	return rc;
}

static int add_group(struct td_plan *plan, int pmu, unsigned int set, int event,
		     struct td_err *err)
{
	struct td_group *group = td_plan_new_group(plan, pmu);

	if (!group || td_group_add(group, &event, 1))
		return td_err_nomem(err);
	group->set = set;
	return 0;
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
 * Lets each set of a PMU count instructions, by an event that it has or by one
 * that is added, whose counter is a fixed one.
 */
static int add_work(struct td_plan *plan, const struct splitting *s, int pmu,
		    unsigned int nr, struct td_err *err)
{
	bool any = !nr && mark_work(plan, s->machine, pmu, 0);
	int event, rc;

	for (unsigned int set = 1; set <= nr; set++)
		any |= mark_work(plan, s->machine, pmu, set);
	if (!has_groups(plan, pmu) || (any && !nr))
		return 0;
	rc = add_event(plan, s->machine, pmu, err);
	event = (int)plan->events.nr - 1;
	if (!rc && !any)
		return add_group(plan, pmu, 0, event, err);
	for (unsigned int set = 1; !rc && set <= nr; set++) {
		if (!mark_work(plan, s->machine, pmu, set))
			rc = add_group(plan, pmu, set, event, err);
	}
	return rc;
}

/* After split() of a PMU. */
static void store_sets(struct td_plan *plan, const struct splitting *s, int pmu)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu == pmu)
			plan->groups[g].set = s->sets[g];
	}
}

int td_plan_make_sets(struct td_plan *plan, const struct td_machine *machine,
		      struct td_err *err)
{
	struct splitting s;
	int rc = begin_splitting(&s, plan, machine) ? td_err_nomem(err) : 0;

	if (!rc)
		plan->nr_sets = split_all(&s);
	for (int pmu = 0;
	     !rc && plan->nr_sets > 1 && pmu < (int)machine->nr_core; pmu++) {
		unsigned int nr = split(&s, pmu);

		store_sets(plan, &s, pmu);
		rc = add_work(plan, &s, pmu, nr, err);
	}
	end_splitting(&s);
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

/* A PMU with fewer sets than another counts them again. */
bool td_plan_run_counts(const struct td_plan *plan,
			const struct td_group *group, unsigned int run)
{
	return !group->set ||
	       group->set == run % count_sets(plan, group->pmu) + 1;
}

int td_plan_take_set(struct td_plan *plan, unsigned int run)
{
	td_autofree bool *stays = calloc(plan->nr_groups + 1, sizeof(*stays));
	size_t kept = 0;

	plan->parked = calloc(plan->nr_groups + 1, sizeof(*plan->parked));
	plan->nr_parked = 0;
	if (!stays || !plan->parked)
		return -ENOMEM;
	for (size_t g = 0; g < plan->nr_groups; g++)
		stays[g] = td_plan_run_counts(plan, &plan->groups[g], run);
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (stays[g])
			plan->groups[kept++] = plan->groups[g];
		else
			plan->parked[plan->nr_parked++] = plan->groups[g];
	}
	plan->nr_groups = kept;
	return 0;
}

int td_plan_put_back(struct td_plan *plan)
{
	while (plan->nr_parked) {
		struct td_group *group = td_array_add(
			&plan->groups, plan->nr_groups, sizeof(*group));

		if (!group)
			return -ENOMEM;
		*group = plan->parked[--plan->nr_parked];
		plan->nr_groups++;
	}
	free(plan->parked);
	plan->parked = NULL;
	return 0;
}

/* --- one group of all ----------------------------------------------------- */

/* The group that the others of its PMU join: that of SLOTS, which has to lead. */
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

/* Sets *fits.  Returns 0 or -ENOMEM. */
static int add(struct td_plan *plan, const struct td_machine *machine,
	       size_t to, int event, bool *fits)
{
	struct td_group *group = &plan->groups[to];
	int rc = td_group_add(group, &event, 1);

	*fits = !rc && td_plan_group_fits(plan, machine, to);
	if (!rc && !*fits)
		group->nr--;
	return rc;
}

/* A clone counts what is in the group already. */
static int join(struct td_plan *plan, const struct td_machine *machine,
		size_t from, size_t to, struct td_err *err)
{
	const struct td_group *group = &plan->groups[from];

	for (size_t i = 0; i < group->nr; i++) {
		int event = group->members[i];
		bool fits = true;

		if (event == group->clone || has(&plan->groups[to], event))
			continue;
		if (add(plan, machine, to, event, &fits))
			return td_err_nomem(err);
		if (!fits && td_event_set_refusal(&plan->events.v[event],
						  TD_NO_COUNTER_LEFT))
			return td_err_nomem(err);
	}
	return 0;
}

static int join_pmu(struct td_plan *plan, const struct td_machine *machine,
		    size_t to, struct td_err *err)
{
	int rc = 0;

	for (size_t g = 0; !rc && g < plan->nr_groups; g++) {
		if (g != to && plan->groups[g].pmu == plan->groups[to].pmu)
			rc = join(plan, machine, g, to, err);
	}
	plan->groups[to].at_once = 1;
	plan->groups[to].pinned = false;
	plan->groups[to].reference = plan->groups[to].clone = -1;
	return rc;
}

/* keep: for each group, whether the others of its PMU have joined it. */
static void drop_others(struct td_plan *plan, const bool *keep)
{
	size_t kept = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (keep[g])
			plan->groups[kept++] = plan->groups[g];
		else
			free(plan->groups[g].members);
	}
	plan->nr_groups = kept;
}

int td_plan_join(struct td_plan *plan, const struct td_machine *machine,
		 struct td_err *err)
{
	td_autofree bool *keep = calloc(plan->nr_groups + 1, sizeof(*keep));
	int rc = keep ? 0 : td_err_nomem(err);

	for (size_t g = 0; !rc && g < plan->nr_groups; g++) {
		keep[g] = find_first(plan, plan->groups[g].pmu) == g;
		if (keep[g])
			rc = join_pmu(plan, machine, g, err);
	}
	if (!rc)
		drop_others(plan, keep);
	return rc;
}
