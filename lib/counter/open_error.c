// SPDX-License-Identifier: GPL-2.0-only
#include "lib/counter/open_error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/number.h"
#include "lib/counter/probe.h"
#include "lib/machine/sysfs.h"

/* The running kernel refused, so its own file counts, not a saved one. */
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* Switches happen in the kernel, so user space has none to count. */
static bool is_kernels_own(const struct td_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config[0] == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		event->config[0] == PERF_COUNT_SW_CPU_MIGRATIONS ||
		event->config[0] == PERF_COUNT_SW_CGROUP_SWITCHES);
}

bool td_event_needs_kernel(const struct td_event *event)
{
	const struct td_modifiers *mods = &event->mods;

	return is_kernels_own(event) ||
	       (!mods->user && (mods->kernel || mods->hypervisor));
}

/* The value of perf_event_paranoid, or -1. */
static int paranoid(void)
{
	char text[16];
	int value;

	if (td_sysfs_read_at(AT_FDCWD, PARANOID, text, sizeof(text)) < 0 ||
	    td_parse_int(text, 0, INT_MAX, &value))
		return -1;
	return value;
}

/* What the setting must be at most, for what was asked. */
static int paranoid_for(bool kernel, bool system_wide)
{
	if (system_wide)
		return 0;
	return kernel ? 1 : 2;
}

/*
 * One command to paste.  perf_allow_cpu() and its like in the kernel's
 * include/linux/perf_event.h have the limits.
 */
static int say_what_it_needs(struct td_err *err, bool kernel, bool system_wide,
			     const char *otherwise)
{
	int value = paranoid(), most = paranoid_for(kernel, system_wide);
	char is[32] = "";

	if (value >= 0 && value <= most)
		return td_err_hint(err,
				   "root may, and tdstat with CAP_PERFMON: "
				   "tdstat doctor has the command");
	if (value >= 0)
		snprintf(is, sizeof(is), " (it is %d)", value);
	/* above 2, Debian's kernel does not look at CAP_PERFMON */
	return td_err_hint(
		err, "%s sysctl kernel.perf_event_paranoid=%d allows it%s%s",
		geteuid() ? "sudo" : "on the host of this container:", most, is,
		value > 2 ? "" : otherwise);
}

static int no_rights(struct td_err *err, int rc, const struct td_event *e,
		     const char *pmu, const struct td_target *target)
{
	const char *event = e->name;
	bool ibs = td_pmu_kind(pmu) == TD_PMU_IBS;
	bool kernel =
		target->exclude_kernel && (td_event_needs_kernel(e) || ibs);
	const char *whom = kernel                ? "the kernel"
			   : target->system_wide ? "whole CPUs"
						 : "processes";

	if (kernel && ibs)
		td_err_set(err, rc,
			   "%s: %s cannot leave out the kernel, which this "
			   "user may not sample: %s",
			   event, pmu, strerror(-rc));
	else
		td_err_set(err, rc, "%s: this user may not count %s: %s", event,
			   whom, strerror(-rc));
	return say_what_it_needs(err, kernel, target->system_wide,
				 kernel && ibs && !target->system_wide
					 ? "; tdstat profile works without it"
					 : "; tdstat doctor has other ways");
}

/* An event that the hardware or its driver does not support as requested. */
static int not_countable(struct td_err *err, int rc,
			 const struct td_event *event, const char *pmu,
			 const struct td_target *target)
{
	const char *name = event->name;

	if (event->mods.precise)
		return td_err_set(err, rc,
				  "%s: %s does not count it: p is for sampling",
				  name, pmu);
	if (td_pmu_kind(pmu) == TD_PMU_SOFTWARE)
		return td_err_set(err, rc, "%s: the kernel refuses it: %s",
				  name, strerror(-rc));
	if (rc == -EINVAL && td_event_is_metric(event))
		return td_err_set(err, rc,
				  "%s: a field of slots can only be counted "
				  "in a group that slots leads",
				  name);
	if (rc == -ENOENT || rc == -EOPNOTSUPP)
		td_err_set(err, rc, "%s: %s does not have this event (%s)",
			   name, pmu, strerror(-rc));
	else if (!target->system_wide && td_pmu_kind(pmu) == TD_PMU_OTHER)
		td_err_set(err, rc,
			   "%s: %s counts whole CPUs, not a task: it needs -a",
			   name, pmu);
	else if (!target->system_wide && td_pmu_kind(pmu) == TD_PMU_IBS &&
		 !event->mods.user && !event->mods.kernel)
		td_err_set(err, rc,
			   "%s: %s samples tasks from Linux 6.2 on, and whole "
			   "CPUs before (-a): %s",
			   name, pmu, strerror(-rc));
	else if (event->group >= 0)
		td_err_set(err, rc,
			   "%s: %s cannot count it together with its group: "
			   "the events are too many, or need the same "
			   "counter (%s)",
			   name, pmu, strerror(-rc));
	else
		td_err_set(err, rc, "%s: the kernel cannot count it on %s: %s",
			   name, pmu, strerror(-rc));
	return td_err_hint(err, "dmesg may say why; in a virtual machine, the "
				"host decides what there is to count");
}

/*
 * The errors of perf_event_open(2); for EINVAL see
 * arch/x86/events/intel/core.c.
 */
int td_open_error(struct td_err *err, int rc, const struct td_event *e,
		  const char *pmu, const struct td_target *target)
{
	const char *event = e->name;

	if (td_filter_error(err, rc, event))
		return rc;
	switch (-rc) {
	case EACCES:
	case EPERM:
		return no_rights(err, rc, e, pmu, target);
	case EBUSY:
		td_err_set(err, rc, "%s: the counters of %s are taken", event,
			   pmu);
		return td_err_hint(err, "end the other profiler, or the "
					"virtual machine, that holds them");
	case EMFILE:
	case ENFILE:
		td_err_set(err, rc, "%s: %s", event, strerror(-rc));
		return td_err_hint(err, "raise the limit (ulimit -n), or count "
					"fewer CPUs (-C) or one PMU "
					"(--cputype)");
	case EINVAL:
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
		return not_countable(err, rc, e, pmu, target);
	case ENOSPC:
		return td_err_set(err, rc,
				  "%s: the processor has no free breakpoint "
				  "register",
				  event);
	case ENODEV:
		td_err_set(err, rc, "%s: a CPU of %s went offline", event, pmu);
		return td_err_hint(err, "try again");
	case ENOSYS:
		td_err_set(err, rc, "this kernel has no perf events");
		return td_err_hint(err, "it needs CONFIG_PERF_EVENTS");
	default:
		return td_err_set(err, rc, "%s: %s", event, strerror(-rc));
	}
}
