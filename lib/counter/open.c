// SPDX-License-Identifier: GPL-2.0-only
/* Opens the groups of a plan in the kernel. */
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"
#include "lib/counter/probe.h"

struct td_affinity td_affinity_save(const struct td_counter *counter)
{
	return counter->setup.target->system_wide ? td_affinity_now() : (struct td_affinity){ 0 };
}

bool td_group_is_off(int family, const struct td_ints *enabled)
{
	return family && !td_ints_has(enabled, family);
}

void td_counter_note_off(struct td_counter *counter)
{
	const struct td_plan *plan = counter->setup.plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		for (size_t i = 0; group->family && i < group->nr; i++)
			counter->off[group->members[i]] =
				td_group_is_off(group->family, &counter->enabled);
	}
}

/* --- a unit: an open group on one CPU, in one task or cgroup ----------------- */

/* Calls setup->opened() with the descriptor or the error. */
static void report_cell(const struct td_counter_setup *setup, const struct td_open_group *group,
			const struct perf_evsel *evsel, int cpu, int thread, int fd)
{
	setup->opened(setup->ctx, &evsel->attr, perf_thread_map__pid(group->threads, thread),
		      td_group_cpu(group, cpu),
		      evsel->leader == evsel || fd < 0 ? -1
						       : td_event_fd(evsel->leader, cpu, thread),
		      fd);
}

/* Opens an event of a unit like perf_evsel__open(), but on one CPU, and also in cgroups. */
static int open_cell(const struct td_open_group *group, struct perf_evsel *evsel, int cpu,
		     int thread)
{
	int leader = evsel->leader == evsel ? -1 : td_event_fd(evsel->leader, cpu, thread);
	int *fd = xyarray__entry(evsel->fd, (size_t)cpu, (size_t)thread);
	unsigned long flags = group->cgroup ? PERF_FLAG_PID_CGROUP : 0;

	if (!fd)
		return -EINVAL;
	*fd = (int)syscall(SYS_perf_event_open, &evsel->attr,
			   perf_thread_map__pid(group->threads, thread), td_group_cpu(group, cpu),
			   leader, flags | PERF_FLAG_FD_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

/* Switches an event that is open; those of a CPU that went offline are closed. */
static int switch_cell(const struct perf_evsel *evsel, int cpu, int thread, bool on)
{
	int fd = td_event_fd(evsel, cpu, thread);
	unsigned long how = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	return fd >= 0 && ioctl(fd, how, 0) ? -errno : 0;
}

void td_close_unit(const struct td_open_group *group, int cpu, int thread)
{
	/* else the kernel stops the counters with each event */
	switch_cell(group->evsels[0], cpu, thread, false);
	for (size_t i = group->nr; i > 0; i--) {
		const struct perf_evsel *evsel = group->evsels[i - 1];
		int *fd = evsel->fd ? xyarray__entry(evsel->fd, (size_t)cpu, (size_t)thread) : NULL;

		if (fd)
			td_close_fd(fd);
	}
}

static int open_in_unit(const struct td_counter_setup *setup, const struct td_open_group *group,
			size_t i, int cpu, int thread)
{
	struct perf_evsel *evsel = group->evsels[i];
	const char *filter = setup->plan->events.v[group->members[i]].filter;
	int rc = open_cell(group, evsel, cpu, thread);
	int fd = td_event_fd(evsel, cpu, thread);

	if (setup->opened)
		report_cell(setup, group, evsel, cpu, thread, rc ? rc : fd);
	if (!rc && filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		rc = -errno;
	return rc;
}

/* *failed is the member that the kernel refused. */
static int open_unit(const struct td_counter_setup *setup, const struct td_open_group *group,
		     int cpu, int thread, size_t *failed)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < group->nr; i++) {
		*failed = i;
		rc = open_in_unit(setup, group, i, cpu, thread);
	}
	if (rc)
		td_close_unit(group, cpu, thread);
	return rc;
}

int td_open_unit(const struct td_counter_setup *setup, const struct td_open_group *group, int cpu,
		 int thread)
{
	size_t unused;

	return open_unit(setup, group, cpu, thread, &unused);
}

int td_start_unit(const struct td_counter *counter, const struct td_open_group *group, int cpu,
		  int thread)
{
	const bool *off = counter->off;
	int rc = 0;

	/* the members of a group that is off stay enabled, and wait for the leader */
	if (td_group_is_off(group->family, &counter->enabled))
		return 0;
	if (group->cgroup)
		td_go_to_cpu(td_group_cpu(group, cpu));
	if (!off[group->members[0]])
		rc = switch_cell(group->evsels[0], cpu, thread, true);
	for (size_t i = 1; !rc && i < group->nr; i++) {
		if (off[group->members[i]])
			rc = switch_cell(group->evsels[i], cpu, thread, false);
	}
	return rc;
}

struct opening {
	const struct td_counter_setup *setup;
	const struct td_open_set *set;
};

void td_close_group(struct td_open_group *group)
{
	for (size_t i = group->nr; i > 0; i--) {
		perf_evsel__close(group->evsels[i - 1]);
		perf_evsel__delete(group->evsels[i - 1]);
	}
	free(group->evsels);
	perf_cpu_map__put(group->cpus);
	perf_thread_map__put(group->threads);
	*group = (struct td_open_group){ 0 };
}

/* Switches an event of a unit or, with -1, the leader and thereby all of them. */
static int switch_unit(const struct td_open_group *group, int event, bool on, int cpu, int thread)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < group->nr; i++) {
		if (event < 0 ? i == 0 : group->members[i] == event)
			rc = switch_cell(group->evsels[i], cpu, thread, on);
	}
	/* a task that is exiting */
	return rc == -ENODEV ? 0 : rc;
}

