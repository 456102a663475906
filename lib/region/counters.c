// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/region/parts.h"

#define PAGE 4096

/* --- read() ----------------------------------------------------------------- */

struct group_read {
	uint64_t nr, enabled_ns, running_ns;
	struct {
		uint64_t count, id;
	} events[TD_REGION_VALUES];
};

/*
 * Returns true if the descriptor is still an event.  The program may have closed it, as daemons do,
 * and have opened a file with the same number, which must not be read.  Only events return ENOSPC
 * for a read() without room (__perf_read() in kernel/events/core.c).  read() is used because a
 * sandbox might end the program for other system calls.
 */
static bool is_event(int fd)
{
	uint64_t none;

	return read(fd, &none, 0) < 0 && errno == ENOSPC;
}

static int read_group(const struct td_group_counters *group, size_t nr, struct group_read *buffer)
{
	size_t size = offsetof(struct group_read, events) + nr * sizeof(buffer->events[0]);
	ssize_t got;

	if (!is_event(group->fds[0]))
		return -EBADF;
	got = read(group->fds[0], buffer, size);
	if (got < 0)
		return -errno;
	return (size_t)got == size && buffer->nr == nr && buffer->events[0].id == group->id
		       ? 0
		       : -EBADF;
}

/* --- opening ---------------------------------------------------------------- */

static int open_event(const struct td_group_spec_event *event, bool user_only, int leader)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config[0],
		.config1 = event->config[1],
		.config2 = event->config[2],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		/*
		 * If SLOTS is enabled alone, it does not begin at 0, and continues from its value
		 * when its fields are added (icl_set_topdown_event_period() in
		 * arch/x86/events/intel/core.c).
		 */
		.disabled = leader < 0,
		.exclude_user = event->kernel_only,
		.exclude_kernel = event->user_only || user_only,
		.exclude_hv = event->user_only || user_only,
		/*
		 * Regions belong to this program, not to guests.  Also, if guests own the PMU, none
		 * can start while they are counted (perf_create_mediated_pmu() in
		 * kernel/events/core.c).
		 */
		.exclude_guest = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* Returns true if RDPMC needs the event's page.  Fields use the page of their leader. */
static bool needs_page(const struct td_thread_counters *counters, size_t g, size_t i)
{
	size_t first = counters->spec->groups[g].first;

	return i == 0 || counters->spec->events[first + i].kind == TD_GROUP_SPEC_PLAIN;
}

/* Maps an event's page.  Without the page, all counters are read with read(). */
static void map_event(struct td_thread_counters *counters, struct td_group_counters *group,
		      size_t i)
{
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, group->fds[i], 0);

	group->pages[i] = page == MAP_FAILED ? NULL : page;
	if (group->pages[i])
		group->nr_pages = i + 1;
	if (!group->pages[i] || !group->pages[i]->cap_user_rdpmc)
		counters->rdpmc = false;
}

