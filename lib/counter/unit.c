// SPDX-License-Identifier: GPL-2.0-only
/* An open group on one CPU, in one task or cgroup: a unit of CPUs x tasks. */
#include <errno.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"

void td_report_cell(const struct td_counter_setup *setup, const struct td_open_group *group,
		    const struct perf_evsel *evsel, int cpu, int thread, int fd)
{
	setup->opened(setup->ctx, &evsel->attr, perf_thread_map__pid(group->threads, thread),
		      td_group_cpu(group, cpu),
		      evsel->leader == evsel || fd < 0 ? -1
						       : td_event_fd(evsel->leader, cpu, thread),
		      fd);
}

int td_open_cell(const struct td_open_group *group, struct perf_evsel *evsel, int cpu, int thread)
{
	int leader = evsel->leader == evsel ? -1 : td_event_fd(evsel->leader, cpu, thread);
	int *fd = xyarray__entry(evsel->fd, (size_t)cpu, (size_t)thread);
	unsigned long flags = group->cgroup ? PERF_FLAG_PID_CGROUP : 0;

	if (!fd)
		return -EINVAL;
	*fd = (int)syscall(SYS_perf_event_open, &evsel->attr,
			   perf_thread_map__pid(group->threads, thread), td_group_cpu(group, cpu),
			   leader, flags | PERF_FLAG_FD_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

void td_close_unit(const struct td_open_group *group, int cpu, int thread)
{
	for (size_t i = group->nr; i > 0; i--) {
		const struct perf_evsel *evsel = group->evsels[i - 1];
		int *fd = evsel->fd ? xyarray__entry(evsel->fd, (size_t)cpu, (size_t)thread) : NULL;

		if (fd)
			td_close_fd(fd);
	}
}

static int open_member(const struct td_counter_setup *setup, const struct td_open_group *group,
		       size_t i, int cpu, int thread)
{
	struct perf_evsel *evsel = group->evsels[i];
	const char *filter = setup->plan->events.v[group->members[i]].filter;
	int rc = td_open_cell(group, evsel, cpu, thread);
	int fd = td_event_fd(evsel, cpu, thread);

	if (setup->opened)
		td_report_cell(setup, group, evsel, cpu, thread, rc ? rc : fd);
	if (!rc && filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		rc = -errno;
	return rc;
}

int td_open_unit(const struct td_counter_setup *setup, const struct td_open_group *group, int cpu,
		 int thread)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < group->nr; i++)
		rc = open_member(setup, group, i, cpu, thread);
	if (rc)
		td_close_unit(group, cpu, thread);
	return rc;
}

static int switch_cell(const struct perf_evsel *evsel, int cpu, int thread, bool on)
{
	int fd = td_event_fd(evsel, cpu, thread);
	unsigned long how = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	return ioctl(fd, how, 0) ? -errno : 0;
}

int td_start_unit(const struct td_counter *counter, const struct td_open_group *group, int cpu,
		  int thread)
{
	const bool *off = counter->off;
	int rc = 0;

	/* the members of a group that is off stay enabled, and wait for the leader */
	if (td_group_is_off(group->family, &counter->enabled))
		return 0;
	if (group->cgroup)
		td_go_to_cpu(td_group_cpu(group, cpu));
	if (!off[group->members[0]])
		rc = switch_cell(group->evsels[0], cpu, thread, true);
	for (size_t i = 1; !rc && i < group->nr; i++) {
		if (off[group->members[i]])
			rc = switch_cell(group->evsels[i], cpu, thread, false);
	}
	return rc;
}