/* With fewer groups, an interrupt for each costs less than a visit. */
#define MANY_GROUPS 4

/* Returns the index of a CPU on which a group is to be changed, or -1. */
static int cpu_index(const struct td_open_group *group, int cpu)
{
	int at = group->nr && group->next ? perf_cpu_map__idx(group->cpus, (struct perf_cpu){ cpu })
					  : -1;

	/* open_group() opens it on its first CPU */
	return group->next == TD_NEXT_OPEN && !at ? -1 : at;
}

/*
 * Moves to the CPU if many groups have to be changed there, or one of cgroups, whose clock starts
 * with the task switch that follows.
 */
static void visit(const struct td_open_set *set, int cpu)
{
	size_t nr = 0;
	bool of_cgroups = false;

	for (size_t i = 0; cpu >= 0 && i < set->nr_groups; i++) {
		if (cpu_index(&set->groups[i], cpu) >= 0) {
			nr++;
			of_cgroups |= set->groups[i].cgroup;
		}
	}
	if (nr > MANY_GROUPS || of_cgroups)
		td_go_to_cpu(cpu);
}

/* A change of a set. */
struct change {
	const struct td_counter_setup *setup; /* only needed to open groups */
	int event;                            /* the event to switch; -1: whole groups */
	size_t failed;                        /* the member that the kernel refused to open */
};

static int change_unit(struct change *change, const struct td_open_group *group, int cpu,
		       int thread)
{
	switch (group->next) {
	case TD_NEXT_OPEN:
		return open_unit(change->setup, group, cpu, thread, &change->failed);
	case TD_NEXT_ON:
	case TD_NEXT_OFF:
		return switch_unit(group, change->event, group->next == TD_NEXT_ON, cpu, thread);
	case TD_NEXT_CLOSED:
		td_close_unit(group, cpu, thread);
		return 0;
	default:
		return 0;
	}
}

/* Changes the groups of a set on a CPU, or with -1 in tasks.  *index is the group that failed. */
static int change_on_cpu(struct change *change, const struct td_open_set *set, int cpu,
			 size_t *index)
{
	int rc = 0;

	visit(set, cpu);
	for (size_t i = 0; !rc && i < set->nr_groups; i++) {
		const struct td_open_group *group = &set->groups[i];
		int at = cpu_index(group, cpu);
		int nr = at < 0 ? 0 : perf_thread_map__nr(group->threads);

		for (int thread = 0; !rc && thread < nr; thread++)
			rc = change_unit(change, group, at, thread);
		*index = i;
	}
	return rc;
}

