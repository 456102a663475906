// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling with a PMU that traces.  On each CPU, it writes into its own ring.  Records in another
 * ring assign parts of the trace to threads.
 */
#include <linux/perf_event.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#include "lib/base/util.h"
#include "lib/sample/sampler_parts.h"

/* --- opening ---------------------------------------------------------------- */

/* Excludes the kernel, because tracing it needs more rights. */
static struct perf_event_attr make_attr(const struct td_sampler *sampler)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	const struct td_companion none = { 0 };
	struct perf_event_attr attr = td_sampler_companion_attr(sampler, &none);

	attr.type = setup->trace.type;
	attr.config = setup->trace.config;
	attr.disabled = 1;
	attr.enable_on_exec = setup->target->enable_on_exec;
	attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

static int no_trace(int rc, const char *what, struct td_err *err)
{
	td_err_set(err, rc, "Processor Trace: %s%s", what, strerror(-rc));
	return rc == -EBUSY ? td_err_hint(err, "another program uses Processor Trace") : rc;
}

static int open_evsel(struct td_sampler *sampler, struct perf_event_attr *attr,
		      const struct td_ints *cpus, int event, struct perf_evsel **evsel,
		      struct td_err *err)
{
	int rc;

	*evsel = td_sampler_add_evsel(sampler, attr, cpus, event);
	rc = perf_evsel__open(*evsel, (*evsel)->cpus, (*evsel)->threads);
	if (rc)
		no_trace(rc, "", err);
	return rc == -EACCES || rc == -EPERM
		       ? td_err_hint(err,
				     "sysctl kernel.perf_event_paranoid=2 allows it for your own "
				     "programs")
		       : rc;
}

/*
 * Inherited events with PERF_SAMPLE_READ keep the kernel from handing one thread's open events
 * to the next thread on the CPU (nr_no_switch_fast in kernel/events/core.c).  So everything
 * that a CPU traced up to a record belongs to one thread.
 */
static int open_tracer(struct td_sampler *sampler, struct perf_evsel **evsel, struct td_err *err)
{
	const struct td_ints *cpus = &sampler->setup.machine->online;
	struct perf_event_attr attr = make_attr(sampler);
	int rc = open_evsel(sampler, &attr, cpus, -1, evsel, err);

	if (rc != -EINVAL || !td_sampler_leave_children(&sampler->setup))
		return rc;
	td_sampler_drop_evsel(sampler, *evsel);
	attr = make_attr(sampler);
	return open_evsel(sampler, &attr, cpus, -1, evsel, err);
}

/* Refuses an event that the kernel refuses.  It is an error only if a thread has just ended. */
static int open_sampled(struct td_sampler *sampler, const struct td_group *group, size_t i,
			struct td_err *err)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	struct perf_event_attr attr = td_sampler_attr(sampler, group, i);
	int at = group->members[i];
	struct td_event *event = &setup->plan->events.v[at];
	struct perf_evsel *evsel;
	int rc;

	attr.disabled = 1;
	attr.enable_on_exec = setup->target->enable_on_exec;
	attr.exclude_kernel = attr.exclude_hv = 1;
	rc = open_evsel(sampler, &attr, &setup->machine->pmus[group->pmu].cpus, at, &evsel, err);
	if (!rc || rc == -ESRCH)
		return rc;
	*err = (struct td_err){ 0 };
	td_sampler_drop_evsel(sampler, evsel);
	td_event_refuse(event, strerror(-rc), setup->notes);
	return 0;
}

static int open_all_sampled(struct td_sampler *sampler, struct td_err *err)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	const struct td_plan *plan = setup->plan;
	int rc = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		for (size_t i = 0; !rc && i < plan->groups[g].nr; i++) {
			if (setup->how[plan->groups[g].members[i]].period)
				rc = open_sampled(sampler, &plan->groups[g], i, err);
		}
	}
	return rc;
}

int td_sampler_open_trace(struct td_sampler *sampler, struct td_err *err)
{
	const struct td_sampler_setup *setup = &sampler->setup;
	struct perf_event_attr attr;
	struct perf_evsel *evsel;
	int rc = open_tracer(sampler, &evsel, err);

	if (!rc && perf_evsel__apply_filter(evsel, setup->trace.filter))
		rc = no_trace(-errno, "the address filter: ", err);
	for (size_t i = 0; !rc && i < setup->nr_companions; i++) {
		attr = td_sampler_companion_attr(sampler, &setup->companions[i]);
		attr.exclude_kernel = attr.exclude_hv = 1;
		rc = open_evsel(sampler, &attr, &setup->machine->online,
				td_sampler_companion(setup, 0, i), &evsel, err);
	}
	return rc ?: open_all_sampled(sampler, err);
}

/* --- turns ------------------------------------------------------------------ */

void td_sampler_pause_trace(struct td_sampler *sampler)
{
	sampler->paused = true;
	perf_evsel__disable(perf_evlist__first(sampler->evlist));
}

