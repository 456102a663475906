// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens groups after the start: those of families when they are first enabled, and
 * anew what the kernel does not count any more.  When a CPU goes offline, it takes all
 * events off it and their groups apart, and does not put them back
 * (perf_event_exit_cpu_context() in kernel/events/core.c); but events of PMUs beside
 * the cores move to another CPU (perf_pmu_migrate_context()).
 */
#include <errno.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"
#include "lib/counter/probe.h"

/* With the dead ones, all that is open on their CPUs is dead, even if it is off. */
static void mark_cpus(struct td_group_reader *reader,
		      const struct td_ints *cpus)
{
	for (size_t s = 0; s < reader->nr_steps; s++) {
		struct td_read_step *step = &reader->steps[s];

		if (step->fd >= 0 && !step->moves &&
		    td_ints_has(cpus, step->cpu))
			step->dead = true;
	}
}

int td_counter_list_dead(struct td_counter *counter, struct td_ints *cpus)
{
	struct td_group_reader *reader = &counter->reader;
	struct td_ints whole = { 0 };
	int rc = 0;

	*cpus = (struct td_ints){ 0 };
	for (size_t s = 0; !rc && s < reader->nr_steps; s++) {
		const struct td_read_step *step = &reader->steps[s];

		if (step->dead)
			rc = td_ints_add(cpus, step->cpu);
		if (!rc && step->dead && !step->moves)
			rc = td_ints_add(&whole, step->cpu);
	}
	mark_cpus(reader, &whole);
	td_ints_free(&whole);
	if (rc)
		td_ints_free(cpus);
	return rc;
}

static const struct td_open_group *group_of(const struct td_counter *counter,
					    const struct td_read_step *step)
{
	size_t s = 0;

	while (counter->sets[s].id != step->set)
		s++;
	return &counter->sets[s].groups[step->group];
}

static int index_of(const struct td_open_group *group, int cpu)
{
	int i = 0;

	while (td_group_cpu(group, i) != cpu)
		i++;
	return i;
}

/* The next difference is that from the new beginning, which is 0. */
static void take_descriptors(struct td_group_reader *reader,
			     struct td_read_step *step,
			     const struct td_open_group *group, int cpu)
{
	step->fd = td_event_fd(group->evsels[0], cpu, step->thread);
	for (size_t i = 0; step->fds && i < step->nr; i++)
		step->fds[i] = td_event_fd(group->evsels[i], cpu, step->thread);
	for (size_t i = 0; step->fd >= 0 && i < step->nr; i++) {
		struct td_reading *before = &reader->before.v[step->first + i];

		before->value = before->enabled_ns = before->running_ns = 0;
	}
}

static int open_step(struct td_counter *counter, struct td_read_step *step)
{
	const struct td_open_group *group = group_of(counter, step);
	int cpu = index_of(group, step->cpu), rc;

	td_close_unit(group, cpu, step->thread);
	rc = td_open_unit(&counter->setup, group, cpu, step->thread);
	if (!rc)
		rc = td_start_unit(counter, group, cpu, step->thread);
	if (rc)
		td_close_unit(group, cpu, step->thread);
	take_descriptors(&counter->reader, step, group, cpu);
	/* a hybrid's PMU says so of a CPU that is offline again */
	return rc == -ENOENT ? -ENODEV : rc;
}

/* Does the step count in this cgroup?  A group that is off may never have. */
static bool is_in(const struct td_counter *counter,
		  const struct td_read_step *step, int cgroup)
{
	return step->cgroup == cgroup && group_of(counter, step)->nr;
}

/* Opens the steps of a cgroup, or those that are dead on some CPUs. */
static int open_steps(struct td_counter *counter, const struct td_ints *cpus,
		      int cgroup)
{
	struct td_group_reader *reader = &counter->reader;
	int first = 0;

	for (size_t s = 0; s < reader->nr_steps; s++) {
		struct td_read_step *step = &reader->steps[s];
		int rc;

		if (cgroup ? !is_in(counter, step, cgroup)
			   : !step->dead || !td_ints_has(cpus, step->cpu))
			continue;
		rc = open_step(counter, step);
		step->dead = cgroup ? rc == -ENODEV : rc != 0;
		if (rc && !first && !(cgroup && step->dead))
			first = rc;
	}
	return first;
}

static int open_anew(struct td_counter *counter, const struct td_ints *cpus,
		     int cgroup)
{
	struct td_home home = td_leave_home(counter);
	int rc = open_steps(counter, cpus, cgroup);

	if (!rc && cpus)
		rc = td_counter_add_missing(counter, cpus);
	td_go_home(&home);
	return rc;
}

int td_counter_open_cpus(struct td_counter *counter, const struct td_ints *cpus)
{
	return open_anew(counter, cpus, 0);
}

int td_counter_open_cgroup(struct td_counter *counter, size_t index)
{
	const struct td_counter_setup *setup = &counter->setup;
	int fd = td_dummy_open(setup->target->cgroups.fds[index],
			       setup->machine->online.v[0],
			       PERF_FLAG_PID_CGROUP);

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	td_close_fd(&fd); /* the real events report other errors */
	return open_anew(counter, NULL, 1 + (int)index);
}

/* --- families, whose groups are enabled and disabled together -------------- */