/* Changes the groups of a set to their next state. */
static int change_set(struct change *change, const struct td_open_set *set, size_t *index)
{
	int last = -1, rc = 0;

	for (size_t i = 0; i < set->nr_groups; i++) {
		if (set->groups[i].nr && perf_cpu_map__max(set->groups[i].cpus).cpu > last)
			last = perf_cpu_map__max(set->groups[i].cpus).cpu;
	}
	for (int cpu = -1; !rc && cpu <= last; cpu++)
		rc = change_on_cpu(change, set, cpu, index);
	for (size_t i = 0; i < set->nr_groups; i++)
		set->groups[i].next = TD_NEXT_SAME;
	return rc;
}

int td_change_set(const struct td_open_set *set, int event)
{
	struct change change = { .event = event };
	size_t unused;

	return change_set(&change, set, &unused);
}

int td_switch_set(const struct td_open_set *set, const struct td_ints *enabled, bool on, int event,
		  struct td_err *err)
{
	int rc;

	for (size_t i = 0; i < set->nr_groups; i++) {
		struct td_open_group *group = &set->groups[i];
		bool has = event < 0 && !td_group_is_off(group->family, enabled);

		for (size_t k = 0; event >= 0 && k < group->nr; k++)
			has |= group->members[k] == event;
		if (has)
			group->next = on ? TD_NEXT_ON : TD_NEXT_OFF;
	}
	rc = td_change_set(set, event);
	return rc ? td_err_set(err, rc, "cannot %s the counters: %s", on ? "start" : "stop",
			       strerror(-rc))
		  : 0;
}

void td_close_set(struct td_open_set *set)
{
	for (size_t i = 0; i < set->nr_groups && !set->tids.nr; i++)
		set->groups[i].next = TD_NEXT_CLOSED;
	td_change_set(set, -1);
	for (size_t i = 0; i < set->nr_groups; i++)
		td_close_group(&set->groups[i]);
	free(set->groups);
	set->groups = NULL;
	set->nr_groups = 0;
}

/*
 * A cgroup of version 2 gets the perf_event controller with the first write to
 * its parent's subtree_control, whatever is written (cgroup_ss_mask() in
 * kernel/cgroup/cgroup.c).  Before that, the kernel finds no events in it.
 */
static int no_controller(const char *name, struct td_err *err)
{
	td_err_set(err, -ENOENT, "cgroup %s: the kernel counts no events in it", name);
	return td_err_hint(
		err, "any write to the parent's cgroup.subtree_control enables its perf_event "
		     "controller: echo +cpu >/sys/fs/cgroup/cgroup.subtree_control");
}

int td_check_cgroups(const struct td_counter_setup *setup, struct td_err *err)
{
	const struct td_cgroups *cgroups = &setup->target->cgroups;
	const struct td_ints *online = &setup->machine->online;

	for (size_t i = 0; online->nr && i < cgroups->nr; i++) {
		int fd = cgroups->fds[i];

		/* an empty element of -G has no descriptor */
		if (fd >= 0 && !td_cgroup_probe(fd, online->v[0]))
			return no_controller(cgroups->names[i], err);
	}
	return 0;
}

/*
 * Restricts an event to a mode.  Groups of several modes are multiplexed, so they cannot be pinned.
 */
static void set_mode(struct perf_event_attr *attr, int mode)
{
	if (!mode)
		return;
	/* if the kernel refuses guests, their set opens without them, and is then dropped */
	attr->exclude_host = mode == TD_MODE_GUEST && !attr->exclude_guest;
	attr->exclude_guest |= mode != TD_MODE_GUEST;
	attr->exclude_user |= mode == TD_MODE_KERNEL;
	attr->exclude_kernel |= mode == TD_MODE_USER;
	attr->exclude_hv |= mode == TD_MODE_USER;
	attr->pinned = 0;
}