int td_sampler_resume_trace(struct td_sampler *sampler, const char *filter, struct td_err *err)
{
	struct perf_evsel *evsel = perf_evlist__first(sampler->evlist);

	if (perf_evsel__apply_filter(evsel, filter))
		return no_trace(-errno, "the address filter: ", err);
	sampler->paused = false;
	perf_evsel__enable(evsel);
	return 0;
}

/* Returns how long an event counted on some of its CPUs. */
static uint64_t ran_ns(const struct perf_evsel *evsel, const struct perf_cpu_map *cpus)
{
	uint64_t values[TD_SAMPLER_VALUES], sum = 0;

	for (int x = 0; x < xyarray__max_x(evsel->fd); x++) {
		if (!perf_cpu_map__has(cpus, perf_cpu_map__cpu(evsel->cpus, x)))
			continue;
		for (int y = 0; y < xyarray__max_y(evsel->fd); y++) {
			/* value, time enabled, time running */
			if (td_sampler_values(evsel, x, y, values))
				sum += values[2];
		}
	}
	return sum;
}

/*
 * At a command's exec(), the counters on its CPU start a few milliseconds late (4 to 14 on
 * Linux 6.12).
 */
#define LATE_NS (50 * TD_NS_A_MS)

double td_sampler_traced_pct(const struct td_sampler *sampler)
{
	const struct perf_evsel *software = NULL;
	struct perf_evsel *evsel;
	double min_pct = NAN;
	size_t i = 0;

	perf_evlist__for_each_evsel (sampler->evlist, evsel) {
		int event = sampler->events[i++];
		uint64_t all_ns, counted_ns;

		if (event == td_sampler_companion(&sampler->setup, 0, 0))
			software = evsel;
		if (!software || event < 0 || !evsel->fd ||
		    event >= (int)sampler->setup.plan->events.nr)
			continue;
		all_ns = ran_ns(software, evsel->cpus);
		counted_ns = ran_ns(evsel, evsel->cpus);
		if (td_since(all_ns, counted_ns) > LATE_NS)
			min_pct = fmin(min_pct, 100 * (double)counted_ns / (double)all_ns);
	}
	return min_pct;
}

/* --- rings ------------------------------------------------------------------ */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int map_area(struct td_sampler *sampler, struct perf_mmap *map, size_t size)
{
	struct perf_event_mmap_page *page = map->base;
	size_t at = sampler->nr_traces;
	void *area;

	page->aux_offset = page_size() + (size_t)map->mask + 1;
	page->aux_size = size;
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, map->fd,
		    (off_t)page->aux_offset);
	if (area == MAP_FAILED)
		return -errno;
	td_array_add(&sampler->traces, at, sizeof(*sampler->traces));
	sampler->traces[at].map = map;
	sampler->traces[at].area = area;
	sampler->traces[at].size = size;
	sampler->nr_traces++;
	return 0;
}

static void unmap_areas(struct td_sampler *part)
{
	for (size_t i = 0; i < part->nr_traces; i++) {
		munmap(part->traces[i].area, part->traces[i].size);
		free(part->traces[i].bytes);
	}
	part->nr_traces = 0;
}

static int map_areas(struct td_sampler *sampler, size_t size)
{
	struct perf_mmap *map;

	perf_evlist__for_each_mmap(sampler->evlist, map, false)
	{
		int rc = map_area(sampler, map, size);

		if (rc) {
			unmap_areas(sampler);
			return rc;
		}
	}
	return 0;
}

static bool knows_time(const struct td_sampler *sampler)
{
	const struct perf_event_mmap_page *page;

	if (!sampler->nr_traces)
		return false;
	page = sampler->traces[0].map->base;
	return page->cap_user_time && page->cap_user_time_zero;
}

int td_sampler_map_trace(struct td_sampler *sampler, struct td_err *err)
{
	int max = sampler->setup.trace.max_pages, pages = max, rc = 0;

	if (!sampler->setup.trace.type)
		return 0;
	for (; pages; pages /= 2) {
		rc = map_areas(sampler, (size_t)pages * page_size());
		if (rc != -EPERM && rc != -ENOMEM)
			break;
	}
	if (rc)
		return no_trace(rc, "its rings: ", err);
	if (!knows_time(sampler))
		return no_trace(-ENOTSUP,
				"the time stamp counter is not a clock of the kernel: ", err);
	if (pages < max)
		td_notes_add(
			sampler->setup.notes,
			"rings of %d pages a CPU for the trace, not %d: kernel.perf_event_mlock_kb "
			"does not allow more",
			pages, max);
	return 0;
}

void td_sampler_close_trace(struct td_sampler *part)
{
	unmap_areas(part);
	free(part->traces);
	part->traces = NULL;
}

/* --- reading ---------------------------------------------------------------- */

