// SPDX-License-Identifier: GPL-2.0-only
/* Functions on the groups of plans: their cgroups, and splitting and removing refused ones. */
#include "lib/plan/plan.h"

#include "lib/base/util.h"

/* Return the first event with the same name, or -1 if it is the event itself. */
static int earlier_twin(const struct td_plan *plan, const struct td_index *names, int event)
{
	const struct td_event *events = plan->events.v;
	const char *name = events[event].name;
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	do {
		at = td_index_next(names, hash, &step);
	} while (at != TD_NOT_FOUND &&
		 (strcmp(events[at].name, name) != 0 || events[at].pmu != events[event].pmu));
	return at < (size_t)event ? (int)at : -1;
}

static void find_clone(const struct td_plan *plan, const struct td_index *names, const bool *clones,
		       struct td_group *group)
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

void td_plan_find_clones(struct td_plan *plan, const bool *clones)
{
	td_autofree int *groups = td_plan_groups(plan);
	struct td_index names = { 0 };

	for (size_t i = 0; i < plan->events.nr; i++)
		td_index_add(&names, td_hash_text(plan->events.v[i].name), i);
	for (size_t g = 0; g < plan->nr_groups; g++)
		find_clone(plan, &names, clones, &plan->groups[g]);
	for (size_t g = 0; g < plan->nr_groups; g++) {
		int reference = plan->groups[g].reference;

		if (plan->groups[g].clone >= 0 && groups[reference] >= 0)
			plan->groups[groups[reference]].reference = reference;
	}
	td_index_free(&names);
}

bool td_plan_has_families(const struct td_plan *plan)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].family)
			return true;
	}
	return false;
}

bool td_plan_has_groups(const struct td_plan *plan, int pmu)
{
	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		if (group->pmu == pmu)
			return true;
	}
	return false;
}

bool td_plan_uses(const struct td_plan *plan, int pmu)
{
	for (size_t i = 0; i < plan->events.nr; i++) {
		if (plan->events.v[i].pmu == pmu)
			return true;
	}
	return false;
}

int *td_plan_groups(const struct td_plan *plan)
{
	int *groups = td_malloc((plan->events.nr + 1) * sizeof(*groups));

	td_plan_fill_groups(plan, groups);
	return groups;
}

void td_plan_fill_groups(const struct td_plan *plan, int *groups)
{
	for (size_t i = 0; i < plan->events.nr; i++)
		groups[i] = -1;
	/* backwards, so that an event in several groups gets the first */
	for (size_t g = plan->nr_groups; g > 0; g--) {
		const struct td_group *group = &plan->groups[g - 1];

		for (size_t i = 0; i < group->nr; i++)
			groups[group->members[i]] = (int)g - 1;
	}
}

static void free_groups(struct td_group *groups, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(groups[i].members);
	free(groups);
}

void td_plan_free(struct td_plan *plan)
{
	free_groups(plan->groups, plan->nr_groups);
	free_groups(plan->parked, plan->nr_parked);
	td_events_free(&plan->events);
	*plan = (struct td_plan){ 0 };
}

/*
 * Set the exclude bits from the modifiers: naming one privilege level excludes the others
 * (parse_events__modifier_list() in tools/perf/util/parse-events.c).
 */
static void set_excludes(struct perf_event_attr *attr, const struct td_modifiers *mods,
			 const struct td_target *target)
{
	bool rings = mods->user || mods->kernel || mods->hypervisor;
	bool hosts = mods->guest || mods->host;
	bool precise = mods->precise > 0;

	attr->exclude_user = rings && !mods->user;
	attr->exclude_kernel = rings && !mods->kernel;
	/* options overrule modifiers (create_perf_stat_counter() in perf) */
	if (target->all_user || target->all_kernel) {
		attr->exclude_user = target->all_kernel;
		attr->exclude_kernel = target->all_user;
	}
	attr->exclude_kernel |= target->exclude_kernel;
	attr->exclude_hv = (rings && !mods->hypervisor) || target->exclude_kernel;
	attr->exclude_idle = mods->non_idle;
	attr->exclude_host = hosts && !mods->host;
	attr->exclude_guest = hosts ? !mods->guest : precise || target->exclude_guest;
}

struct perf_event_attr td_plan_attr(const struct td_plan *plan, const struct td_group *group,
				    size_t i, const struct td_target *target)
{
	const struct td_event *event = &plan->events.v[group->members[i]];
	bool leader = i == 0;
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(struct perf_event_attr),
		.config = event->config[0],
		.config1 = event->config[1],
		.config2 = event->config[2],
		.config3 = event->config[3],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader,
		.enable_on_exec = leader && target->enable_on_exec && !group->family,
		.inherit = target->inherit,
		.pinned = leader && group->pinned,
		.exclusive = leader && group->exclusive,
		.bp_type = event->bp_type,
	};

	attr.precise_ip = (unsigned int)event->mods.precise & 3U;
	set_excludes(&attr, &event->mods, target);
	return attr;
}

void td_plan_cpus(const struct td_pmu *pmu, const struct td_target *target, struct td_ints *out)
{
	if (target->has_cpus)
		td_ints_and(out, &pmu->cpus, &target->cpus);
	else
		td_ints_copy(out, &pmu->cpus);
}