/* Opens a member on the first CPU of its group. */
static int open_member(const struct opening *o, const struct td_group *from,
		       struct td_open_group *group, size_t i)
{
	struct perf_event_attr attr = td_plan_attr(o->setup->plan, from, i, o->setup->target);
	int nr_threads = perf_thread_map__nr(group->threads), rc = 0;
	struct perf_evsel *evsel;

	set_mode(&attr, o->set->mode);
	evsel = td_need(perf_evsel__new(&attr));
	evsel->leader = i ? group->evsels[0] : evsel;
	group->evsels[i] = evsel;
	group->nr = i + 1;
	if (perf_evsel__alloc_fd(evsel, (int)perf_cpu_map__nr(group->cpus), nr_threads))
		td_memory_fail();
	for (int thread = 0; !rc && thread < nr_threads; thread++)
		rc = open_in_unit(o->setup, group, i, 0, thread);
	return rc;
}

/* Lists the CPUs on which to open a group in this set. */
static void find_cpus(const struct opening *o, const struct td_group *from, struct td_ints *out)
{
	const struct td_pmu *pmu = &o->setup->machine->pmus[from->pmu];
	struct td_ints all;

	td_plan_cpus(pmu, o->setup->target, &all);
	if (!o->set->only.nr) {
		*out = all;
		return;
	}
	td_ints_and(out, &all, &o->set->only);
	td_ints_free(&all);
}

/* Returns true if the CPUs that came online later belong to the PMUs of other groups. */
static bool is_elsewhere(const struct opening *o, const struct td_group *from)
{
	struct td_ints cpus = { 0 };
	bool elsewhere = o->set->only.nr > 0;

	if (elsewhere) {
		find_cpus(o, from, &cpus);
		elsewhere = !cpus.nr;
	}
	td_ints_free(&cpus);
	return elsewhere;
}

static struct perf_cpu_map *group_cpus(const struct opening *o, const struct td_group *from,
				       bool one)
{
	const struct td_target *target = o->setup->target;
	td_autofree char *text = NULL;
	struct td_ints cpus;

	if (!target->system_wide)
		return td_need(perf_cpu_map__new_any_cpu());
	find_cpus(o, from, &cpus);
	if (one && cpus.nr)
		cpus.nr = 1;
	text = td_ints_format(&cpus);
	td_ints_free(&cpus);
	return td_need(perf_cpu_map__new(text));
}

static struct perf_thread_map *map_of(const int *v, size_t nr)
{
	struct perf_thread_map *map = td_need(perf_thread_map__new_array((int)nr, NULL));

	for (size_t i = 0; i < nr; i++)
		perf_thread_map__set_pid(map, (int)i, v[i]);
	return map;
}

/*
 * Returns the threads of a group.  With cgroups, returns the descriptor of the group's cgroup, or
 * all descriptors.
 */
static struct perf_thread_map *group_threads(const struct opening *o, const struct td_group *from,
					     struct td_open_group *group, bool one)
{
	const struct td_target *target = o->setup->target;

	if (!target->system_wide)
		return map_of(o->set->tids.v, one && o->set->tids.nr ? 1 : o->set->tids.nr);
	group->cgroup = o->set->cgroup ? o->set->cgroup : target->each_cgroup ? 1 : from->cgroup;
	if (!group->cgroup)
		return td_need(perf_thread_map__new_dummy());
	return map_of(target->cgroups.fds + group->cgroup - 1,
		      target->each_cgroup && !o->set->cgroup ? target->cgroups.nr : 1);
}

/* Makes a group, not open yet, for one CPU or task, or for all. */
static void make_group(const struct opening *o, const struct td_group *from, bool one,
		       struct td_open_group *group)
{
	*group = (struct td_open_group){ .members = from->members, .family = from->family };
	group->evsels = td_calloc(from->nr, sizeof(struct perf_evsel *));
	group->cpus = group_cpus(o, from, one);
	group->threads = group_threads(o, from, group, one);
}

