// SPDX-License-Identifier: GPL-2.0-only
/* Changes groups that the kernel refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/plan/plan.h"

bool td_plan_can_split(const struct td_group *group)
{
	size_t first = group->reference >= 0;

	return group->may_split && !group->slots && !group->pinned &&
	       group->nr >= first + 2;
}

int td_plan_split(struct td_plan *plan, size_t index, struct td_err *err)
{
	const struct td_group *group = &plan->groups[index];
	int reference = group->reference;
	size_t first = reference >= 0; /* the reference leads both halves */
	size_t keep = first + (group->nr - first) / 2;
	struct td_group *half;

	if (!td_plan_can_split(group))
		return td_err_set(err, -EINVAL, "%s: cannot be split",
				  plan->events.v[group->members[0]].name);
	half = td_plan_new_group(plan, group->pmu);
	if (!half ||
	    (reference >= 0 && td_plan_add_clone(plan, half, reference)))
		return td_err_nomem(err);
	half->may_split = true;
	half->set = plan->groups[index].set;
	half->family = plan->groups[index].family;
	group = &plan->groups[index]; /* the array may have moved */
	if (td_group_add(half, group->members + keep, group->nr - keep))
		return td_err_nomem(err);
	plan->groups[index].nr = keep;
	return 0;
}

/* True if a member of a weak group can be counted alone. */
static bool can_leave(const struct td_plan *plan, const struct td_group *group,
		      size_t i)
{
	const struct td_event *event = &plan->events.v[group->members[i]];

	return i > 0 && !(group->slots && td_event_is_metric(event));
}

bool td_plan_is_breakable(const struct td_plan *plan, size_t index)
{
	const struct td_group *group = &plan->groups[index];

	for (size_t i = 0; group->weak && i < group->nr; i++) {
		if (can_leave(plan, group, i))
			return true;
	}
	return false;
}

int td_plan_break(struct td_plan *plan, size_t index, struct td_err *err)
{
	size_t kept = 0, nr = plan->groups[index].nr;

	for (size_t i = 0; i < nr; i++) {
		struct td_group *group = &plan->groups[index];
		int event = group->members[i];

		if (!can_leave(plan, group, i)) {
			group->members[kept++] = event;
			continue;
		}
		group = td_plan_new_group(plan, group->pmu);
		if (!group || td_group_add(group, &event, 1))
			return td_err_nomem(err);
		group->pinned = plan->groups[index].pinned;
		group->exclusive = plan->groups[index].exclusive;
		group->set = plan->groups[index].set;
	}
	plan->groups[index].nr = kept;
	return 0;
}

static void drop_group(struct td_plan *plan, size_t index)
{
	free(plan->groups[index].members);
	plan->nr_groups--;
	memmove(&plan->groups[index], &plan->groups[index + 1],
		(plan->nr_groups - index) * sizeof(*plan->groups));
}

int td_plan_refuse(struct td_plan *plan, size_t index, size_t member,
		   const char *why, struct td_err *err)
{
	struct td_group *group = &plan->groups[index];
	bool slots = group->slots && member == 0;
	size_t kept = 0;

	for (size_t i = 0; i < group->nr; i++) {
		struct td_event *event = &plan->events.v[group->members[i]];

		if (i != member && !(slots && td_event_is_metric(event)))
			group->members[kept++] = group->members[i];
		else if (td_event_set_refusal(event, why))
			return td_err_nomem(err);
	}
	group->nr = kept;
	group->slots = group->slots && !slots;
	if (!kept)
		drop_group(plan, index);
	return 0;
}
