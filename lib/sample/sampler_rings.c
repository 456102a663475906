// SPDX-License-Identifier: GPL-2.0-only
/* The rings of events: mapped, read in the order of time. */
#include "lib/sample/sampler.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <x86intrin.h>

#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/sample/sampler_parts.h"

/*
 * Of a ring: what an unprivileged user may have for each CPU with the usual
 * kernel.perf_event_mlock_kb, 516.
 */
#define MOST_PAGES 128

int td_sampler_most_rate(const struct td_sysfs *fs)
{
	struct td_err unused;
	char text[32];
	int most;

	if (td_proc_read(fs, "sys/kernel/perf_event_max_sample_rate", text,
			 sizeof(text), &unused) < 0 ||
	    td_parse_int(text, 1, INT_MAX, &most))
		return INT_MAX;
	return most;
}

/* --- opening ---------------------------------------------------------------- */

static int map_error(int rc, struct td_err *err)
{
	td_err_set(err, rc, "the rings for samples: %s", strerror(-rc));
	return rc == -EPERM
		       ? td_err_hint(err, "sysctl kernel.perf_event_mlock_kb, "
					  "or ulimit -l, allows more memory")
		       : rc;
}

/* What libperf has noted of ids: it does not begin anew by itself. */
static void forget_ids(struct perf_evlist *evlist)
{
	struct perf_evsel *evsel;

	perf_evlist__reset_id_hash(evlist);
	perf_evlist__for_each_evsel (evlist, evsel) {
		perf_evsel__free_id(evsel);
	}
}

/*
 * The rings are those of the list's CPUs, from the first one on
 * (perf_evlist__mmap_ops()): of those on which an event is open.
 */
static int set_cpus(struct td_sampler *sampler)
{
	struct perf_evsel *evsel;
	td_autofree char *text = NULL;
	struct td_ints all = { 0 };
	struct perf_cpu cpu;
	int i, rc = 0;

	perf_evlist__for_each_evsel (sampler->evlist, evsel) {
		perf_cpu_map__for_each_cpu (cpu, i, evsel->cpus) {
			if (!rc && !td_ints_has(&all, cpu.cpu))
				rc = td_ints_add(&all, cpu.cpu);
		}
	}
	text = rc ? NULL : td_ints_format(&all);
	td_ints_free(&all);
	if (!text)
		return -ENOMEM;
	perf_cpu_map__put(sampler->evlist->all_cpus);
	sampler->evlist->all_cpus = perf_cpu_map__new(text);
	return sampler->evlist->all_cpus ? 0 : -ENOMEM;
}

/* Other profilers of this user may have taken a part of what is allowed. */
static int map_rings(struct td_sampler *sampler, struct td_err *err)
{
	int most = sampler->setup.most_pages ? sampler->setup.most_pages
					     : MOST_PAGES;
	int pages = most;

	while (perf_evlist__mmap(sampler->evlist, pages)) {
		if (errno != EPERM || pages == 1)
			return map_error(-errno, err);
		forget_ids(sampler->evlist);
		pages /= 2;
	}
	if (pages < most)
		td_notes_add(sampler->setup.notes,
			     "rings of %d pages a CPU, not %d: "
			     "kernel.perf_event_mlock_kb does not allow more",
			     pages, most);
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
		/* edges: the end of a task stays, and would wake us for ever */
		struct epoll_event event = { .events = EPOLLIN | EPOLLET };

		if (epoll_ctl(sampler->epoll, EPOLL_CTL_ADD, map->fd, &event))
			return td_err_set(err, -errno, "epoll: %s",
					  strerror(errno));
	}
	return 0;
}

static int note_ids_of(struct td_sampler *sampler,
		       const struct perf_evsel *evsel, int event)
{
	size_t nr = evsel->fd ? evsel->fd->max_x * evsel->fd->max_y : 0;

	for (size_t i = 0; event >= 0 && i < nr; i++) {
		const struct perf_sample_id *sid =
			xyarray__entry(evsel->sample_id, i / evsel->fd->max_y,
				       i % evsel->fd->max_y);
		int *slot = td_array_add(&sampler->ids, sampler->nr_ids,
					 sizeof(*slot));

		if (!sid || !slot ||
		    td_index_add(&sampler->by_id, td_hash(sid->id),
				 sampler->nr_ids))
			return -ENOMEM;
		*slot = event;
		sampler->nr_ids++;
	}
	return 0;
}

