// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's counters: sets of open groups that are read together. */
#include "lib/counter/counter.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lib/base/util.h"
#include "lib/counter/fall_back.h"
#include "lib/counter/parts.h"
#include "lib/counter/read.h"
#include "lib/plan/fit.h"

struct perf_counter {
	struct td_counter base;
	struct td_counter_setup setup;
	struct td_open_set *sets; /* one set, or one for each thread */
	size_t nr_sets, next_id;
	struct td_index by_tid; /* finds the last set of a tid, if per thread */
	/* target for later threads, which start at once */
	struct td_target late;
	bool *off;  /* for each event: it is disabled */
	bool began; /* the tasks of the start are open */
	struct td_reader reader;
};

static struct perf_counter *perf_counter_of(struct td_counter *counter)
{
	return (struct perf_counter *)counter; /* base is the first member */
}

static void free_set(struct td_open_set *set)
{
	td_close_set(set);
	td_ints_free(&set->tids);
}

static void free_counter(struct perf_counter *counter)
{
	for (size_t i = 0; i < counter->nr_sets; i++)
		free_set(&counter->sets[i]);
	free(counter->sets);
	free(counter->off);
	td_index_free(&counter->by_tid);
	td_reader_free(&counter->reader);
	free(counter);
}

static void perf_close(struct td_counter *base)
{
	free_counter(perf_counter_of(base));
}

static int perf_enable(struct td_counter *base, bool on, int event,
		       struct td_err *err)
{
	struct perf_counter *counter = perf_counter_of(base);
	cpu_set_t home;
	bool moves = counter->setup.target->cgroups.nr &&
		     sched_getaffinity(0, sizeof(home), &home) == 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < counter->nr_sets; i++)
		rc = td_switch_set(&counter->sets[i], on, event, err);
	if (moves)
		sched_setaffinity(0, sizeof(home), &home);
	for (size_t i = 0; !rc && i < counter->setup.plan->events.nr; i++) {
		if (event < 0 || (int)i == event)
			counter->off[i] = !on;
	}
	return rc;
}

/* --- reading -------------------------------------------------------------- */

/* Closes the descriptors of ended tasks; the reader keeps their last values. */
static int close_ended(struct perf_counter *counter)
{
	td_autofree size_t *closed = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < counter->nr_sets; i++) {
		struct td_open_set *set = &counter->sets[i];
		size_t *id;

		if (!set->ended || !set->nr_groups)
			continue;
		id = td_array_add(&closed, nr, sizeof(*id));
		if (!id)
			return -ENOMEM;
		*id = set->id;
		nr++;
		td_close_set(set);
	}
	td_reader_end_sets(&counter->reader, closed, nr);
	return 0;
}

static int perf_read(struct td_counter *base, uint64_t patience_ns,
		     uint64_t *time_ns, struct td_readings *readings,
		     struct td_err *err)
{
	struct perf_counter *counter = perf_counter_of(base);
	int rc = td_reader_read(&counter->reader, patience_ns, readings, err);

	(void)time_ns; /* the caller has the clock */
	if (!rc && close_ended(counter))
		rc = td_err_nomem(err);
	return rc;
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

/* Adds the reads of the index-th group of a set. */
static int add_steps(struct perf_counter *counter,
		     const struct td_open_set *set, size_t index)
{
	const struct td_plan *plan = counter->setup.plan;
	const struct td_open_group *group = &set->groups[index];
	int nr_threads = perf_thread_map__nr(group->threads);
	int nr = td_group_units(group);

	for (int unit = 0; unit < nr; unit++) {
		struct td_read_step *step = td_reader_add(&counter->reader);
		int cpu = unit / nr_threads, thread = unit % nr_threads;

		if (!step)
			return -ENOMEM;
		*step = (struct td_read_step){
			.fd = td_event_fd(group->evsels[0], cpu, thread),
			.group = (int)index,
			.cpu = perf_cpu_map__cpu(group->cpus, cpu).cpu,
			.thread = thread,
			.set = set->id,
			.life = set->life,
			.tid = group->cgroup ? -1
					     : perf_thread_map__pid(
						       group->threads, thread),
			.cgroup = group->cgroup ? group->cgroup + thread : 0,
			.members = group->members,
			.nr = group->nr,
			.name = plan->events.v[group->members[0]].name,
			.pinned = group->evsels[0]->attr.pinned,
			.resume = group->evsels[0]->attr.pinned && !plan->asked,
		};
		if (add_members(step, group, cpu, thread))
			return -ENOMEM;
	}
	return 0;
}

static int begin_reading(struct perf_counter *counter, size_t first_set)
{
	for (size_t s = first_set; s < counter->nr_sets; s++) {
		const struct td_open_set *set = &counter->sets[s];

		for (size_t g = 0; g < set->nr_groups; g++) {
			if (add_steps(counter, set, g))
				return -ENOMEM;
		}
	}
	return td_reader_begin(&counter->reader);
}

/* --- opening -------------------------------------------------------------- */

static struct td_open_set *add_set(struct perf_counter *counter)
{
	struct td_open_set *set =
		td_array_add(&counter->sets, counter->nr_sets, sizeof(*set));