static int open_group(struct td_thread_counters *counters, size_t g,
		      const struct td_descriptors *descriptors)
{
	const struct td_group_spec_group *spec = &counters->spec->groups[g];
	struct td_group_counters *group = &counters->groups[g];

	for (size_t i = 0; i < spec->nr; i++) {
		const struct td_group_spec_event *event = &counters->spec->events[spec->first + i];
		int leader = i ? group->fds[0] : -1;
		int fd = open_event(event, counters->user_only, leader);

		/* this user may lack the right to count the kernel */
		if (fd == -EACCES && !counters->user_only) {
			counters->user_only = true;
			fd = open_event(event, true, leader);
		}
		if (fd < 0)
			return fd;
		group->fds[i] = td_descriptors_move(descriptors, fd);
		if (needs_page(counters, g, i))
			map_event(counters, group, i);
	}
	if (ioctl(group->fds[0], PERF_EVENT_IOC_ID, &group->id) != 0 ||
	    ioctl(group->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0)
		return -errno;
	return 0;
}

/*
 * Closes the parent's counters in a child.  Their pages are not mapped in the child, which may have
 * mapped other memory there (perf_mmap() in kernel/events/core.c).
 */
void td_thread_counters_forget(struct td_thread_counters *counters)
{
	for (size_t g = 0; g < counters->spec->nr_groups; g++) {
		struct td_group_counters *group = &counters->groups[g];
		uint64_t id;

		/* no read() here: it would reset the parent's PERF_METRICS */
		if (ioctl(group->fds[0], PERF_EVENT_IOC_ID, &id) != 0 || id != group->id)
			continue;
		for (size_t i = 0; i < counters->spec->groups[g].nr; i++)
			close(group->fds[i]);
	}
	td_descriptors_give_back(counters->spec->nr_events);
}

void td_thread_counters_close(struct td_thread_counters *counters)
{
	for (size_t g = 0; g < counters->spec->nr_groups; g++) {
		struct td_group_counters *group = &counters->groups[g];
		size_t nr = counters->spec->groups[g].nr;
		struct group_read unused;
		bool ours = !group->id || read_group(group, nr, &unused) == 0;

		for (size_t i = 0; i < nr; i++) {
			if (group->pages[i])
				munmap(group->pages[i], PAGE);
			if (group->fds[i] >= 0 && ours)
				close(group->fds[i]);
			group->pages[i] = NULL;
			group->fds[i] = -1;
		}
		group->nr_pages = 0;
	}
	td_descriptors_give_back(counters->spec->nr_events);
}

int td_thread_counters_open(struct td_thread_counters *counters, const struct td_group_spec *spec,
			    struct td_moment *begin)
{
	struct td_descriptors descriptors;
	int rc = td_descriptors_begin(&descriptors, spec->nr_events);

	if (rc)
		return rc;
	memset(counters, 0, sizeof(*counters));
	counters->spec = spec;
	counters->rdpmc = !spec->read_only && td_rseq_works();
	for (size_t g = 0; g < TD_REGION_GROUPS; g++) {
		for (size_t i = 0; i < TD_REGION_VALUES; i++)
			counters->groups[g].fds[i] = -1;
	}
	for (size_t g = 0; !rc && g < spec->nr_groups; g++)
		rc = open_group(counters, g, &descriptors);
	td_descriptors_end(&descriptors);
	if (!rc)
		rc = td_thread_counters_restart(counters, begin);
	if (rc)
		td_thread_counters_close(counters);
	return rc;
}

/* --- totals ----------------------------------------------------------------- */

/* Stores the totals from the kernel's counts, in which fields are in slots. */
static void store_counts(struct td_thread_counters *counters, size_t g,
			 const struct group_read *now)
{
	const struct td_group_spec_group *group = &counters->spec->groups[g];

	for (size_t i = 0; i < group->nr; i++) {
		size_t e = group->first + i;
		int kind = counters->spec->events[e].kind;
		uint64_t more = now->events[i].count - counters->counts[e];

		if (kind == TD_GROUP_SPEC_PLAIN)
			counters->totals[e] = now->events[i].count - counters->skipped[e];
		else
			counters->totals[e] =
				counters->before[e] +
				(kind == TD_GROUP_SPEC_SLOTS ? more : more * TD_REGION_FIELD_WHOLE);
	}
}

/*
 * Notes the values at a reset of PERF_METRICS.  The kernel only resets it if the group is counting.
 */
static void begin_anew(struct td_thread_counters *counters, size_t g, const struct group_read *now)
{
	const struct td_group_spec_group *spec = &counters->spec->groups[g];

	for (size_t i = 0; i < spec->nr; i++) {
		counters->before[spec->first + i] = counters->totals[spec->first + i];
		counters->counts[spec->first + i] = now->events[i].count;
	}
	counters->groups[g].slots_now = 0;
}

/* --- both ------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Returns the time that the thread ran without being counted: the enabled time of the current core
 * type's group, minus the running times of all groups.  A thread is on one core type at a time.
 * The current group's times were read together, and those of other groups have not changed since.
 */
static uint64_t uncounted_ns(const struct td_thread_counters *counters, uint32_t group)
{
	uint64_t running = 0;

	for (size_t g = 0; g < counters->spec->nr_groups; g++)
		running += counters->groups[g].running_ns;
	return counters->groups[group ? group - 1 : 0].enabled_ns - running;
}

/*
 * An interval is lost if the thread ran without its counters for more than 1/UNCOUNTED_PART of the
 * time.
 */
#define UNCOUNTED_PART 100

/*
 * maximum difference between the enabled times of two groups, because they are opened one after the
 * other
 */
#define SKEW_NS 100000

bool td_moment_is_lost(const struct td_moment *from, const struct td_moment *to)
{
	int64_t uncounted_ns = (int64_t)(to->uncounted_ns - from->uncounted_ns);
	int64_t least_ns = from->group == to->group ? 0 : SKEW_NS;

	return uncounted_ns > least_ns &&
	       (uint64_t)uncounted_ns > (to->time_ns - from->time_ns) / UNCOUNTED_PART;
}

static void fill(const struct td_thread_counters *counters, struct td_moment *moment)
{
	const struct td_group_spec *spec = counters->spec;

	memcpy(moment->totals, counters->totals, spec->nr_events * sizeof(moment->totals[0]));
	moment->time_ns = now_ns();
	moment->switches = 0;
	for (size_t g = 0; g < spec->nr_groups; g++)
		moment->switches += td_pmc_lock(&counters->groups[g]);
	moment->cpu = td_rseq_cpu();
	moment->group = td_group_spec_group_of(spec, moment->cpu);
	moment->uncounted_ns = uncounted_ns(counters, moment->group);
	moment->waited_ns = counters->waited_ns;
}

/*
 * Removes the cost of a read() from the totals, which stay as they were before it.  If the thread
 * has lost its CPU in the meantime, the cost is unknown and stays.
 */
static void leave_out(struct td_thread_counters *counters, size_t g,
		      const uint64_t totals[TD_REGION_VALUES])
{
	const struct td_group_spec_group *group = &counters->spec->groups[g];
	enum td_look look = td_pmc_look(counters, g);

	for (size_t e = group->first; e < group->first + group->nr; e++) {
		uint64_t cost = counters->totals[e] - totals[e];

		counters->totals[e] = totals[e];
		if (look != TD_LOOKED)
			continue;
		if (counters->spec->events[e].kind == TD_GROUP_SPEC_PLAIN)
			counters->skipped[e] += cost;
		else
			counters->before[e] -= cost;
	}
}

/*
 * Reads a group and resets PERF_METRICS.  Raises *step to the group's slots since the last reset.
 */
static int restart_group(struct td_thread_counters *counters, size_t g, uint64_t *step)
{
	const struct td_group_spec_group *spec = &counters->spec->groups[g];
	struct td_group_counters *group = &counters->groups[g];
	enum td_look look = counters->rdpmc ? td_pmc_look(counters, g) : TD_DISTURBED;
	uint64_t totals[TD_REGION_VALUES];
	struct group_read now;
	int rc = read_group(group, spec->nr, &now);

	if (rc)
		return rc;
	if (spec->has_fields && now.events[0].count - counters->counts[spec->first] > *step)
		*step = now.events[0].count - counters->counts[spec->first];
	if (look != TD_LOOKED)
		store_counts(counters, g, &now);
	memcpy(totals, counters->totals, sizeof(totals));
	/* if a group is not counting, the kernel saves its PERF_METRICS and restores it later */
	if (look != TD_ASLEEP)
		begin_anew(counters, g, &now);
	if (look == TD_LOOKED)
		leave_out(counters, g, totals);
	group->enabled_ns = now.enabled_ns;
	group->running_ns = now.running_ns;
	group->lock = td_pmc_lock(group);
	return 0;
}

int td_thread_counters_restart(struct td_thread_counters *counters, struct td_moment *moment)
{
	int rc = 0;

	moment->step = 0;
	moment->fresh = true;
	for (size_t g = 0; !rc && g < counters->spec->nr_groups; g++)
		rc = restart_group(counters, g, &moment->step);
	fill(counters, moment);
	/* events of a thread are enabled whenever it has a CPU */
	counters->waited_ns = moment->waited_ns = moment->time_ns - counters->groups[0].enabled_ns;
	return rc;
}

int td_thread_counters_look(struct td_thread_counters *counters, struct td_moment *moment)
{
	uint64_t step = 0;
	bool counts = false;

	for (size_t g = 0; g < counters->spec->nr_groups; g++) {
		struct td_group_counters *group = &counters->groups[g];
		enum td_look look;

		if (!counters->rdpmc || td_pmc_lock(group) != group->lock)
			return td_thread_counters_restart(counters, moment);
		look = td_pmc_look(counters, g);
		if (look == TD_DISTURBED)
			return td_thread_counters_restart(counters, moment);
		counts |= look == TD_LOOKED;
		if (group->slots_now > step)
			step = group->slots_now;
	}
	/* only read() returns how long nothing was counted */
	if (!counts)
		return td_thread_counters_restart(counters, moment);
	moment->step = step;
	moment->fresh = false;
	fill(counters, moment);
	return 0;
}
