// SPDX-License-Identifier: GPL-2.0-only
/* Maps the events' rings, reads them in order of time, and adds those of further CPUs. */
#include "lib/sample/sampler.h"

#include <limits.h>
#include <math.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <x86intrin.h>

#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/sample/sampler_parts.h"

/* Pages per CPU that the default of kernel.perf_event_mlock_kb, 516, allows unprivileged users. */
#define MAX_PAGES 128

int td_sampler_max_rate(const struct td_sysfs *fs)
{
	const char *path = "sys/kernel/perf_event_max_sample_rate";
	struct td_err unused;
	char text[32];
	int max;

	if (td_proc_read(fs, path, text, sizeof(text), &unused) < 0 ||
	    td_parse_int(text, 1, INT_MAX, &max))
		return INT_MAX;
	return max;
}

/* --- opening ---------------------------------------------------------------- */

/*
 * Makes rings for the CPUs on which some event is open, because perf_evlist__mmap_ops() uses
 * all_cpus.
 */
static void set_cpus(struct td_sampler *sampler)
{
	struct perf_evsel *evsel;
	td_autofree char *text = NULL;
	struct td_ints all = { 0 };
	struct perf_cpu cpu;
	int i;

	perf_evlist__for_each_evsel(sampler->evlist, evsel) {
		perf_cpu_map__for_each_cpu(cpu, i, evsel->cpus) {
			if (!td_ints_has(&all, cpu.cpu))
				td_ints_add(&all, cpu.cpu);
		}
	}
	text = td_ints_format(&all);
	td_ints_free(&all);
	perf_cpu_map__put(sampler->evlist->all_cpus);
	sampler->evlist->all_cpus = td_need(perf_cpu_map__new(text));
}

/* Halves the rings until they fit: other profilers of this user may use a part of the limit. */
static int map_rings(struct td_sampler *sampler, struct td_err *err)
{
	int max = sampler->setup.max_pages ? sampler->setup.max_pages : MAX_PAGES;
	struct perf_evsel *evsel;
	int pages = max;

	while (perf_evlist__mmap(sampler->evlist, pages)) {
		if (errno != EPERM || pages == 1) {
			td_err_set(err, -errno, "the rings for samples: %s", strerror(errno));
			if (err->code == -EPERM)
				td_err_hint(err, "sysctl kernel.perf_event_mlock_kb, or ulimit -l, "
						 "allows more memory");
			return err->code;
		}
		/* libperf does not forget the ids itself */
		perf_evlist__reset_id_hash(sampler->evlist);
		perf_evlist__for_each_evsel(sampler->evlist, evsel) {
			perf_evsel__free_id(evsel);
		}
		pages /= 2;
	}
	if (pages < max)
		td_notes_add(sampler->setup.notes,
			     "rings of %d pages a CPU, not %d: kernel.perf_event_mlock_kb does not "
			     "allow more",
			     pages, max);
	return 0;
}

static int watch_rings(struct td_sampler *sampler, struct td_err *err)
{
	struct perf_mmap *map;

	sampler->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (sampler->epoll < 0)
		return td_err_set(err, -errno, "epoll: %s", strerror(errno));
	perf_evlist__for_each_mmap(sampler->evlist, map, false)
	{
		/* edge-triggered, because the hangup of an ended task is permanent */
		struct epoll_event event = { .events = EPOLLIN | EPOLLET };

		if (epoll_ctl(sampler->epoll, EPOLL_CTL_ADD, map->fd, &event))
			return td_err_set(err, -errno, "epoll: %s", strerror(errno));
	}
	return 0;
}

/* Adds the ids of a sampler's events to those of the first one. */
static void add_ids(struct td_sampler *first, const struct td_sampler *part)
{
	struct perf_evsel *evsel;
	size_t at = 0;

	perf_evlist__for_each_evsel(part->evlist, evsel) {
		int event = part->events[at++];
		size_t nr = evsel->fd ? evsel->fd->max_x * evsel->fd->max_y : 0;

		for (size_t i = 0; event >= 0 && i < nr; i++) {
			const struct perf_sample_id *sid = td_need(xyarray__entry(
				evsel->sample_id, i / evsel->fd->max_y, i % evsel->fd->max_y));

			td_index_add(&first->by_id, td_hash(sid->id), first->nr_ids);
			td_array_push(&first->ids, &first->nr_ids, &event, sizeof(event));
		}
	}
}

