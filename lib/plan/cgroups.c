// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan/cgroups.h"

#include <errno.h>

/*
 * Returns 0 for no cgroup, else 1 + its index. spec is the event's place in the
 * text.
 */
static int cgroup_of(const struct td_cgroups *cgroups, int spec, int nr_specs)
{
	if (cgroups->nr == 1)
		return cgroups->names[0] && spec < nr_specs ? 1 : 0;
	if (spec < 0 || (size_t)spec >= cgroups->nr || !cgroups->names[spec])
		return 0;
	/* a cgroup that was named twice is one */
	return (int)td_cgroups_find(cgroups, cgroups->names[spec]) + 1;
}

static int last_spec(const struct td_plan *plan)
{
	int last = -1;

	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].spec > last)
			last = plan->events.v[i].spec;
	}
	return last;
}

/* SLOTS that was added to a group is counted in the cgroup of the others. */
static int assign(const struct td_plan *plan, struct td_group *group,
		  const struct td_cgroups *cgroups, int nr_specs,
		  struct td_err *err)
{
	int found = -1;

	for (size_t i = 0; i < group->nr; i++) {
		const struct td_event *event =
			&plan->events.v[group->members[i]];
		int cgroup = cgroup_of(cgroups, event->spec, nr_specs);

		if (event->hidden)
			continue;
		if (found >= 0 && cgroup != found)
			return td_err_usage(err,
					    "%s and the events of its "
					    "group are counted together: they "
					    "need the same cgroup",
					    event->name);
		found = cgroup;
	}
	group->cgroup = found < 0 ? cgroup_of(cgroups, 0, nr_specs) : found;
	return 0;
}

int td_cgroups_assign(struct td_plan *plan, const struct td_cgroups *cgroups,
		      int nr_specs, struct td_err *err)
{
	int nr_typed = last_spec(plan) + 1, rc = 0;

	if (cgroups->nr > 1 && (int)cgroups->nr > nr_typed)
		return td_err_usage(err, "%zu cgroups, but only %d event%s",
				    cgroups->nr, nr_typed,
				    nr_typed == 1 ? "" : "s");
	for (size_t g = 0; !rc && g < plan->nr_groups; g++)
		rc = assign(plan, &plan->groups[g], cgroups, nr_specs, err);
	return rc;
}
