// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan/group.h"

#include <errno.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/plan/plan.h"

int td_group_add(struct td_group *group, const int *events, size_t nr)
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

struct td_group *td_plan_new_group(struct td_plan *plan, int pmu)
{
	struct td_group *group =
		td_array_add(&plan->groups, plan->nr_groups, sizeof(*group));

	if (!group)
		return NULL;
	plan->nr_groups++;
	group->pmu = pmu;
	group->reference = group->clone = -1;
	return group;
}

int td_plan_add_clone(struct td_plan *plan, struct td_group *group,
		      int reference)
{
	int clone = (int)plan->events.nr;
	struct td_event *event = td_events_add(&plan->events);

	if (!event)
		return -ENOMEM;
	*event = plan->events.v[reference];
	event->unit = event->tracepoint = event->filter = event->refusal = NULL;
	event->name = strdup(event->name);
	if (!event->name)
		return -ENOMEM;
	group->reference = reference;
	group->clone = clone;
	return td_group_add(group, &clone, 1);
}
