// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's side of the counters.  The only file that knows libperf, and
 * the only one that reads a counter: libperf's own read gives the leader of a
 * group alone, so the leader's descriptor is taken from its internal array.
 */
#include "lib/counter.h"

#include <errno.h>
#include <internal/evsel.h>
#include <internal/xyarray.h>
#include <perf/cpumap.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/fall_back.h"
#include "lib/plan_fit.h"
#include "lib/util.h"

struct open_group {
	struct perf_evsel **evsels; /* evsels[0] leads */
	size_t nr;
	const int *members; /* the plan's */
	struct perf_cpu_map *cpus;
};

/* One read(): a group on one CPU, or in one thread. */
struct read_step {
	const struct open_group *group;
	int cpu_idx, cpu, thread;
};

struct perf_counter {
	struct td_counter base;
	struct open_group *groups;
	size_t nr_groups;
	struct read_step *steps; /* in the order of the readings */
	size_t nr_steps;
	/*
	 * Several groups on a CPU are read there: each read from afar would
	 * interrupt it, and be counted by those that are read later.
	 */
	bool goes_there;
	cpu_set_t home; /* where this thread may run */
	struct perf_thread_map *threads;
	struct td_readings now, before, delta;
	uint64_t *buf;          /* one group's read() */
	struct td_notes *notes; /* borrowed */
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
	free(counter->now.v);
	free(counter->before.v);
	free(counter->delta.v);
	free(counter->buf);
	free(counter->steps);
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

/* read() of PERF_FORMAT_GROUP | ID | TOTAL_TIME_*, perf_event_open(2) */
struct group_values {
	uint64_t nr, enabled_ns, running_ns;
	struct {
		uint64_t value, id;
	} v[];
};

static size_t group_read_size(size_t nr)
{
	return sizeof(struct group_values) + nr * 2 * sizeof(uint64_t);
}

static int read_error(struct td_err *err, int error)
{
	td_err_set(err, -error, "cannot read a counter: %s", strerror(error));
	if (error == ECHILD) /* __perf_read_group_add() in the kernel */
		td_err_hint(err, "a thread began while the counters were "
				 "opened, and has not all of them: try again");
	return err->code;
}

/* A pinned group that did not get the hardware is given up, too. */
static void note_lost(const struct perf_counter *counter,
		      const struct open_group *group, int cpu)
{
	const char *what = group->evsels[0]->attr.pinned
				   ? "a pinned group, whose counters are taken"
				   : "not counted any more";

	if (cpu < 0)
		td_notes_add(counter->notes, "%s", what);
	else
		td_notes_add(counter->notes, "%s: CPU %d", what, cpu);
}

/*
 * One read of one group.  Less than a whole group: the kernel has given it
 * up (error state), or taken it apart (its CPU went offline), so it was not
 * counted.
 */
static int read_group(struct perf_counter *counter,
		      const struct open_group *group, int cpu_idx, int thread,
		      const struct group_values **out, struct td_err *err)
{
	int fd = event_fd(group->evsels[0], cpu_idx, thread);
	struct group_values *values = (struct group_values *)counter->buf;
	size_t size = group_read_size(group->nr);
	ssize_t len = read(fd, values, size);

	if (len < 0)
		return read_error(err, errno);
	if ((size_t)len < size) {
		memset(values, 0, size);
		note_lost(counter, group,
			  perf_cpu_map__cpu(group->cpus, cpu_idx).cpu);
	}
	*out = values;
	return 0;
}

static int group_units(const struct perf_counter *counter,
		       const struct open_group *group)
{
	return perf_cpu_map__nr(group->cpus) *
	       perf_thread_map__nr(counter->threads);
}

/* Where that is not allowed, the kernel asks the CPU from afar. */
static void go_to_cpu(int cpu)
{
	cpu_set_t there;

	CPU_ZERO(&there);
	if (cpu >= 0 && cpu < CPU_SETSIZE) {
		CPU_SET((size_t)cpu, &there);
		sched_setaffinity(0, sizeof(there), &there);
	}
}

static int perf_read(struct td_counter *base, uint64_t *time_ns,
		     struct td_readings *readings, struct td_err *err)
{
	struct perf_counter *counter = perf_counter_of(base);
	struct td_readings before = counter->before;
	struct td_reading *out = counter->now.v;
	const struct group_values *values = NULL;