	if (set) {
		set->id = counter->next_id++;
		counter->nr_sets++;
	}
	return set;
}

/* A refusal counts if this many tries in a row give it. */
#define OPEN_TRIES 4

/*
 * If a task forks while its group is opened, the child may get the context of
 * the leader (perf_event_context_sched_out() in kernel/events/core.c).  The
 * next member is then refused with EINVAL, like one of a group that does not
 * fit.
 */
static int try_to_open(struct perf_counter *counter, struct td_open_set *set,
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

/* The kernel decides: its refusals change the plan until all can be opened. */
static int open_set(struct perf_counter *counter, struct td_open_set *set,
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

static int open_all(struct perf_counter *counter, struct td_err *err)
{
	struct td_open_set *set = add_set(counter);

	if (!set || td_ints_copy(&set->tids, &counter->setup.target->tids))
		return td_err_nomem(err);
	return open_set(counter, set, err);
}

static void drop_last_set(struct perf_counter *counter)
{
	struct td_open_set *set = &counter->sets[--counter->nr_sets];

	free_set(set);
	*set = (struct td_open_set){ 0 };
}

/*
 * Adds a set for one thread.  The first thread settles the plan; a later
 * refusal for one thread is an error.
 */
static int open_thread(struct perf_counter *counter, int tid, int life,
		       struct td_err *err)
{
	struct td_open_set *set = add_set(counter);
	struct td_counter_setup late = counter->setup;
	size_t index = 0, failed = 0;
	int rc;

	if (counter->began)
		late.target = &counter->late;
	if (!set || td_ints_add(&set->tids, tid) ||
	    td_index_set(&counter->by_tid, td_hash((uint32_t)tid),
			 counter->nr_sets - 1))
		return td_err_nomem(err);
	set->life = life;
	if (counter->nr_sets == 1)
		rc = open_set(counter, set, err);
	else
		rc = td_open_set(set, &late, &index, &failed);
	/* the kernel's error for a thread whose process is exiting */
	if (rc == -ENODEV)
		rc = -ESRCH;
	if (!rc)
		return 0;
	drop_last_set(counter);
	if (rc == -ESRCH)
		return td_err_set(err, rc, "thread %d has ended", tid);
	return rc == -ENOMEM           ? td_err_nomem(err)
	       : counter->nr_sets == 0 ? rc
				       : td_err_set(err, rc, "thread %d: %s",
						    tid, strerror(-rc));
}

static int open_threads(struct perf_counter *counter, struct td_err *err)
{
	const struct td_ints *tids = &counter->setup.target->tids;
	int rc = 0;

	for (size_t i = 0; i < tids->nr; i++) {
		rc = open_thread(counter, tids->v[i], 0, err);
		if (rc && rc != -ESRCH)
			return rc;
	}
	return counter->nr_sets || !tids->nr ? 0 : -ESRCH;
}

/* Starts a set like the others, without disabled events. */
static int start_set(const struct perf_counter *counter,
		     const struct td_open_set *set, struct td_err *err)
{
	for (size_t i = 0; i < set->nr_groups; i++) {
		const struct td_open_group *group = &set->groups[i];
		int rc = 0;

		if (!counter->off[group->members[0]])
			rc = td_switch_group(group, true, -1);
		for (size_t m = 1; !rc && m < group->nr; m++) {
			if (counter->off[group->members[m]])
				rc = td_switch_evsel(group, group->evsels[m],
						     false);
		}
		if (rc == -ENODEV) /* the task is exiting */
			rc = -ESRCH;
		if (rc)
			return td_err_set(err, rc,
					  "cannot start the counters: %s",
					  strerror(-rc));
	}
	return 0;
}

static int perf_add_task(struct td_counter *base, int tid, int life,
			 struct td_err *err)
{
	struct perf_counter *counter = perf_counter_of(base);
	int rc = open_thread(counter, tid, life, err);

	if (rc)
		return rc;
	rc = start_set(counter, &counter->sets[counter->nr_sets - 1], err);
	if (rc)
		drop_last_set(counter);
	if (!rc && begin_reading(counter, counter->nr_sets - 1))
		rc = td_err_nomem(err);
	return rc;
}

static void perf_end_task(struct td_counter *base, int tid)
{
	struct perf_counter *counter = perf_counter_of(base);
	size_t at = td_index_find(&counter->by_tid, td_hash((uint32_t)tid));

	/*
	 * it may have failed to open, or the index may hold another thread by
	 * now
	 */
	if (at < counter->nr_sets && counter->sets[at].tids.v[0] == tid)
		counter->sets[at].ended = true;
}

static void perf_forget_ended(struct td_counter *base)
{
	struct perf_counter *counter = perf_counter_of(base);
	size_t kept = 0;

	td_index_clear(&counter->by_tid);
	for (size_t i = 0; i < counter->nr_sets; i++) {
		const struct td_open_set set = counter->sets[i];

		if (set.ended && !set.nr_groups) {
			td_ints_free(&counter->sets[i].tids);
			continue;
		}
		/*
		 * cannot fail: the index keeps its memory, and had room for
		 * more
		 */
		td_index_set(&counter->by_tid, td_hash((uint32_t)set.tids.v[0]),
			     kept);
		counter->sets[kept++] = set;
	}
	counter->nr_sets = kept;
	td_reader_forget_ended(&counter->reader);
}

static const struct td_counter_ops perf_ops = {
	.enable = perf_enable,
	.read = perf_read,
	.close = perf_close,
};

static const struct td_counter_ops perf_thread_ops = {
	.enable = perf_enable,
	.read = perf_read,
	.add_task = perf_add_task,
	.end_task = perf_end_task,
	.forget_ended = perf_forget_ended,
	.close = perf_close,
};

int td_counter_perf_open(struct td_counter **out,
			 const struct td_counter_setup *setup,
			 struct td_err *err)
{
	struct perf_counter *counter = calloc(1, sizeof(*counter));
	bool per_thread = setup->target->per_thread;
	int rc;

	if (!counter)
		return td_err_nomem(err);
	counter->base.ops = per_thread ? &perf_thread_ops : &perf_ops;
	counter->setup = *setup;
	counter->late = *setup->target;
	counter->late.enable_on_exec = false;
	counter->off =
		calloc(setup->plan->events.nr + 1, sizeof(*counter->off));
	for (size_t i = 0; counter->off && i < setup->plan->events.nr; i++)
		counter->off[i] = !setup->target->enable_on_exec;
	if (!counter->off) {
		free_counter(counter);
		return td_err_nomem(err);
	}
	counter->reader.notes = setup->notes;
	counter->reader.off = counter->off;
	rc = td_check_cgroups(setup, err);
	if (!rc)
		rc = per_thread ? open_threads(counter, err)
				: open_all(counter, err);
	if (!rc && begin_reading(counter, 0))
		rc = td_err_nomem(err);
	td_plan_fill_at_once(setup->plan, setup->machine);
	counter->late.exclude_kernel = setup->target->exclude_kernel;
	counter->late.exclude_guest = setup->target->exclude_guest;
	counter->began = true;
	if (rc) {
		free_counter(counter);
		return rc;
	}
	*out = &counter->base;
	return 0;
}
