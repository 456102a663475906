// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's side of the counters.  The only file that knows libperf, whose
 * own read gives the leader of a group alone: the leader's descriptor is taken
 * from its internal array.
 */
#include "lib/counter.h"

#include <errno.h>
#include <internal/evsel.h>
#include <internal/xyarray.h>
#include <perf/cpumap.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "lib/counter_read.h"
#include "lib/fall_back.h"
#include "lib/plan_fit.h"
#include "lib/util.h"

struct open_group {
	struct perf_evsel **evsels; /* evsels[0] leads */
	size_t nr;
	const int *members; /* the plan's */
	struct perf_cpu_map *cpus;
};

struct perf_counter {
	struct td_counter base;
	struct open_group *groups;
	size_t nr_groups;
	struct perf_thread_map *threads;
	struct td_reader reader;
};

static struct perf_counter *perf_counter_of(struct td_counter *counter)
{
	return (struct perf_counter *)counter; /* base comes first */
}

/* -1: it is not open. */
static int event_fd(const struct perf_evsel *evsel, int cpu_idx, int thread)
{
	const int *fd = evsel->fd ? xyarray__entry(evsel->fd, (size_t)cpu_idx,
						   (size_t)thread)
				  : NULL;

	return fd ? *fd : -1;
}

static void close_group(struct open_group *group)
{
	for (size_t i = group->nr; i > 0; i--) {
		perf_evsel__close(group->evsels[i - 1]);
		perf_evsel__delete(group->evsels[i - 1]);
	}
	free(group->evsels);
	perf_cpu_map__put(group->cpus);
	*group = (struct open_group){ 0 };
}

static void free_counter(struct perf_counter *counter)
{
	for (size_t i = 0; i < counter->nr_groups; i++)
		close_group(&counter->groups[i]);
	free(counter->groups);
	perf_thread_map__put(counter->threads);
	td_reader_free(&counter->reader);
	free(counter);
}

static void perf_close(struct td_counter *base)
{
	free_counter(perf_counter_of(base));
}

static int perf_enable(struct td_counter *base, struct td_err *err)
{
	struct perf_counter *counter = perf_counter_of(base);

	for (size_t i = 0; i < counter->nr_groups; i++) {
		if (perf_evsel__enable(counter->groups[i].evsels[0]))
			return td_err_set(err, -errno,
					  "cannot start the counters: %s",
					  strerror(errno));
	}
	return 0;
}

static int group_units(const struct perf_counter *counter,
		       const struct open_group *group)
{
	return perf_cpu_map__nr(group->cpus) *
	       perf_thread_map__nr(counter->threads);
}

static int perf_read(struct td_counter *base, uint64_t *time_ns,
		     struct td_readings *readings, struct td_err *err)
{
	(void)time_ns; /* the caller's clock */
	return td_reader_read(&perf_counter_of(base)->reader, readings, err);
}

static const struct td_counter_ops perf_ops = {
	.enable = perf_enable,
	.read = perf_read,
	.close = perf_close,
};

/* What is read of the index-th group. */
static int add_steps(struct perf_counter *counter, const struct td_plan *plan,
		     size_t index)
{
	const struct open_group *group = &counter->groups[index];
	int nr_threads = perf_thread_map__nr(counter->threads);
	int nr = group_units(counter, group);

	for (int unit = 0; unit < nr; unit++) {
		struct td_read_step *step = td_reader_add(&counter->reader);
		int cpu = unit / nr_threads, thread = unit % nr_threads;

		if (!step)
			return -ENOMEM;
		*step = (struct td_read_step){
			.fd = event_fd(group->evsels[0], cpu, thread),
			.group = (int)index,
			.cpu = perf_cpu_map__cpu(group->cpus, cpu).cpu,
			.thread = thread,
			.tid = perf_thread_map__pid(counter->threads, thread),
			.members = group->members,
			.nr = group->nr,
			.name = plan->events[group->members[0]].name,
			.pinned = group->evsels[0]->attr.pinned,
			.resume = group->evsels[0]->attr.pinned && !plan->asked,
		};
	}
	return 0;
}

static int begin_reading(struct perf_counter *counter,
			 const struct td_plan *plan)
{
	for (size_t g = 0; g < counter->nr_groups; g++) {
		if (add_steps(counter, plan, g))
			return -ENOMEM;
	}
	return td_reader_begin(&counter->reader);
}