/* Replaces the messages that libperf would print. */
static int print_nothing(enum libperf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static int open_all(struct td_sampler *sampler, struct td_err *err)
{
	bool traces = sampler->setup.trace.type;

	if (td_sampler_open_events(sampler, traces ? td_sampler_open_trace : td_sampler_open_groups,
				   err))
		return err->code;
	set_cpus(sampler);
	if (map_rings(sampler, err) || td_sampler_map_trace(sampler, err) ||
	    watch_rings(sampler, err))
		return err->code;
	add_ids(sampler, sampler);
	return 0;
}

int td_sampler_open(struct td_sampler **out, const struct td_sampler_setup *setup,
		    struct td_err *err)
{
	struct td_sampler *sampler = td_calloc(1, sizeof(*sampler));
	int rc;

	libperf_init(print_nothing);
	sampler->setup = *setup;
	sampler->epoll = -1;
	sampler->evlist = td_need(perf_evlist__new());
	rc = open_all(sampler, err);
	if (rc)
		td_sampler_close(sampler);
	else
		*out = sampler;
	return rc;
}

void td_sampler_close(struct td_sampler *sampler)
{
	while (sampler) {
		struct td_sampler *next = sampler->next;
		struct perf_evsel *evsel;

		td_close_fd(&sampler->epoll);
		td_sampler_close_trace(sampler);
		perf_evlist__munmap(sampler->evlist);
		perf_evlist__close(sampler->evlist);
		perf_evlist__for_each_evsel(sampler->evlist, evsel) {
			td_sampler_free_parts(evsel);
		}
		perf_evlist__delete(sampler->evlist);
		perf_thread_map__put(sampler->threads);
		free(sampler->events);
		free(sampler->ids);
		td_index_free(&sampler->by_id);
		td_queue_free(&sampler->queue);
		td_ints_free(&sampler->target.cpus);
		free(sampler->times_ns);
		free(sampler);
		sampler = next;
	}
}

void td_sampler_enable(struct td_sampler *sampler, bool on)
{
	for (; sampler; sampler = sampler->next) {
		sampler->off = !on;
		if (on)
			perf_evlist__enable(sampler->evlist);
		else
			perf_evlist__disable(sampler->evlist);
	}
}

void td_sampler_enable_companion(struct td_sampler *sampler, size_t companion, bool on)
{
	for (; sampler; sampler = sampler->next) {
		int nr_events = (int)sampler->setup.plan->events.nr;
		struct perf_evsel *evsel;
		size_t i = 0;

		perf_evlist__for_each_evsel(sampler->evlist, evsel) {
			int at = sampler->events[i++] - nr_events;

			if (at < 0 || (size_t)at % sampler->setup.nr_companions != companion)
				continue;
			if (on)
				perf_evsel__enable(evsel);
			else
				perf_evsel__disable(evsel);
		}
	}
}

/* --- counts ----------------------------------------------------------------- */

/* Returns 0 if it is unknown. */
static double count_of(const struct perf_evsel *evsel, int x, int y)
{
	uint64_t values[TD_SAMPLER_VALUES], id;

	if (!td_sampler_values(evsel, x, y, values))
		return 0;
	if (!(evsel->attr.read_format & PERF_FORMAT_GROUP))
		return (double)values[0];
	if (ioctl(td_event_fd(evsel, x, y), PERF_EVENT_IOC_ID, &id) != 0)
		return 0;
	/* the number of values and two times come first: td_record_read_format() */
	for (size_t i = 0; i < values[0] && 4 + 2 * i < TD_SAMPLER_VALUES; i++) {
		if (values[4 + 2 * i] == id)
			return (double)values[3 + 2 * i];
	}
	return 0;
}

static double counted_in_part(const struct td_sampler *part)
{
	const struct td_sampler_setup *setup = &part->setup;
	struct perf_evsel *evsel;
	double sum = 0;
	size_t i = 0;

	perf_evlist__for_each_evsel(part->evlist, evsel) {
		int event = part->events[i++];

		if (event < 0 || event >= (int)setup->plan->events.nr ||
		    !setup->how[event].period || !evsel->fd)
			continue;
		for (int x = 0; x < xyarray__max_x(evsel->fd); x++) {
			for (int y = 0; y < xyarray__max_y(evsel->fd); y++)
				sum += count_of(evsel, x, y);
		}
	}
	return sum;
}

double td_sampler_counted(const struct td_sampler *sampler)
{
	double sum = 0;

	for (; sampler; sampler = sampler->next)
		sum += counted_in_part(sampler);
	return sum;
}

/*
 * Sums the times of an event of tasks.  While a task runs on any CPU, its events are enabled
 * on all CPUs and running on one.
 */
static void add_times(const struct perf_evsel *evsel, uint64_t *enabled_ns, uint64_t *running_ns)
{
	uint64_t values[TD_SAMPLER_VALUES];

	for (int y = 0; y < xyarray__max_y(evsel->fd); y++) {
		uint64_t max_ns = 0;

		for (int x = 0; x < xyarray__max_x(evsel->fd); x++) {
			if (!td_sampler_values(evsel, x, y, values))
				continue;
			max_ns = values[1] > max_ns ? values[1] : max_ns;
			*running_ns += values[2];
		}
		*enabled_ns += max_ns;
	}
}

double td_sampler_ran_pct(const struct td_sampler *sampler, int pmu)
{
	const struct td_events *events = &sampler->setup.plan->events;
	double pct = NAN;
	struct perf_evsel *evsel;
	size_t i = 0;

	perf_evlist__for_each_evsel(sampler->evlist, evsel) {
		int event = sampler->events[i++];
		uint64_t enabled_ns = 0, running_ns = 0;

		if (event < 0 || event >= (int)events->nr || !evsel->fd ||
		    events->v[event].pmu != pmu)
			continue;
		add_times(evsel, &enabled_ns, &running_ns);
		if (enabled_ns)
			pct = fmax(pct, 100 * (double)running_ns / (double)enabled_ns);
	}
	return pct;
}

int td_sampler_fd(const struct td_sampler *sampler)
{
	return sampler->epoll;
}

static const struct perf_evsel *find_on(const struct td_sampler *part, int event, int cpu, int *x)
{
	struct perf_evsel *evsel;
	size_t at = 0;

	perf_evlist__for_each_evsel(part->evlist, evsel) {
		if (part->events[at++] != event)
			continue;
		*x = perf_cpu_map__idx(evsel->cpus, (struct perf_cpu){ cpu });
		if (*x >= 0 && td_event_fd(evsel, *x, 0) >= 0)
			return evsel;
	}
	return NULL;
}

/*
 * Returns the leader of a group that is open on a CPU, with its place there, or NULL.  The events of
 * a CPU that was offline are in a later sampler; those of the first one are detached.
 */
static const struct perf_evsel *find_leader(const struct td_sampler *sampler, size_t group, int cpu,
					    int *x)
{
	int leader = sampler->setup.plan->groups[group].members[0];

	for (const struct td_sampler *part = sampler->next; part; part = part->next) {
		const struct perf_evsel *found = find_on(part, leader, cpu, x);

		if (found)
			return found;
	}
	return find_on(sampler, leader, cpu, x);
}

void td_sampler_enable_group(const struct td_sampler *sampler, size_t group, int cpu, bool on)
{
	int x;
	const struct perf_evsel *leader = find_leader(sampler, group, cpu, &x);

	if (leader)
		ioctl(td_event_fd(leader, x, 0),
		      on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void td_sampler_look(const struct td_sampler *sampler, size_t group, int cpu, td_take_record *take,
		     void *ctx)
{
	struct td_record record = { .kind = TD_RECORD_SAMPLE, .cpu = cpu, .pid = -1, .tid = -1 };
	uint64_t values[TD_SAMPLER_VALUES];
	int x;
	const struct perf_evsel *leader = find_leader(sampler, group, cpu, &x);

	if (!leader || !td_sampler_values(leader, x, 0, values))
		return;
	record.nr_values = values[0];
	record.enabled_ns = values[1];
	record.running_ns = values[2];
	record.values = values + 3;
	take(ctx, &record, td_sampler_companion(&sampler->setup, group, 0));
}

/* --- reading ---------------------------------------------------------------- */

/* Returns the event with the kernel's id, or -1. */
static int find_event(const struct td_sampler *sampler, uint64_t id)
{
	size_t at = td_index_find(&sampler->by_id, td_hash(id));

	return at == TD_NOT_FOUND ? -1 : sampler->ids[at];
}

/* The kernel does not overwrite a record until it is consumed. */
static void read_ring(struct td_sampler *sampler, struct td_sampler *part, struct perf_mmap *map,
		      td_take_record *take, void *ctx)
{
	const struct perf_event_header *header;

	if (perf_mmap__read_init(map))
		return;
	while ((header = (void *)perf_mmap__read_event(map))) {
		struct td_record record;
		bool valid = td_record_parse(&record, &sampler->setup.format, header, header->size);

		if (valid && record.kind == TD_RECORD_TRACE)
			td_sampler_note_trace(part, map, &record);
		if (valid && record.kind == TD_RECORD_LOST)
			sampler->nr_lost += record.lost;
		if (valid && sampler->setup.only_samples)
			take(ctx, &record, find_event(sampler, record.id));
		else if (valid)
			td_queue_put(&sampler->queue, record.time_ns, header, header->size);
		perf_mmap__consume(map);
	}
}

static void forget_edges(const struct td_sampler *sampler)
{
	struct epoll_event events[64];

	while (epoll_wait(sampler->epoll, events, TD_ARRAY_SIZE(events), 0) ==
	       (int)TD_ARRAY_SIZE(events))
		;
}

static void read_traces(struct td_sampler *sampler)
{
	for (; sampler; sampler = sampler->next)
		td_sampler_read_trace(sampler);
}

static void pass_queued(struct td_sampler *sampler, uint64_t until_ns, td_take_record *take,
			void *ctx)
{
	uint64_t *data;
	uint16_t size;

	while ((data = td_queue_pop(&sampler->queue, until_ns, &size))) {
		struct td_record record;

		if (td_record_parse(&record, &sampler->setup.format, data, size))
			take(ctx, &record, find_event(sampler, record.id));
		/* decoding takes time, while the CPUs continue to trace */
		if (record.kind == TD_RECORD_TRACE)
			read_traces(sampler);
		free(data);
	}
}

/* Returns the number of records that did not fit into the watcher's rings: 0 before 6.0. */
static uint64_t lost_by_watcher(const struct td_sampler *part)
{
	const struct perf_evsel *watcher = perf_evlist__last(part->evlist);
	uint64_t values[TD_SAMPLER_VALUES], sum = 0;

	if (!(watcher->attr.read_format & PERF_FORMAT_LOST))
		return 0;
	for (int x = 0; x < xyarray__max_x(watcher->fd); x++) {
		for (int y = 0; y < xyarray__max_y(watcher->fd); y++) {
			/* value, two times, id, lost */
			if (td_sampler_values(watcher, x, y, values))
				sum += values[4];
		}
	}
	return sum;
}

/*
 * Reports lost records that the kernel has not reported: it writes that record when the next one
 * fits into the ring, which may never happen.  The end of a thread may be among the lost records.
 */
static void pass_lost(struct td_sampler *sampler, td_take_record *take, void *ctx)
{
	struct td_record record = {
		.kind = TD_RECORD_LOST, .time_ns = sampler->read_ns, .cpu = -1, .pid = -1, .tid = -1
	};
	uint64_t lost = 0;

	for (const struct td_sampler *p = sampler; p; p = p->next)
		lost += lost_by_watcher(p);
	record.lost = td_since(lost, sampler->nr_lost);
	sampler->nr_lost += record.lost;
	if (record.lost)
		take(ctx, &record, -1);
}

/*
 * Reads the rings.  A CPU may write records late, but all records older than the previous reading
 * of the rings are in the queue now.
 */
void td_sampler_read(struct td_sampler *sampler, bool all, td_take_record *take, void *ctx)
{
	uint64_t until_ns = all ? UINT64_MAX : sampler->read_ns;
	struct perf_mmap *map;

	sampler->read_ns =
		sampler->setup.trace.type ? td_sampler_trace_ns(sampler, __rdtsc()) : td_now_ns();
	for (struct td_sampler *p = sampler; p; p = p->next) {
		forget_edges(p);
		perf_evlist__for_each_mmap(p->evlist, map, false)
		{
			read_ring(sampler, p, map, take, ctx);
		}
	}
	/* after the records that describe the traced bytes */
	read_traces(sampler);
	pass_queued(sampler, until_ns, take, ctx);
	if (all)
		pass_lost(sampler, take, ctx);
}

/* --- CPUs that come online -------------------------------------------------- */

/*
 * A CPU that was offline comes back without its events, which the kernel has detached
 * (perf_event_exit_cpu_context() in kernel/events/core.c).  Such CPUs, and new ones, get a sampler
 * of their own after the first one.
 */

void td_sampler_list_dead(struct td_sampler *sampler, struct td_ints *cpus)
{
	struct td_ints alive = { 0 };

	*cpus = (struct td_ints){ 0 };
	for (struct td_sampler *p = sampler; p; p = p->next) {
		const struct perf_evsel *watcher = perf_evlist__last(p->evlist);
		int nr = (int)perf_cpu_map__nr(watcher->cpus);
		uint64_t values[TD_SAMPLER_VALUES];

		if (!p->times_ns)
			p->times_ns = td_calloc((size_t)nr + 1, sizeof(uint64_t));
		/* the last event, the watcher, is enabled all the time that its CPU is online */
		for (int i = 0; i < nr; i++) {
			uint64_t now_ns = td_sampler_values(watcher, i, 0, values) ? values[1] : 0;
			int cpu = perf_cpu_map__cpu(watcher->cpus, (uint16_t)i).cpu;

			td_ints_add(now_ns == p->times_ns[i] ? cpus : &alive, cpu);
			p->times_ns[i] = now_ns;
		}
	}
	/* a CPU that came back is dead in one sampler, and alive in another */
	td_ints_remove(cpus, &alive);
	td_ints_free(&alive);
}

/* Closes the samplers whose CPUs are all dead, except the first one. */
static void drop_dead(struct td_sampler *sampler, const struct td_ints *dead)
{
	struct td_sampler **at = &sampler->next;

	while (*at) {
		struct td_sampler *part = *at;
		struct td_ints alive = { 0 };

		td_ints_copy(&alive, &part->target.cpus);
		td_ints_remove(&alive, dead);
		if (alive.nr) {
			at = &part->next;
		} else {
			*at = part->next;
			part->next = NULL;
			td_sampler_close(part);
		}
		td_ints_free(&alive);
	}
}

int td_sampler_add_cpus(struct td_sampler *sampler, const struct td_ints *cpus, struct td_err *err)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct td_sampler_setup setup = sampler->setup;
	struct td_target target = *sampler->setup.target;
	struct td_sampler *part;
	int rc;

	drop_dead(sampler, cpus);
	target.has_cpus = true;
	td_ints_copy(&target.cpus, cpus);
	setup.target = &target;
	rc = td_sampler_open(&part, &setup, err);
	if (rc) {
		td_ints_free(&target.cpus);
		return rc;
	}
	part->target = target;
	part->setup.target = &part->target;
	part->next = sampler->next;
	sampler->next = part;
	if (epoll_ctl(sampler->epoll, EPOLL_CTL_ADD, part->epoll, &event))
		return td_err_set(err, -errno, "epoll: %s", strerror(errno));
	add_ids(sampler, part);
	perf_evlist__enable(part->evlist);
	return 0;
}
