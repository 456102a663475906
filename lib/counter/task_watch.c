// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the kernel's side-band records through libperf.  The kernel maps no ring for an inherited
 * event on all CPUs, so there is an event for each task on each CPU, and a ring for each CPU.
 */
#include <fcntl.h>
#include <internal/evsel.h>
#include <internal/xyarray.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/event.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"
#include "lib/counter/probe.h"
#include "lib/counter/tasks.h"

/* --- the queue ------------------------------------------------------------ */

/* Removes the events that were returned. */
static void drop_returned(struct td_task_queue *queue)
{
	queue->nr -= queue->next;
	queue->ready -= queue->next;
	if (queue->nr)
		memmove(queue->events, queue->events + queue->next,
			queue->nr * sizeof(*queue->events));
	queue->next = 0;
}

void td_task_queue_add(struct td_task_queue *queue, const struct td_task_event *event)
{
	struct td_task_event *queued;

	if (queue->next)
		drop_returned(queue);
	queued = td_array_add(&queue->events, queue->nr, sizeof(*queued));
	*queued = *event;
	queued->order = queue->added++;
	queue->nr++;
}

static int compare(const void *va, const void *vb)
{
	const struct td_task_event *a = va, *b = vb;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void td_task_queue_sort(struct td_task_queue *queue, uint64_t time_ns)
{
	size_t at = queue->next;

	if (queue->nr > at)
		qsort(queue->events + at, queue->nr - at, sizeof(*queue->events), compare);
	while (at < queue->nr && queue->events[at].time_ns <= time_ns)
		at++;
	queue->ready = at;
}

bool td_task_queue_next(struct td_task_queue *queue, struct td_task_event *event)
{
	if (queue->next == queue->ready)
		return false;
	*event = queue->events[queue->next++];
	return true;
}

void td_task_queue_free(struct td_task_queue *queue)
{
	free(queue->events);
	*queue = (struct td_task_queue){ 0 };
}

/* --- the watch ------------------------------------------------------------ */

#define WATCHING "cannot watch for new threads and processes"
#define CANNOT   WATCHING ": "

/* Sets the error of opening events of tasks; returns the code of td_task_watch_open(). */
static int open_error(struct td_err *err, int rc)
{
	if (td_filter_error(err, rc, WATCHING))
		return rc;
	switch (-rc) {
	case ENOMEM:
		return td_err_nomem(err);
	case ESRCH:
	case ENODEV: /* a task that is exiting */
		return td_err_set(err, -ESRCH, CANNOT "a task has ended");
	case EACCES:
	case EPERM:
		td_err_set(err, rc, CANNOT "this user may not: %s", strerror(-rc));
		return td_err_hint(
			err,
			"your own processes need sysctl kernel.perf_event_paranoid at 2 or below; "
			"those of other users need root or CAP_PERFMON (setcap cap_perfmon+ep)");
	case EMFILE:
	case ENFILE:
		td_err_set(err, rc, CANNOT "%s", strerror(-rc));
		return td_err_hint(
			err, "it needs a descriptor for each thread on each CPU: raise the limit "
			     "(ulimit -n), or watch fewer threads");
	default:
		return td_err_set(err, rc, CANNOT "%s", strerror(-rc));
	}
}

/* Sets the error of mapping rings. */
static int map_error(struct td_err *err, int rc)
{
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	td_err_set(err, rc, CANNOT "no buffers for the kernel's records: %s", strerror(-rc));
	if (rc == -EPERM)
		return td_err_hint(
			err,
			"this user has locked as much memory as allowed: end another profiler, or "
			"raise sysctl kernel.perf_event_mlock_kb");
	return rc;
}

/* Pages of a ring.  By default, an unprivileged user may lock about 128 on each CPU. */
#define DATA_PAGES 4

struct td_task_watch {
	struct perf_evlist *evlist;
	struct perf_evsel *evsel; /* the only event of evlist */
	int nr_cpus, nr_threads, epoll;
	size_t ring_size;
	struct td_task_queue queue;
	bool counts_lost; /* the kernel counts lost records */
	uint64_t *lost;   /* for each ring, if counts_lost */
	uint64_t reported_lost;
};

/* --- opening -------------------------------------------------------------- */

/* Counts user space only, which perf_event_paranoid 2 allows; the event itself counts nothing. */
static struct perf_event_attr task_attr(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_LOST,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.task = 1,
		.comm = 1,
		/* records that are not samples only wake by the watermark */
		.watermark = 1,
		.wakeup_watermark = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static int say_nothing(enum libperf_print_level level, const char *fmt, va_list args)
{
	(void)level, (void)fmt, (void)args;
	return 0;
}

/* Sets the maps of evlist, which takes its own references. */
static void set_maps(struct td_task_watch *watch, const struct td_ints *tids,
		     const struct td_ints *cpus)
{
	td_autofree char *list = td_ints_format(cpus);
	struct perf_cpu_map *cpu_map = td_need(perf_cpu_map__new(list));
	struct perf_thread_map *threads =
		td_need(perf_thread_map__new_array((int)tids->nr, tids->v));

	perf_evlist__set_maps(watch->evlist, cpu_map, threads);
	watch->nr_cpus = (int)perf_cpu_map__nr(cpu_map);
	watch->nr_threads = perf_thread_map__nr(threads);
	watch->lost = td_calloc((size_t)watch->nr_cpus, sizeof(*watch->lost));
	perf_cpu_map__put(cpu_map);
	perf_thread_map__put(threads);
}

static void prepare(struct td_task_watch *watch, const struct td_ints *tids,
		    const struct td_ints *cpus)
{
	struct perf_event_attr attr = task_attr();

	libperf_init(say_nothing); /* sets libperf's page size */
	watch->ring_size = DATA_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	watch->evlist = td_need(perf_evlist__new());
	watch->evsel = td_need(perf_evsel__new(&attr));
	perf_evlist__add(watch->evlist, watch->evsel);
	set_maps(watch, tids, cpus);
}

/* Linux before 6.0 does not count lost records. */
static int open_events(struct td_task_watch *watch)
{
	struct perf_event_attr *attr = perf_evsel__attr(watch->evsel);
	int rc = perf_evlist__open(watch->evlist);

	if (rc == -EINVAL && attr->read_format) {
		attr->read_format = 0;
		rc = perf_evlist__open(watch->evlist);
	}
	watch->counts_lost = attr->read_format & PERF_FORMAT_LOST;
	return rc;
}

static int open_descriptors(struct td_task_watch *watch)
{
	watch->epoll = epoll_create1(EPOLL_CLOEXEC);
	return watch->epoll < 0 ? -errno : open_events(watch);
}

/*
 * All events of a ring wake together, so one event of each ring is enough.  It
 * is edge-triggered, because it hangs up for ever when its task has ended.
 */
static int watch_rings(struct td_task_watch *watch)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	for (int cpu = 0; cpu < watch->nr_cpus; cpu++) {
		if (epoll_ctl(watch->epoll, EPOLL_CTL_ADD, td_event_fd(watch->evsel, cpu, 0),
			      &event))
			return -errno;
		for (int thread = 0; thread < watch->nr_threads; thread++)
			fcntl(td_event_fd(watch->evsel, cpu, thread), F_SETFD, FD_CLOEXEC);
	}
	return 0;
}

static int map_rings(struct td_task_watch *watch)
{
	int rc = perf_evlist__mmap(watch->evlist, DATA_PAGES);

	if (rc)
		return rc == -1 ? -errno : rc;
	return watch_rings(watch);
}

static int open_watch(struct td_task_watch *watch, const struct td_ints *tids,
		      const struct td_ints *cpus, struct td_err *err)
{
	int rc;

	prepare(watch, tids, cpus);
	rc = open_descriptors(watch);
	if (rc)
		return open_error(err, rc);
	rc = map_rings(watch);
	return rc ? map_error(err, rc) : 0;
}

int td_task_watch_open(struct td_task_watch **out, const struct td_ints *tids,
		       const struct td_ints *cpus, struct td_err *err)
{
	struct td_task_watch *watch;
	int rc;

	if (!tids->nr || !cpus->nr)
		return td_err_set(err, -EINVAL, "no %s to watch", tids->nr ? "CPU" : "task");
	watch = td_calloc(1, sizeof(*watch));
	watch->epoll = -1;
	rc = open_watch(watch, tids, cpus, err);
	if (rc) {
		td_task_watch_close(watch);
		return rc;
	}
	*out = watch;
	return 0;
}

void td_task_watch_close(struct td_task_watch *watch)
{
	if (!watch)
		return;
	td_close_fd(&watch->epoll);
	if (watch->evsel) {
		/* perf_evlist__delete() leaks these before Linux 7 */
		perf_cpu_map__put(watch->evsel->cpus);
		perf_thread_map__put(watch->evsel->threads);
		watch->evsel->cpus = NULL;
		watch->evsel->threads = NULL;
	}
	perf_evlist__delete(watch->evlist);
	free(watch->lost);
	td_task_queue_free(&watch->queue);
	free(watch);
}

/* --- reading -------------------------------------------------------------- */

/* Begins an event.  Its time is at the end of the record: sample_id_all with only TIME. */
static struct td_task_event common_of(const union perf_event *record, enum td_task_change change)
{
	struct td_task_event event = { .change = change };
	const char *end = (const char *)record + record->header.size;

	memcpy(&event.time_ns, end - sizeof(event.time_ns), sizeof(event.time_ns));
	return event;
}

static struct td_task_event began_or_ended(const union perf_event *record,
					   enum td_task_change change)
{
	struct td_task_event event = common_of(record, change);

	event.pid = (int)record->fork.pid;
	event.tid = (int)record->fork.tid;
	if (change == TD_TASK_BEGAN)
		event.parent = (int)record->fork.ptid;
	return event;
}

/* comm is padded with NULs to a multiple of eight bytes. */
static struct td_task_event named(const union perf_event *record)
{
	struct td_task_event event = common_of(record, TD_TASK_NAMED);
	size_t len = record->header.size - offsetof(struct perf_record_comm, comm) -
		     sizeof(event.time_ns);

	event.pid = (int)record->comm.pid;
	event.tid = (int)record->comm.tid;
	event.exec = record->header.misc & PERF_RECORD_MISC_COMM_EXEC;
	if (len > sizeof(event.name) - 1)
		len = sizeof(event.name) - 1;
	memcpy(event.name, record->comm.comm, len);
	return event;
}

static void read_record(struct td_task_watch *watch, const union perf_event *record)
{
	struct td_task_event event;

	switch (record->header.type) {
	case PERF_RECORD_FORK:
		event = began_or_ended(record, TD_TASK_BEGAN);
		break;
	case PERF_RECORD_EXIT:
		event = began_or_ended(record, TD_TASK_ENDED);
		break;
	case PERF_RECORD_COMM:
		event = named(record);
		break;
	case PERF_RECORD_LOST:
		watch->reported_lost += record->lost.lost;
		return;
	default:
		return;
	}
	td_task_queue_add(&watch->queue, &event);
}

/* Reads the number of lost records; keeps the old one if the kernel does not answer. */
static void count_lost(struct td_task_watch *watch, int cpu)
{
	struct perf_counts_values count;
	uint64_t lost = 0;

	for (int thread = 0; thread < watch->nr_threads; thread++) {
		if (perf_evsel__read(watch->evsel, cpu, thread, &count))
			return;
		lost += count.lost;
	}
	watch->lost[cpu] = lost;
}

/*
 * Reads a ring.  The kernel reports lost records before the next record that fits, which may never
 * come, so this asks for their number if the ring was full.  A full ring is read in this round and
 * the next, so one of them reads at least a quarter of it.
 */
static void read_ring(struct td_task_watch *watch, struct perf_mmap *ring, int cpu)
{
	const union perf_event *record;
	size_t size = 0;

	if (perf_mmap__read_init(ring))
		return;
	while ((record = perf_mmap__read_event(ring))) {
		size += record->header.size;
		read_record(watch, record);
		perf_mmap__consume(ring);
	}
	perf_mmap__read_done(ring);
	if (watch->counts_lost && size >= watch->ring_size / 4)
		count_lost(watch, cpu);
}

/* Clears wakeups before the rings are read, so that later records wake again. */
static void forget_wakeups(const struct td_task_watch *watch)
{
	struct epoll_event woken[64];

	for (int cpu = 0; cpu < watch->nr_cpus; cpu += 64)
		epoll_wait(watch->epoll, woken, 64, 0);
}

/*
 * Events that occur while the rings are read may be seen out of order, because an earlier one may
 * be missed.  They stay in the queue until the next read, for which the descriptor polls ready.
 */
void td_task_watch_read(struct td_task_watch *watch)
{
	struct perf_mmap *ring;
	uint64_t began;
	int cpu = 0;

	forget_wakeups(watch);
	began = td_now_ns();
	perf_evlist__for_each_mmap(watch->evlist, ring, false)
	{
		read_ring(watch, ring, cpu++);
	}
	td_task_queue_sort(&watch->queue, began);
}

bool td_task_watch_next(struct td_task_watch *watch, struct td_task_event *event)
{
	return td_task_queue_next(&watch->queue, event);
}

uint64_t td_task_watch_lost(const struct td_task_watch *watch)
{
	uint64_t lost = 0;

	if (!watch->counts_lost)
		return watch->reported_lost;
	for (int cpu = 0; cpu < watch->nr_cpus; cpu++)
		lost += watch->lost[cpu];
	return lost;
}

int td_task_watch_fd(const struct td_task_watch *watch)
{
	return watch->epoll;
}