/* Makes the soft limit of descriptors the hard one; false: it is already. */
static bool raise_nofile(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur >= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

struct opening {
	struct perf_counter *counter;
	const struct td_counter_setup *setup;
	struct td_err *err;
};

/* Tells of every descriptor of an event, or of the failure rc. */
static void tell_opened(const struct opening *o, const struct open_group *group,
			const struct perf_evsel *evsel, int rc)
{
	const struct td_counter_setup *setup = o->setup;
	struct perf_thread_map *threads = o->counter->threads;
	int nr_threads = perf_thread_map__nr(threads);
	int nr = group_units(o->counter, group);

	/* libperf has closed what it had opened */
	if (!evsel->fd)
		setup->opened(setup->ctx, &evsel->attr,
			      perf_thread_map__pid(threads, 0),
			      perf_cpu_map__cpu(group->cpus, 0).cpu, -1, rc);
	for (int unit = 0; evsel->fd && unit < nr; unit++) {
		int cpu = unit / nr_threads, thread = unit % nr_threads;

		setup->opened(setup->ctx, &evsel->attr,
			      perf_thread_map__pid(threads, thread),
			      perf_cpu_map__cpu(group->cpus, cpu).cpu,
			      evsel->leader == evsel
				      ? -1
				      : event_fd(evsel->leader, cpu, thread),
			      event_fd(evsel, cpu, thread));
	}
}

static int open_evsel(struct opening *o, const struct open_group *group,
		      struct perf_evsel *evsel)
{
	struct perf_thread_map *threads = o->counter->threads;
	int rc = perf_evsel__open(evsel, group->cpus, threads);

	if (rc == -EMFILE && raise_nofile())
		rc = perf_evsel__open(evsel, group->cpus, threads);
	if (o->setup->opened)
		tell_opened(o, group, evsel, rc);
	return rc;
}

/* On every CPU: perf_evsel__apply_filter() knows of one. */
static int set_filter(const struct opening *o, const struct open_group *group,
		      const struct perf_evsel *evsel, const char *filter)
{
	int nr_threads = perf_thread_map__nr(o->counter->threads);
	int nr = group_units(o->counter, group);

	for (int unit = 0; unit < nr; unit++) {
		int fd = event_fd(evsel, unit / nr_threads, unit % nr_threads);

		if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
			return -errno;
	}
	return 0;
}

static int open_member(struct opening *o, const struct td_group *from,
		       struct open_group *group, size_t i)
{
	const struct td_plan *plan = o->setup->plan;
	struct perf_event_attr attr =
		td_plan_attr(plan, from, i, o->setup->target);
	const char *filter = plan->events[from->members[i]].filter;
	struct perf_evsel *evsel = perf_evsel__new(&attr);
	int rc;

	if (!evsel)
		return -ENOMEM;
	evsel->leader = i ? group->evsels[0] : evsel;
	group->evsels[i] = evsel;
	group->nr = i + 1;
	rc = open_evsel(o, group, evsel);
	return rc || !filter ? rc : set_filter(o, group, evsel, filter);
}

static struct perf_cpu_map *group_cpus(const struct opening *o, int pmu)
{
	const struct td_target *target = o->setup->target;
	td_autofree char *text = NULL;
	struct td_ints cpus;

	if (!target->system_wide)
		return perf_cpu_map__new_any_cpu();
	if (td_plan_cpus(&o->setup->machine->pmus[pmu], target, &cpus))
		return NULL;
	text = td_ints_format(&cpus);
	td_ints_free(&cpus);
	return text ? perf_cpu_map__new(text) : NULL;
}

/* Opens one group; *failed is the member that the kernel refused. */
static int open_group(struct opening *o, size_t index, size_t *failed)
{
	const struct td_group *from = &o->setup->plan->groups[index];
	struct open_group *group = &o->counter->groups[index];
	int rc = 0;

	*group = (struct open_group){ .members = from->members };
	group->evsels = calloc(from->nr, sizeof(struct perf_evsel *));
	group->cpus = group_cpus(o, from->pmu);
	if (!group->evsels || !group->cpus)
		rc = -ENOMEM;
	for (size_t i = 0; !rc && i < from->nr; i++) {
		*failed = i;
		rc = open_member(o, from, group, i);
	}
	if (rc)
		close_group(group);
	return rc;
}

static void close_groups(struct perf_counter *counter)
{
	for (size_t i = 0; i < counter->nr_groups; i++)
		close_group(&counter->groups[i]);
	free(counter->groups);
	counter->groups = NULL;
	counter->nr_groups = 0;
}

/* From the start, with the plan and the target as they are now. */
static int open_groups(struct opening *o, size_t *index, size_t *failed)
{
	const struct td_plan *plan = o->setup->plan;
	struct perf_counter *counter = o->counter;
	int rc = 0;

	close_groups(counter);
	counter->groups = calloc(plan->nr_groups + 1, sizeof(*counter->groups));
	if (!counter->groups)
		return -ENOMEM;
	for (*index = 0; *index < plan->nr_groups; (*index)++) {
		rc = open_group(o, *index, failed);
		if (rc)
			return rc;
		counter->nr_groups++;
	}
	return 0;
}

static struct perf_thread_map *target_threads(const struct td_target *target)
{
	if (target->system_wide)
		return perf_thread_map__new_dummy();
	return perf_thread_map__new_array((int)target->tids.nr, target->tids.v);
}

int td_counter_perf_open(struct td_counter **out,
			 const struct td_counter_setup *setup,
			 struct td_err *err)
{
	struct perf_counter *counter = calloc(1, sizeof(*counter));
	struct opening o = { counter, setup, err };
	size_t index = 0, failed = 0;
	int rc;

	if (!counter)
		return td_err_nomem(err);
	counter->base.ops = &perf_ops;
	counter->reader.notes = setup->notes;
	counter->threads = target_threads(setup->target);
	rc = counter->threads ? 0 : td_err_nomem(err);
	while (!rc) {
		rc = open_groups(&o, &index, &failed);
		if (!rc)
			break;
		rc = rc == -ENOMEM
			     ? td_err_nomem(err)
			     : td_fall_back(setup, index, failed, rc, err);
	}
	if (!rc && begin_reading(counter, setup->plan))
		rc = td_err_nomem(err);
	td_plan_fill_at_once(setup->plan, setup->machine);
	if (rc) {
		free_counter(counter);
		return rc;
	}
	*out = &counter->base;
	return 0;
}
