// SPDX-License-Identifier: GPL-2.0-only
#include "lib/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/index.h"
#include "lib/base/util.h"
#include "lib/plan/group.h"

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

/* The reference event once more, as the leader of a further group. */
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

/* The first event of the same name, if it is an earlier one; -1: none. */
static int earlier_twin(const struct td_plan *plan,
			const struct td_index *names, int event)
{
	const char *name = plan->events[event].name;
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	do {
		at = td_index_next(names, hash, &step);
	} while (at != TD_NOT_FOUND &&
		 strcmp(plan->events[at].name, name) != 0);
	return at < (size_t)event ? (int)at : -1;
}

static int index_names(struct td_index *names, const struct td_plan *plan)
{
	for (size_t i = 0; i < plan->nr_events; i++) {
		if (td_index_add(names, td_hash_text(plan->events[i].name), i))
			return -ENOMEM;
	}
	return 0;
}

static void find_clone(const struct td_plan *plan, const struct td_index *names,
		       const bool *clones, struct td_group *group)
{
	group->reference = group->clone = -1;
	for (size_t i = 0; i < group->nr && group->clone < 0; i++) {
		if (clones && !clones[group->members[i]])
			continue;
		group->reference = earlier_twin(plan, names, group->members[i]);
		if (group->reference >= 0)
			group->clone = group->members[i];
	}
}

int td_plan_find_clones(struct td_plan *plan, const bool *clones)
{
	td_autofree int *groups = td_plan_groups(plan);
	struct td_index names = { 0 };
	int rc = groups ? index_names(&names, plan) : -ENOMEM;

	for (size_t g = 0; !rc && g < plan->nr_groups; g++)
		find_clone(plan, &names, clones, &plan->groups[g]);
	for (size_t g = 0; !rc && g < plan->nr_groups; g++) {
		int reference = plan->groups[g].reference;

		if (plan->groups[g].clone >= 0 && groups[reference] >= 0)
			plan->groups[groups[reference]].reference = reference;
	}
	td_index_free(&names);
	return rc;
}

int *td_plan_groups(const struct td_plan *plan)
{
	int *groups = malloc((plan->nr_events + 1) * sizeof(*groups));

	for (size_t i = 0; groups && i < plan->nr_events; i++)
		groups[i] = -1;
	/* the first group of an event that is in several */
	for (size_t g = plan->nr_groups; groups && g > 0; g--) {
		const struct td_group *group = &plan->groups[g - 1];

		for (size_t i = 0; i < group->nr; i++)
			groups[group->members[i]] = (int)g - 1;
	}
	return groups;
}

void td_plan_drop_events(struct td_plan *plan, size_t from)
{
	for (size_t i = from; i < plan->nr_events; i++)
		td_event_free(&plan->events[i]);
	plan->nr_events = from;
}

void td_plan_free(struct td_plan *plan)
{
	td_plan_drop_events(plan, 0);
	for (size_t i = 0; i < plan->nr_groups; i++)
		free(plan->groups[i].members);
	free(plan->events);
	free(plan->groups);
	*plan = (struct td_plan){ 0 };
}

bool td_plan_can_split(const struct td_group *group)
{
	size_t first = group->reference >= 0;

	return !group->slots && !group->pinned && group->nr >= first + 2;
}

int td_plan_split(struct td_plan *plan, size_t index, struct td_err *err)
{
	const struct td_group *group = &plan->groups[index];
	int reference = group->reference;
	size_t first = reference >= 0; /* the reference leads */
	size_t keep = first + (group->nr - first) / 2;
	struct td_group *half;

	if (!td_plan_can_split(group))
		return td_err_set(err, -EINVAL, "%s: cannot be split",
				  plan->events[group->members[0]].name);
	half = td_plan_new_group(plan, group->pmu);
	if (!half ||
	    (reference >= 0 && td_plan_add_clone(plan, half, reference)))
		return td_err_nomem(err);
	group = &plan->groups[index]; /* may have moved */
	if (td_group_add(half, group->members + keep, group->nr - keep))
		return td_err_nomem(err);
	plan->groups[index].nr = keep;
	return 0;
}

/* A member of a weak group that can be counted by itself. */
static bool can_leave(const struct td_plan *plan, const struct td_group *group,
		      size_t i)
{
	const struct td_event *event = &plan->events[group->members[i]];

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
		struct td_event *event = &plan->events[group->members[i]];

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

/*
 * Letters -> exclude bits: who names a ring counts that alone
 * (parse_events__modifier_list() in tools/perf/util/parse-events.c).
 */
static void set_excludes(struct perf_event_attr *attr,
			 const struct td_modifiers *mods,
			 const struct td_target *target)
{
	bool rings = mods->user || mods->kernel || mods->hypervisor;
	bool hosts = mods->guest || mods->host;
	bool precise = mods->precise > 0;

	attr->exclude_user = rings && !mods->user;
	attr->exclude_kernel = rings && !mods->kernel;
	/* these overrule letters (create_perf_stat_counter()) */
	if (target->all_user || target->all_kernel) {
		attr->exclude_user = target->all_kernel;
		attr->exclude_kernel = target->all_user;
	}
	attr->exclude_kernel |= target->exclude_kernel;
	attr->exclude_hv =
		(rings && !mods->hypervisor) || target->exclude_kernel;
	attr->exclude_idle = mods->non_idle;
	attr->exclude_host = hosts && !mods->host;
	attr->exclude_guest =
		hosts ? !mods->guest : precise || target->exclude_guest;
}

struct perf_event_attr td_plan_attr(const struct td_plan *plan,
				    const struct td_group *group, size_t i,
				    const struct td_target *target)
{
	const struct td_event *event = &plan->events[group->members[i]];
	bool leader = i == 0;
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(struct perf_event_attr),
		.config = event->config[0],
		.config1 = event->config[1],
		.config2 = event->config[2],
		.config3 = event->config[3],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
			       PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader,
		.enable_on_exec = leader && target->enable_on_exec,
		.inherit = target->inherit,
		.pinned = leader && group->pinned,
		.exclusive = leader && group->exclusive,
		.bp_type = event->bp_type,
	};

	attr.precise_ip = (unsigned int)event->mods.precise & 3U;
	set_excludes(&attr, &event->mods, target);
	return attr;
}

int td_plan_cpus(const struct td_pmu *pmu, const struct td_target *target,
		 struct td_ints *out)
{
	if (target->has_cpus)
		return td_ints_and(out, &pmu->cpus, &target->cpus);
	return td_ints_copy(out, &pmu->cpus);
}