/* Opens a group on its first CPU.  *failed is the member that the kernel refused. */
static int open_group(const struct opening *o, const struct td_group *from, bool one,
		      struct td_open_group *group, size_t *failed)
{
	int rc = 0;

	make_group(o, from, one, group);
	if (group->cgroup)
		td_go_to_cpu(td_group_cpu(group, 0));
	for (size_t i = 0; !rc && i < from->nr; i++) {
		*failed = i;
		rc = open_member(o, from, group, i);
	}
	if (rc)
		td_close_group(group);
	return rc;
}

static void close_after(struct td_open_set *set, size_t nr)
{
	while (set->nr_groups > nr)
		td_close_group(&set->groups[--set->nr_groups]);
}

/* Returns true if the target has changed since the groups were opened. */
static bool has_changed(struct td_open_set *set, const struct td_target *target)
{
	struct td_open_set before = *set;

	set->exclude_kernel = target->exclude_kernel;
	set->exclude_guest = target->exclude_guest;
	set->nr_cpus = target->has_cpus ? target->cpus.nr : SIZE_MAX;
	return before.exclude_kernel != set->exclude_kernel ||
	       before.exclude_guest != set->exclude_guest || before.nr_cpus != set->nr_cpus;
}

/* Returns the number of open groups that are still the first ones of the plan. */
static size_t count_unchanged(const struct td_open_set *set, const struct td_plan *plan)
{
	size_t nr = 0;

	while (nr < set->nr_groups && nr < plan->nr_groups &&
	       set->groups[nr].members == plan->groups[nr].members &&
	       set->groups[nr].nr + set->groups[nr].tried == plan->groups[nr].nr)
		nr++;
	return nr;
}

/* Opens a group on one CPU or task and closes it; it keeps its index in the set. */
static int try_group(const struct opening *o, const struct td_group *from,
		     struct td_open_group *group, size_t *failed)
{
	int rc = open_group(o, from, true, group, failed);

	if (rc)
		return rc;
	td_close_group(group);
	make_group(o, from, false, group);
	group->tried = from->nr;
	return 0;
}

/* Returns true if the set leaves the next group out: a late one has only families, or one part. */
static bool sleeps_on(const struct td_open_set *set, const struct td_group *from)
{
	if (set->part.nr)
		return set->nr_groups != set->part.group;
	return set->late && !(set->tries && from->family) &&
	       !td_ints_has(&set->families, from->family);
}

/* Opens the next group, unless the set leaves it out. */
static int open_next(const struct opening *o, struct td_open_set *set, const struct td_group *from,
		     size_t *failed)
{
	struct td_open_group *group = &set->groups[set->nr_groups];
	struct td_group part = *from;
	int rc = 0;

	if (set->part.nr) {
		part.members += set->part.first;
		part.nr = set->part.nr;
		part.pinned = false;
		from = &part;
	}
	if (is_elsewhere(o, from) || sleeps_on(set, from))
		*group = (struct td_open_group){ .family = from->family };
	else if (set->tries && from->family)
		rc = try_group(o, from, group, failed);
	else
		rc = open_group(o, from, false, group, failed);
	set->nr_groups += !rc;
	group->next = TD_NEXT_OPEN;
	return rc;
}

int td_open_set(struct td_open_set *set, const struct td_counter_setup *setup, size_t *index,
		size_t *failed)
{
	const struct td_plan *plan = setup->plan;
	const struct opening o = { setup, set };
	struct change change = { .setup = setup };
	int rc = 0, other;
	size_t group;

	close_after(set, has_changed(set, setup->target) ? 0 : count_unchanged(set, plan));
	set->groups = td_reallocarray(set->groups, plan->nr_groups + 1, sizeof(*set->groups));
	for (*index = set->nr_groups; !rc && *index < plan->nr_groups; *index += !rc)
		rc = open_next(&o, set, &plan->groups[*index], failed);
	/* also after an error: the groups before it stay open */
	other = change_set(&change, set, &group);
	if (other)
		close_after(set, 0);
	if (rc || !other)
		return rc;
	*index = group;
	*failed = change.failed;
	return other;
}
