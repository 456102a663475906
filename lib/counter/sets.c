// SPDX-License-Identifier: GPL-2.0-only
/* The sets of open groups of a counter: how they are opened and read. */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/counter/fall_back.h"
#include "lib/counter/parts.h"

struct td_open_set *td_counter_add_set(struct td_counter *counter)
{
	struct td_open_set *set =
		td_array_add(&counter->sets, counter->nr_sets, sizeof(*set));

	if (set) {
		set->id = counter->next_id++;
		counter->nr_sets++;
	}
	return set;
}

void td_counter_drop_set(struct td_counter *counter)
{
	struct td_open_set *set = &counter->sets[--counter->nr_sets];

	td_close_set(set);
	td_ints_free(&set->tids);
	td_ints_free(&set->only);
	td_ints_free(&set->families);
	*set = (struct td_open_set){ 0 };
}

/* A refusal counts if this many tries in a row give it. */
#define OPEN_TRIES 4

/*
 * If a task forks while its group is opened, the child may get the context of
 * the leader (perf_event_context_sched_out() in kernel/events/core.c).  The
 * next member is then refused with EINVAL, like one of a group that does not
 * fit.
 */
static int try_to_open(struct td_counter *counter, struct td_open_set *set,
		       size_t *index, size_t *failed)
{
	const struct td_target *target = counter->setup.target;
	bool may_fork = set->tids.nr && !target->enable_on_exec;
	int rc = 0;

	for (int i = 0; i < OPEN_TRIES; i++) {
		rc = td_open_set(set, &counter->setup, index, failed);
		if (rc != -EINVAL || !*failed || !may_fork)
			break;
	}
	return rc;
}

int td_counter_open_set(struct td_counter *counter, struct td_open_set *set,
			struct td_err *err)
{
	size_t index = 0, failed = 0;
	int rc = try_to_open(counter, set, &index, &failed);

	while (rc) {
		rc = rc == -ENOMEM ? td_err_nomem(err)
				   : td_fall_back(&counter->setup, index,
						  failed, rc, err);
		if (rc)
			return rc;
		rc = try_to_open(counter, set, &index, &failed);
	}
	return 0;
}

/*
 * If its CPU goes offline, the kernel dissolves a group; then each member is
 * read through its own descriptor.
 */
static int add_members(struct td_read_step *step,
		       const struct td_open_group *group, int cpu, int thread)
{
	if (step->cpu < 0 || step->nr < 2)
		return 0;
	step->fds = calloc(step->nr, sizeof(*step->fds));
	if (!step->fds)
		return -ENOMEM;
	for (size_t i = 0; i < step->nr; i++)
		step->fds[i] = td_event_fd(group->evsels[i], cpu, thread);
	return 0;
}

/* The read of the index-th group of a set on one CPU or in one task. */
static struct td_read_step make_step(const struct td_counter *counter,
				     const struct td_open_set *set,
				     size_t index, int cpu, int thread)
{
	const struct td_plan *plan = counter->setup.plan;
	const struct td_group *from = &plan->groups[index];
	const struct td_open_group *group = &set->groups[index];
	bool pinned = group->nr && group->evsels[0]->attr.pinned;

	return (struct td_read_step){
		.fd = group->nr ? td_event_fd(group->evsels[0], cpu, thread)
				: -1,
		.group = (int)index,
		.cpu = td_group_cpu(group, cpu),
		.thread = thread,
		.set = set->id,
		.life = set->life,
		.tid = group->cgroup
			       ? -1
			       : perf_thread_map__pid(group->threads, thread),
		.cgroup = group->cgroup ? group->cgroup + thread : 0,
		.members = from->members,
		.nr = from->nr,
		.name = plan->events.v[from->members[0]].name,
		.pinned = pinned,
		.resume = pinned && from->may_unpin,
		.rests = from->family && !set->late,
		.moves = counter->setup.machine->pmus[from->pmu].kind ==
			 TD_PMU_OTHER,
		.late = set->late,
	};
}

/* The task that counts for tid: it may have started later than the others. */
static int counts_for(const struct td_target *target, int tid)
{
	bool known = !target->tids.nr || td_ints_has(&target->tids, tid);

	return known ? tid : target->tids.v[0];
}

/*
 * Is a step of those opened first, which are sorted, behind the one that step
 * counts for?
 */
static bool is_behind(const struct td_counter *counter,
		      const struct td_read_step *first,
		      const struct td_read_step *step)
{
	const struct td_target *target = counter->setup.target;
	int tid = counts_for(target, step->tid);

	if (first->late || first->cpu != step->cpu)
		return first->late || first->cpu > step->cpu;
	if (target->system_wide && first->thread != step->thread)
		return first->thread > step->thread;
	if (first->tid != tid)
		return first->tid > tid;
	return first->group > step->group;
}

/* Of a CPU that came online later, the steps stand behind those of the start. */
static bool find_into(const struct td_group_reader *reader,
		      struct td_read_step *step)
{
	for (size_t s = reader->nr_first; s < reader->nr_ready; s++) {
		const struct td_read_step *other = &reader->steps[s];

		if (!other->late && other->cpu == step->cpu && step->cpu >= 0 &&
		    other->thread == step->thread &&
		    other->group == step->group) {
			step->into = s;
			return true;
		}
	}
	return false;
}

/* Sets the step that a late one counts for. */
static void set_into(const struct td_counter *counter,
		     struct td_read_step *step)
{
	const struct td_read_step *steps = counter->reader.steps;
	size_t first = 0, nr = counter->reader.nr_first;

	if (find_into(&counter->reader, step))
		return;
	while (nr > 1) {
		if (is_behind(counter, &steps[first + nr / 2], step)) {
			nr /= 2;
		} else {
			first += nr / 2;
			nr -= nr / 2;
		}
	}
	step->into = first;
}

/* A group that is not open yet has steps, too: they tell how long it rests. */
static int add_steps(struct td_counter *counter, const struct td_open_set *set,
		     size_t index)
{
	const struct td_open_group *group = &set->groups[index];
	int nr_threads = perf_thread_map__nr(group->threads);
	int nr = td_group_units(group);

	if (!group->cpus) /* it is not to be open in this set */
		return 0;
	for (int unit = 0; unit < nr; unit++) {
		struct td_read_step *step =
			td_group_reader_add(&counter->reader);
		int cpu = unit / nr_threads, thread = unit % nr_threads;

		if (!step)
			return -ENOMEM;
		*step = make_step(counter, set, index, cpu, thread);
		if (group->nr && add_members(step, group, cpu, thread))
			return -ENOMEM;
		if (step->late)
			set_into(counter, step);
	}
	return 0;
}

int td_counter_read_sets(struct td_counter *counter, size_t first)
{
	for (size_t s = first; s < counter->nr_sets; s++) {
		const struct td_open_set *set = &counter->sets[s];

		for (size_t g = 0; g < set->nr_groups; g++) {
			if (add_steps(counter, set, g))
				return -ENOMEM;
		}
	}
	return td_group_reader_begin(&counter->reader);
}