/* Drops the bytes that were taken. */
static void drop_used(struct td_sampler *part, size_t at)
{
	uint64_t used = td_since(part->traces[at].used, part->traces[at].from);

	if (used > part->traces[at].nr)
		used = part->traces[at].nr;
	/* drops at least half of the bytes, so that no byte is moved twice */
	if (used < part->traces[at].nr - used)
		return;
	part->traces[at].nr -= used;
	part->traces[at].from += used;
	if (used)
		memmove(part->traces[at].bytes, part->traces[at].bytes + used, part->traces[at].nr);
}

static void keep(struct td_sampler *part, size_t at, uint64_t tail, uint64_t head)
{
	size_t size = part->traces[at].size, nr = (size_t)(head - tail);
	size_t begin = (size_t)tail % size, room = size - begin;
	uint8_t *bytes = td_realloc(part->traces[at].bytes, part->traces[at].nr + nr);

	part->traces[at].bytes = bytes;
	bytes += part->traces[at].nr;
	if (room > nr)
		room = nr;
	memcpy(bytes, part->traces[at].area + begin, room);
	memcpy(bytes + room, part->traces[at].area, nr - room);
	part->traces[at].nr += nr;
}

/* Bytes that are kept per CPU.  If decoding is slower than tracing, the rest is lost. */
#define MAX_KEPT ((size_t)64 << 20)

/*
 * Restarts tracing after the ring was full: the PMU has stopped, although the event may still
 * be enabled (intel_pt_interrupt() in arch/x86/events/intel/pt.c).
 */
static void switch_on(const struct td_sampler *part, size_t at)
{
	struct perf_evsel *evsel = perf_evlist__first(part->evlist);
	int cpu = perf_cpu_map__idx(evsel->cpus, part->traces[at].map->cpu);

	part->traces[at].cut = false;
	if (part->off || part->paused || cpu < 0)
		return;
	perf_evsel__disable_cpu(evsel, cpu);
	perf_evsel__enable_cpu(evsel, cpu);
	part->traces[at].on_ns[part->traces[at].nr_on++ % TD_SWITCHED_ON] =
		td_sampler_trace_ns(part, __rdtsc());
}

void td_sampler_note_trace(struct td_sampler *part, const struct perf_mmap *map,
			   const struct td_record *record)
{
	for (size_t i = 0; i < part->nr_traces; i++)
		part->traces[i].cut |= record->cut && part->traces[i].map == map;
}

static void read_one(struct td_sampler *part, size_t at)
{
	struct perf_event_mmap_page *page = part->traces[at].map->base;
	uint64_t head = __atomic_load_n(&page->aux_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->aux_tail;

	drop_used(part, at);
	if (head == tail || part->traces[at].nr > MAX_KEPT)
		return;
	keep(part, at, tail, head);
	__atomic_store_n(&page->aux_tail, head, __ATOMIC_RELEASE);
}

void td_sampler_read_trace(struct td_sampler *part)
{
	for (size_t i = 0; i < part->nr_traces; i++) {
		read_one(part, i);
		/* without room, tracing would stop again without a record */
		if (part->traces[i].cut && part->traces[i].nr <= MAX_KEPT)
			switch_on(part, i);
	}
}

/*
 * Returns the bytes of a record.  Only tasks are traced, so there are no further samplers for CPUs
 * that come online.
 */
uint8_t *td_sampler_trace(struct td_sampler *sampler, const struct td_record *record)
{
	for (size_t i = 0; i < sampler->nr_traces; i++) {
		uint64_t at = record->offset - sampler->traces[i].from;

		if (sampler->traces[i].map->cpu.cpu != record->cpu ||
		    record->offset < sampler->traces[i].from || at > sampler->traces[i].nr ||
		    record->length > sampler->traces[i].nr - at)
			continue;
		sampler->traces[i].used = record->offset + record->length;
		return sampler->traces[i].bytes + at;
	}
	return NULL;
}

uint64_t td_sampler_trace_on_ns(const struct td_sampler *sampler, const struct td_record *record)
{
	uint64_t first_ns = td_sampler_trace_ns(sampler, __rdtsc());

	for (size_t i = 0; i < sampler->nr_traces; i++) {
		if (sampler->traces[i].map->cpu.cpu != record->cpu)
			continue;
		for (size_t j = 0; j < TD_SWITCHED_ON; j++) {
			uint64_t on_ns = sampler->traces[i].on_ns[j];

			if (on_ns > record->time_ns && on_ns < first_ns)
				first_ns = on_ns;
		}
	}
	return first_ns;
}

/*
 * Converts a time as documented at perf_event_mmap_page.  The factors do not change while the TSC
 * is stable.
 */
uint64_t td_sampler_trace_ns(const struct td_sampler *sampler, uint64_t tsc)
{
	const struct perf_event_mmap_page *page = sampler->traces[0].map->base;
	uint64_t whole = tsc >> page->time_shift;
	uint64_t rest = tsc - (whole << page->time_shift);

	return page->time_zero + whole * page->time_mult +
	       ((rest * page->time_mult) >> page->time_shift);
}
