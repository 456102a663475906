// SPDX-License-Identifier: GPL-2.0-only
/* Enables and disables open counters. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lib/counter/parts.h"

struct td_home td_leave_home(const struct td_counter *counter)
{
	struct td_home home = { 0 };

	home.is_left = counter->setup.target->cgroups.nr &&
		       sched_getaffinity(0, sizeof(home.cpus), &home.cpus) == 0;
	return home;
}

/*
 * Switches an event on each CPU and task.  For cgroups this is done on the CPU
 * itself: their clock starts with the task switch that follows.
 */
static int switch_evsel(const struct td_open_group *group, const struct perf_evsel *evsel, bool on)
{
	int nr_threads = perf_thread_map__nr(group->threads);
	int nr = td_group_units(group);

	for (int unit = 0; unit < nr; unit++) {
		int cpu = unit / nr_threads;
		int fd = td_event_fd(evsel, cpu, unit % nr_threads);

		if (group->cgroup && unit % nr_threads == 0)
			td_go_to_cpu(td_group_cpu(group, cpu));
		if (fd >= 0 && ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE))
			return -errno;
	}
	return 0;
}

/* Switching the leader switches the whole group. */
int td_switch_group(const struct td_open_group *group, bool on, int event)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < group->nr; i++) {
		if (event < 0 ? i == 0 : group->members[i] == event)
			rc = switch_evsel(group, group->evsels[i], on);
	}
	return rc;
}

bool td_group_is_off(int family, const struct td_ints *enabled)
{
	return family && !td_ints_has(enabled, family);
}

int td_switch_error(bool on, int rc, struct td_err *err)
{
	return td_err_set(err, rc, "cannot %s the counters: %s", on ? "start" : "stop",
			  strerror(-rc));
}

int td_switch_set(const struct td_open_set *set, const struct td_ints *enabled, bool on, int event,
		  struct td_err *err)
{
	for (size_t i = 0; i < set->nr_groups; i++) {
		const struct td_open_group *group = &set->groups[i];
		int rc = 0;

		if (event >= 0 || !td_group_is_off(group->family, enabled))
			rc = td_switch_group(group, on, event);
		if (rc)
			return td_switch_error(on, rc, err);
	}
	return 0;
}

void td_counter_note_off(struct td_counter *counter)
{
	const struct td_plan *plan = counter->setup.plan;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		for (size_t i = 0; group->family && i < group->nr; i++)
			counter->off[group->members[i]] =
				td_group_is_off(group->family, &counter->enabled);
	}
}