	(void)time_ns; /* the caller's clock */
	for (size_t s = 0; s < counter->nr_steps; s++) {
		const struct read_step *step = &counter->steps[s];
		int rc;

		if (counter->goes_there && (!s || step[-1].cpu != step->cpu))
			go_to_cpu(step->cpu);
		rc = read_group(counter, step->group, step->cpu_idx,
				step->thread, &values, err);
		if (rc)
			return rc;
		for (size_t i = 0; i < step->group->nr; i++, out++) {
			out->value = values->v[i].value;
			out->enabled_ns = values->enabled_ns;
			out->running_ns = values->running_ns;
		}
	}
	if (counter->goes_there)
		sched_setaffinity(0, sizeof(counter->home), &counter->home);
	td_count_delta(&counter->now, &counter->before, &counter->delta);
	counter->before = counter->now;
	counter->now = before;
	*readings = counter->delta;
	return 0;
}

static const struct td_counter_ops perf_ops = {
	.enable = perf_enable,
	.read = perf_read,
	.close = perf_close,
};

static int by_cpu_thread_group(const void *a, const void *b)
{
	const struct read_step *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/*
 * One CPU after the other, or thread: what is divided by each other is read at
 * nearly the same time.
 */
static int plan_steps(struct perf_counter *counter)
{
	int nr_threads = perf_thread_map__nr(counter->threads);

	for (size_t g = 0; g < counter->nr_groups; g++) {
		const struct open_group *group = &counter->groups[g];
		int nr = group_units(counter, group);

		for (int unit = 0; unit < nr; unit++) {
			struct read_step *step =
				td_array_add(&counter->steps, counter->nr_steps,
					     sizeof(*step));

			if (!step)
				return -ENOMEM;
			counter->nr_steps++;
			step->group = group;
			step->cpu_idx = unit / nr_threads;
			step->thread = unit % nr_threads;
			step->cpu =
				perf_cpu_map__cpu(group->cpus, step->cpu_idx)
					.cpu;
		}
	}
	if (counter->nr_steps)
		qsort(counter->steps, counter->nr_steps,
		      sizeof(*counter->steps), by_cpu_thread_group);
	for (size_t s = 1; s < counter->nr_steps; s++)
		counter->goes_there |=
			counter->steps[s].cpu >= 0 &&
			counter->steps[s].cpu == counter->steps[s - 1].cpu;
	if (sched_getaffinity(0, sizeof(counter->home), &counter->home))
		counter->goes_there = false;
	return 0;
}

/* Who is counted where does not change: filled in once, in all buffers. */
static void label_readings(const struct perf_counter *counter,
			   struct td_reading *out)
{
	for (size_t s = 0; s < counter->nr_steps; s++) {
		const struct read_step *step = &counter->steps[s];
		int tid = perf_thread_map__pid(counter->threads, step->thread);

		for (size_t i = 0; i < step->group->nr; i++, out++)
			*out = (struct td_reading){
				.event = step->group->members[i],
				.cpu = step->cpu,
				.tid = tid,
			};
	}
}

static int alloc_readings(struct perf_counter *counter)
{
	struct td_readings *sets[] = { &counter->now, &counter->before,
				       &counter->delta };
	size_t nr = 0, largest = 0;

	if (plan_steps(counter))
		return -ENOMEM;
	for (size_t s = 0; s < counter->nr_steps; s++) {
		nr += counter->steps[s].group->nr;
		if (counter->steps[s].group->nr > largest)
			largest = counter->steps[s].group->nr;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(sets); i++) {
		sets[i]->v = calloc(nr + 1, sizeof(*sets[i]->v));
		sets[i]->nr = nr;
		if (!sets[i]->v)
			return -ENOMEM;
		label_readings(counter, sets[i]->v);
	}
	counter->buf = malloc(group_read_size(largest));
	return counter->buf ? 0 : -ENOMEM;
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
	counter->notes = setup->notes;
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
	if (!rc && alloc_readings(counter))
		rc = td_err_nomem(err);
	td_plan_fill_at_once(setup->plan, setup->machine);
	if (rc) {
		free_counter(counter);
		return rc;
	}
	*out = &counter->base;
	return 0;
}