static int note_ids(struct td_sampler *first, const struct td_sampler *part)
{
	struct perf_evsel *evsel;
	size_t i = 0;

	perf_evlist__for_each_evsel (part->evlist, evsel) {
		if (!part->events ||
		    note_ids_of(first, evsel, part->events[i++]))
			return -ENOMEM;
	}
	return 0;
}

int td_sampler_join(struct td_sampler *first, const struct td_sampler *part,
		    struct td_err *err)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (epoll_ctl(first->epoll, EPOLL_CTL_ADD, part->epoll, &event))
		return td_err_set(err, -errno, "epoll: %s", strerror(errno));
	return note_ids(first, part) ? td_err_nomem(err) : 0;
}

/* Errors are told by what failed; libperf prints what else it does. */
static int say_nothing(enum libperf_print_level level, const char *fmt,
		       va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

int td_sampler_open(struct td_sampler **out,
		    const struct td_sampler_setup *setup, struct td_err *err)
{
	struct td_sampler *sampler = calloc(1, sizeof(*sampler));
	int rc;

	if (!sampler)
		return td_err_nomem(err);
	libperf_init(say_nothing);
	sampler->setup = *setup;
	sampler->epoll = -1;
	sampler->evlist = perf_evlist__new();
	rc = sampler->evlist
		     ? td_sampler_open_events(sampler,
					      setup->trace.type
						      ? td_sampler_open_trace
						      : td_sampler_open_groups,
					      err)
		     : td_err_nomem(err);
	if (!rc && set_cpus(sampler))
		rc = td_err_nomem(err);
	if (!rc)
		rc = map_rings(sampler, err);
	if (!rc)
		rc = td_sampler_map_trace(sampler, err);
	if (!rc)
		rc = watch_rings(sampler, err);
	if (!rc && note_ids(sampler, sampler))
		rc = td_err_nomem(err);
	if (rc)
		td_sampler_close(sampler);
	else
		*out = sampler;
	return rc;
}

/* The maps of events are in use until these are closed. */
static void delete_events(struct perf_evlist *evlist)
{
	struct perf_evsel *evsel;

	if (!evlist)
		return;
	perf_evlist__munmap(evlist);
	perf_evlist__close(evlist);
	perf_evlist__for_each_evsel (evlist, evsel) {
		td_sampler_free_parts(evsel);
	}
	perf_evlist__delete(evlist);
}

static void close_part(struct td_sampler *sampler)
{
	td_close_fd(&sampler->epoll);
	td_sampler_close_trace(sampler);
	delete_events(sampler->evlist);
	perf_thread_map__put(sampler->threads);
	free(sampler->events);
	free(sampler->ids);
	td_index_free(&sampler->by_id);
	td_queue_free(&sampler->queue);
	td_ints_free(&sampler->target.cpus);
	free(sampler->times_ns);
	free(sampler);
}

void td_sampler_close(struct td_sampler *sampler)
{
	while (sampler) {
		struct td_sampler *next = sampler->next;

		close_part(sampler);
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

static void enable_in_part(const struct td_sampler *part, size_t companion,
			   bool on)
{
	int nr_events = (int)part->setup.plan->events.nr;
	struct perf_evsel *evsel;
	size_t i = 0;

	perf_evlist__for_each_evsel (part->evlist, evsel) {
		int at = part->events[i++] - nr_events;

		if (at < 0 ||
		    (size_t)at % part->setup.nr_companions != companion)
			continue;
		if (on)
			perf_evsel__enable(evsel);
		else
			perf_evsel__disable(evsel);
	}
}

void td_sampler_enable_companion(struct td_sampler *sampler, size_t companion,
				 bool on)
{
	for (; sampler; sampler = sampler->next)
		enable_in_part(sampler, companion, on);
}

#define MOST_WORDS 128

/* 0: it is not known. */
static double count_of(const struct perf_evsel *evsel, int fd)
{
	uint64_t words[MOST_WORDS], id;
	ssize_t got = fd < 0 ? -1 : read(fd, words, sizeof(words));
	size_t nr = got > 0 ? (size_t)got / sizeof(words[0]) : 0;

	if (!(evsel->attr.read_format & PERF_FORMAT_GROUP))
		return nr ? (double)words[0] : 0;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0)
		return 0;
	/* behind their number and two times: td_record_read_format() */
	for (size_t i = 3; i + 1 < nr; i += 2) {
		if (words[i + 1] == id)
			return (double)words[i];
	}
	return 0;
}

static double counted_in_part(const struct td_sampler *part)
{
	const struct td_sampler_setup *setup = &part->setup;
	struct perf_evsel *evsel;
	double sum = 0;
	size_t i = 0;

	perf_evlist__for_each_evsel (part->evlist, evsel) {
		int event = part->events[i++];
		size_t nr = 0;

		if (event >= 0 && event < (int)setup->plan->events.nr &&
		    setup->how[event].period && evsel->fd)
			nr = (size_t)evsel->fd->max_x *
			     (size_t)evsel->fd->max_y;
		for (size_t at = 0; at < nr; at++) {
			const int *fd = xyarray__entry(
				evsel->fd, at / (size_t)evsel->fd->max_y,
				at % (size_t)evsel->fd->max_y);

			sum += fd ? count_of(evsel, *fd) : 0;
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
 * The times of an event of tasks, of which each is enabled on all CPUs of the event
 * while it runs anywhere, and runs on one of them.
 */
static void add_times(const struct perf_evsel *evsel, uint64_t *enabled_ns,
		      uint64_t *running_ns)
{
	for (size_t y = 0; y < (size_t)evsel->fd->max_y; y++) {
		uint64_t most = 0;

		for (size_t x = 0; x < (size_t)evsel->fd->max_x; x++) {
			const int *fd = xyarray__entry(evsel->fd, x, y);
			uint64_t words[MOST_WORDS];

			if (!fd || *fd < 0 ||
			    read(*fd, words, sizeof(words)) <
				    (ssize_t)(3 * sizeof(words[0])))
				continue;
			most = words[1] > most ? words[1] : most;
			*running_ns += words[2];
		}
		*enabled_ns += most;
	}
}

double td_sampler_ran_pct(const struct td_sampler *sampler, int pmu)
{
	const struct td_events *events = &sampler->setup.plan->events;
	double pct = NAN;
	struct perf_evsel *evsel;
	size_t i = 0;

	perf_evlist__for_each_evsel (sampler->evlist, evsel) {
		int event = sampler->events[i++];
		uint64_t enabled_ns = 0, running_ns = 0;

		if (event < 0 || event >= (int)events->nr || !evsel->fd ||
		    events->v[event].pmu != pmu)
			continue;
		add_times(evsel, &enabled_ns, &running_ns);
		if (enabled_ns)
			pct = fmax(pct, 100 * (double)running_ns /
						(double)enabled_ns);
	}
	return pct;
}

int td_sampler_fd(const struct td_sampler *sampler)
{
	return sampler->epoll;
}

/* --- reading ---------------------------------------------------------------- */

/* The plan's event with the kernel's number, or -1. */
static int find_event(const struct td_sampler *sampler, uint64_t id)
{
	size_t at = td_index_find(&sampler->by_id, td_hash(id));

	return at == TD_NOT_FOUND ? -1 : sampler->ids[at];
}

/* The ring has a record until it is consumed. */
static int read_ring(struct td_sampler *sampler, struct td_sampler *part,
		     struct perf_mmap *map, td_take_record *take, void *ctx)
{
	const struct perf_event_header *header;
	int rc = 0;

	if (perf_mmap__read_init(map))
		return 0;
	while (!rc && (header = (void *)perf_mmap__read_event(map))) {
		struct td_record record;
		bool valid = td_record_parse(&record, &sampler->setup.format,
					     header, header->size);

		if (valid && record.kind == TD_RECORD_TRACE)
			td_sampler_note_trace(part, map, &record);
		if (valid && record.kind == TD_RECORD_LOST)
			sampler->nr_lost += record.lost;
		if (valid && sampler->setup.only_samples)
			rc = take(ctx, &record, find_event(sampler, record.id));
		else if (valid)
			rc = td_queue_put(&sampler->queue, record.time_ns,
					  header, header->size);
		perf_mmap__consume(map);
	}
	return rc;
}

static void forget_edges(const struct td_sampler *sampler)
{
	struct epoll_event events[64];

	while (epoll_wait(sampler->epoll, events, TD_ARRAY_SIZE(events), 0) ==
	       (int)TD_ARRAY_SIZE(events))
		;
}

static int read_traces(struct td_sampler *sampler)
{
	int rc = 0;

	for (; !rc && sampler; sampler = sampler->next)
		rc = td_sampler_read_trace(sampler);
	return rc;
}

static int give(struct td_sampler *sampler, uint64_t until_ns,
		td_take_record *take, void *ctx)
{
	uint64_t *data;
	uint16_t size;
	int rc = 0;

	while (!rc &&
	       (data = td_queue_take(&sampler->queue, until_ns, &size))) {
		struct td_record record;

		if (td_record_parse(&record, &sampler->setup.format, data,
				    size))
			rc = take(ctx, &record, find_event(sampler, record.id));
		/* that took its time, in which CPUs went on tracing */
		if (!rc && record.kind == TD_RECORD_TRACE)
			rc = read_traces(sampler);
		free(data);
	}
	return rc;
}

static uint64_t now_of_records(const struct td_sampler *sampler)
{
	return sampler->setup.trace.type
		       ? td_sampler_trace_ns(sampler, __rdtsc())
		       : td_now_ns();
}

/* The records that the watcher had no room for; 0: before Linux 6.0. */
static uint64_t lost_by_watcher(const struct td_sampler *part)
{
	const struct perf_evsel *watcher = perf_evlist__last(part->evlist);
	uint64_t values[5], sum = 0;

	if (!(watcher->attr.read_format & PERF_FORMAT_LOST))
		return 0;
	for (int x = 0; x < xyarray__max_x(watcher->fd); x++) {
		for (int y = 0; y < xyarray__max_y(watcher->fd); y++) {
			const int *fd = xyarray__entry(watcher->fd, (size_t)x,
						       (size_t)y);

			/* value, two times, id, lost */
			if (fd &&
			    read(*fd, values, sizeof(values)) == sizeof(values))
				sum += values[4];
		}
	}
	return sum;
}

/*
 * A full ring says that records were lost when the next one has room, which may be
 * never: then the end of a thread was lost, too.
 */
static int tell_lost(struct td_sampler *sampler, td_take_record *take,
		     void *ctx)
{
	struct td_record record = { .kind = TD_RECORD_LOST,
				    .time_ns = sampler->read_ns };
	uint64_t lost = 0;

	for (const struct td_sampler *p = sampler; p; p = p->next)
		lost += lost_by_watcher(p);
	record.lost = td_since(lost, sampler->nr_lost);
	sampler->nr_lost += record.lost;
	return record.lost ? take(ctx, &record, -1) : 0;
}

/*
 * What had happened before the rings were read last is in the queue now, even
 * where a CPU was slow to write it.
 */
int td_sampler_read(struct td_sampler *sampler, bool all, td_take_record *take,
		    void *ctx)
{
	uint64_t until_ns = all ? UINT64_MAX : sampler->read_ns;
	struct perf_mmap *map;
	int rc = 0;

	sampler->read_ns = now_of_records(sampler);
	for (struct td_sampler *p = sampler; !rc && p; p = p->next) {
		forget_edges(p);
		perf_evlist__for_each_mmap(p->evlist, map, false)
		{
			rc = rc ? rc : read_ring(sampler, p, map, take, ctx);
		}
	}
	/* behind the records that are of them */
	if (!rc)
		rc = read_traces(sampler);
	if (!rc)
		rc = give(sampler, until_ns, take, ctx);
	return rc || !all ? rc : tell_lost(sampler, take, ctx);
}