/* Switches the groups of a set whose families were enabled or disabled. */
static int switch_changed(const struct td_open_set *set,
			  const struct td_ints *before,
			  const struct td_ints *enabled, struct td_err *err)
{
	for (size_t i = 0; i < set->nr_groups; i++) {
		const struct td_open_group *group = &set->groups[i];
		bool off = td_group_is_off(group->family, enabled);
		int rc = 0;

		if (off != td_group_is_off(group->family, before))
			rc = td_switch_group(group, !off, -1);
		if (rc && rc != -ENODEV) /* the task is exiting */
			return td_switch_error(!off, rc, err);
	}
	return 0;
}

/* The families of enabled that were never opened.  Returns 0 or -ENOMEM. */
static int list_unopened(const struct td_counter *counter,
			 const struct td_ints *enabled, struct td_ints *out)
{
	int rc = 0;

	*out = (struct td_ints){ 0 };
	for (size_t i = 0; !rc && i < enabled->nr; i++) {
		if (!td_ints_has(&counter->opened, enabled->v[i]))
			rc = td_ints_add(out, enabled->v[i]);
	}
	return rc;
}

/* Opens the set that was added last, if the kernel lets it. */
static int open_added(struct td_counter *counter, struct td_err *err)
{
	struct td_open_set *set = &counter->sets[counter->nr_sets - 1];
	struct td_counter_setup late = counter->setup;
	size_t index = 0, failed = 0;
	int rc;

	/* which CPUs there are may have changed since */
	counter->late.has_cpus = counter->setup.target->has_cpus;
	counter->late.cpus = counter->setup.target->cpus;
	late.target = &counter->late;
	rc = td_open_set(set, &late, &index, &failed);
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	/*
	 * a task has ended, or a CPU went offline since the last read, which
	 * is ENOENT of a hybrid's PMU
	 */
	if (rc == -ENODEV ||
	    (late.target->system_wide ? rc == -ENOENT : rc == -ESRCH))
		return 1;
	if (rc)
		td_notes_add(
			counter->setup.notes,
			"-l auto: the group of %s is not counted: %s",
			late.plan->events.v[late.plan->groups[index].members[0]]
				.name,
			strerror(-rc));
	/* what was opened before it is counted */
	return td_counter_read_sets(counter, counter->nr_sets - 1)
		       ? td_err_nomem(err)
		       : 0;
}

/* Where some CPUs are offline, only the others are left. */
static int leave_offline(struct td_counter *counter, struct td_open_set *set)
{
	const struct td_group_reader *reader = &counter->reader;
	struct td_ints dead;
	int rc = td_counter_list_dead(counter, &dead);

	for (size_t s = 0; !rc && dead.nr && s < reader->nr_steps; s++) {
		if (!td_ints_has(&dead, reader->steps[s].cpu))
			rc = td_ints_add(&set->only, reader->steps[s].cpu);
	}
	td_ints_free(&dead);
	return rc;
}

/* Opens these families in tasks.  Returns 1 if a task has ended meanwhile. */
static int open_late(struct td_counter *counter, const struct td_ints *families,
		     const struct td_ints *tasks, struct td_err *err)
{
	struct td_open_set *set = td_counter_add_set(counter);
	int rc;

	if (!set)
		return td_err_nomem(err);
	set->late = true;
	rc = td_ints_copy(&set->tids, tasks) ||
			     td_ints_copy(&set->families, families) ||
			     leave_offline(counter, set)
		     ? td_err_nomem(err)
		     : open_added(counter, err);
	for (size_t i = 0; !rc && i < families->nr; i++) {
		if (td_ints_add(&counter->opened, families->v[i]))
			return td_err_nomem(err);
	}
	if (rc)
		td_counter_drop_set(counter);
	return rc;
}

/* Opens the families that were never enabled before.  Returns 1 if the next call has to do it. */
static int open_unopened(struct td_counter *counter,
			 const struct td_ints *enabled,
			 const struct td_ints *tasks, struct td_err *err)
{
	struct td_ints families;
	int rc;

	if (!counter->setup.open_late)
		return 0;
	rc = list_unopened(counter, enabled, &families);
	if (rc)
		td_err_nomem(err);
	else if (families.nr)
		rc = tasks->nr || counter->setup.target->system_wide
			     ? open_late(counter, &families, tasks, err)
			     : 1;
	td_ints_free(&families);
	return rc;
}

static int switch_families(struct td_counter *counter,
			   const struct td_ints *enabled, struct td_err *err)
{
	struct td_ints before = counter->enabled;
	int rc = 0;

	if (td_ints_copy(&counter->enabled, enabled)) {
		counter->enabled = before;
		return td_err_nomem(err);
	}
	for (size_t i = 0; !rc && counter->on && i < counter->nr_sets; i++)
		rc = switch_changed(&counter->sets[i], &before, enabled, err);
	td_ints_free(&before);
	if (counter->on)
		td_counter_note_off(counter);
	return rc;
}

int td_counter_enable_families(struct td_counter *counter,
			       const struct td_ints *enabled,
			       const struct td_ints *tasks, struct td_err *err)
{
	struct td_home home = td_leave_home(counter);
	int rc = open_unopened(counter, enabled, tasks, err);

	if (!rc)
		rc = switch_families(counter, enabled, err);
	td_go_home(&home);
	return rc;
}