char *td_plan_lacks_cpus(const struct td_pmu *pmu, const struct td_target *target)
{
	td_autofree char *all = NULL;
	struct td_ints cpus;
	bool none;

	if (!target->has_cpus)
		return NULL;
	td_plan_cpus(pmu, target, &cpus);
	none = cpus.nr == 0;
	td_ints_free(&cpus);
	if (!none)
		return NULL;
	all = td_ints_format(&pmu->cpus);
	return td_aprintf("%s counts only on CPU(s) %s, and -C contains none of them", pmu->name,
			  all);
}

void td_group_add(struct td_group *group, const int *events, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		td_array_push(&group->members, &group->nr, &events[i], sizeof(*events));
}

struct td_group *td_plan_new_group(struct td_plan *plan, int pmu)
{
	struct td_group *group = td_array_add(&plan->groups, plan->nr_groups++, sizeof(*group));

	group->pmu = pmu;
	group->reference = group->clone = -1;
	return group;
}

int td_plan_copy_event(struct td_plan *plan, int index)
{
	int copy = (int)plan->events.nr;
	struct td_event *event = td_events_add(&plan->events);

	*event = plan->events.v[index];
	event->unit = event->tracepoint = event->filter = event->refusal = NULL;
	event->name = td_strdup(event->name);
	return copy;
}

void td_plan_add_clone(struct td_plan *plan, struct td_group *group, int reference)
{
	int clone = td_plan_copy_event(plan, reference);

	group->reference = reference;
	group->clone = clone;
	td_group_add(group, &clone, 1);
}

/* --- cgroups -------------------------------------------------------------- */

/* Return 1 + the index of the cgroup of the event with index spec in the text; 0: none. */
static int cgroup_of(const struct td_cgroups *cgroups, int spec, int nr_specs)
{
	if (cgroups->nr == 1)
		return cgroups->names[0] && spec < nr_specs ? 1 : 0;
	if (spec < 0 || (size_t)spec >= cgroups->nr || !cgroups->names[spec])
		return 0;
	/* a cgroup may be named twice */
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

/*
 * Set the cgroup of a group to that of its typed events.  An added SLOTS has no cgroup of its own.
 */
static int assign(const struct td_plan *plan, struct td_group *group,
		  const struct td_cgroups *cgroups, int nr_specs, struct td_err *err)
{
	int found = -1;

	for (size_t i = 0; i < group->nr; i++) {
		const struct td_event *event = &plan->events.v[group->members[i]];
		int cgroup = cgroup_of(cgroups, event->spec, nr_specs);

		if (event->hidden)
			continue;
		if (found >= 0 && cgroup != found)
			return td_err_usage(
				err,
				"%s and the events of its group are counted together: they need "
				"the same cgroup",
				event->name);
		found = cgroup;
	}
	group->cgroup = found < 0 ? cgroup_of(cgroups, 0, nr_specs) : found;
	return 0;
}

int td_cgroups_assign(struct td_plan *plan, const struct td_cgroups *cgroups, int nr_specs,
		      struct td_err *err)
{
	int nr_typed = last_spec(plan) + 1;

	if (cgroups->nr > 1 && (int)cgroups->nr > nr_typed)
		return td_err_usage(err, "%zu cgroups, but only %d event%s", cgroups->nr, nr_typed,
				    nr_typed == 1 ? "" : "s");
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (assign(plan, &plan->groups[g], cgroups, nr_specs, err))
			return err->code;
	}
	return 0;
}

/* --- groups that the kernel refused --------------------------------------- */

bool td_plan_is_alone(const struct td_plan *plan, const struct td_group *group)
{
	size_t nr = 0;

	for (size_t g = 0; g < plan->nr_groups; g++)
		nr += plan->groups[g].pmu == group->pmu;
	return nr == 1;
}

bool td_plan_can_split(const struct td_group *group)
{
	size_t first = group->reference >= 0;

	return group->may_split && !group->slots && !group->pinned && group->nr >= first + 2;
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
	if (reference >= 0)
		td_plan_add_clone(plan, half, reference);
	half->may_split = true;
	half->set = plan->groups[index].set;
	half->family = plan->groups[index].family;
	group = &plan->groups[index]; /* the array may have moved */
	td_group_add(half, group->members + keep, group->nr - keep);
	plan->groups[index].nr = keep;
	return 0;
}

/* Can a member of a weak group be counted alone? */
static bool can_leave(const struct td_plan *plan, const struct td_group *group, size_t i)
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

void td_plan_break(struct td_plan *plan, size_t index)
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
		td_group_add(group, &event, 1);
		group->pinned = plan->groups[index].pinned;
		group->exclusive = plan->groups[index].exclusive;
		group->set = plan->groups[index].set;
	}
	plan->groups[index].nr = kept;
}

void td_plan_refuse(struct td_plan *plan, size_t index, size_t member, const char *why)
{
	struct td_group *group = &plan->groups[index];
	bool slots = group->slots && member == 0;
	size_t kept = 0;

	for (size_t i = 0; i < group->nr; i++) {
		struct td_event *event = &plan->events.v[group->members[i]];

		if (i != member && !(slots && td_event_is_metric(event)))
			group->members[kept++] = group->members[i];
		else
			td_event_set_refusal(event, why);
	}
	group->nr = kept;
	group->slots = group->slots && !slots;
	if (kept)
		return;
	free(group->members);
	plan->nr_groups--;
	memmove(group, group + 1, (plan->nr_groups - index) * sizeof(*group));
}
