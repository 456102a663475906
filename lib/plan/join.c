// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan/join.h"

#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/plan/fit.h"
#include "lib/plan/plan.h"

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
