// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens anew what the kernel does not count any more.  When a CPU goes offline,
 * it takes all events off it and their groups apart, and does not put them back
 * (perf_event_exit_cpu_context() in kernel/events/core.c); but events of PMUs
 * beside the cores move to another CPU (perf_pmu_migrate_context()).
 */
#include <errno.h>

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
