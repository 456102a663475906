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
	int clone = (int)plan->nr_events;
	struct td_event *event =
		td_array_add(&plan->events, plan->nr_events, sizeof(*event));

	if (!event)
		return -ENOMEM;
	*event = plan->events[reference];
	event->unit = event->tracepoint = event->filter = event->refusal = NULL;
	event->name = strdup(event->name);
	plan->nr_events++;
	if (!event->name)
		return -ENOMEM;
	group->reference = reference;
	group->clone = clone;
	return td_group_add(group, &clone, 1);
}

int td_plan_add_slots(struct td_plan *plan, const struct td_machine *machine,
		      int field, struct td_err *err)
{
	int pmu = plan->events[field].pmu, rc;
	struct td_event *slots =
		td_array_add(&plan->events, plan->nr_events, sizeof(*slots));

	if (!slots)
		return td_err_nomem(err);
	plan->nr_events++;
	rc = td_event_init(slots, &machine->pmus[pmu], pmu, "slots", NULL, err);
	if (rc)
		return rc;
	slots->mods = plan->events[field].mods;
	slots->group = plan->events[field].group;
	slots->hidden = true;
	return 0;
}
