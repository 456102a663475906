// SPDX-License-Identifier: GPL-2.0-only
#include "lib/counter/probe.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/counter/parts.h"
#include "lib/machine/sysfs.h"

int td_dummy_open(int pid, int cpu, unsigned long flags)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = true,
		.exclude_kernel = true,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC | flags);
}

bool td_cgroup_probe(int fd, int cpu)
{
	bool none;

	fd = td_dummy_open(fd, cpu, PERF_FLAG_PID_CGROUP);
	none = fd < 0 && errno == ENOENT;
	td_close_fd(&fd); /* the real events report other errors */
	return !none;
}

/* Sets the filter on a disabled event of this thread. */
int td_tracepoint_ask(uint64_t id, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = true,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int rc = 0;

	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) && errno == EINVAL)
		rc = -EINVAL;
	td_close_fd(&fd);
	return rc;
}

/* Returns true if this process has a filter: mode 2 in proc_pid_status(5). */
static bool has_seccomp_filter(void)
{
	char text[8192];
	const char *line;
	int mode = 0;

	if (td_sysfs_read_at(AT_FDCWD, "/proc/self/status", text, sizeof(text)) < 0)
		return false;
	line = strstr(text, "\nSeccomp:");
	return line && sscanf(line, "\nSeccomp: %d", &mode) == 1 && mode == 2;
}

/*
 * Returns true if the call fails with rc even without attributes, for which the kernel itself
 * returns EFAULT, or EACCES without rights.
 */
static bool is_call_refused(int rc)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0UL) < 0 && errno == -rc;
}

/* A filter may return ENOSYS.  Without a filter, ENOSYS means a kernel without perf events. */
bool td_filter_error(struct td_err *err, int rc, const char *what)
{
	bool seccomp;

	if ((rc != -EPERM && rc != -ENOSYS) || !is_call_refused(rc))
		return false;
	seccomp = has_seccomp_filter();
	if (rc == -ENOSYS && !seccomp)
		return false;
	td_err_set(err, rc, "%s: perf_event_open(2) is forbidden here: %s", what, strerror(-rc));
	if (seccomp)
		td_err_hint(
			err,
			"a seccomp filter forbids it: docker and podman allow it with --cap-add "
			"PERFMON, or with --security-opt seccomp=FILE and a filter that has "
			"perf_event_open; systemd with SystemCallFilter=perf_event_open");
	else
		td_err_hint(
			err,
			"no seccomp filter forbids it, so it is a security module of the kernel: "
			"dmesg may say which");
	return true;
}

/* Returns true if perf_event_open() returns ENODEV, which means that the CPU is offline. */
static bool is_offline(int cpu)
{
	int fd = td_dummy_open(-1, cpu, 0);

	if (fd < 0)
		return errno == ENODEV;
	close(fd);
	return false;
}

void td_find_offline(const struct td_ints *cpus, struct td_ints *out)
{
	*out = (struct td_ints){ 0 };
	for (size_t i = 0; i < cpus->nr; i++) {
		if (is_offline(cpus->v[i]))
			td_ints_add(out, cpus->v[i]);
	}
}

/* INTEL_TD_SLOTS in arch/x86/include/asm/perf_event.h */
#define SLOTS_CONFIG 0x400

/* SLOTS is multiplexed with other programs that count it, every few milliseconds. */
#define TURN_US 5000
#define TURNS   8

static int slots_open(const struct td_pmu *pmu, int pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = pmu->type,
		.size = sizeof(attr),
		.config = SLOTS_CONFIG,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = true,
		/* no virtual machine can start beside an event that counts guests */
		.exclude_guest = true,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool has_run(int fd)
{
	struct {
		uint64_t count, running_ns;
	} values;

	return read(fd, &values, sizeof(values)) != sizeof(values) || values.running_ns;
}

/*
 * Returns true if the event runs, which only a pinned event of another program prevents.  It is
 * not pinned itself, because that would disturb other programs.
 */
static bool is_scheduled(int fd)
{
	for (int i = 0; i < TURNS; i++) {
		if (has_run(fd))
			return true;
		usleep(TURN_US);
	}
	return has_run(fd);
}

bool td_slots_probe(const struct td_pmu *pmu)
{
	int cpu = pmu->cpus.nr ? pmu->cpus.v[0] : 0;
	int fd = slots_open(pmu, -1, cpu);
	bool can = true;

	if (fd >= 0)
		can = is_scheduled(fd);
	else if (errno == EACCES || errno == EPERM)
		/*
		 * users may count their own tasks, which is enough to find out if the counter
		 * exists
		 */
		fd = slots_open(pmu, 0, -1);
	if (fd < 0)
		return errno != EINVAL && errno != ENOENT;
	close(fd);
	return can;
}

/*
 * Returns the clock rate from an event's page, which contains the conversion of ticks to
 * nanoseconds: ticks * time_mult >> time_shift (struct perf_event_mmap_page in
 * include/uapi/linux/perf_event.h).
 */
static uint64_t hz_of_page(const struct perf_event_mmap_page *page)
{
	if (!page->cap_user_time || !page->time_mult)
		return 0;
	return (uint64_t)llround(ldexp(1e9 / (double)page->time_mult, page->time_shift));
}

uint64_t td_tsc_hz_of_kernel(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = td_dummy_open(0, -1, 0);
	uint64_t hz = 0;
	void *page;

	if (fd < 0)
		return 0;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED) {
		hz = hz_of_page(page);
		munmap(page, size);
	}
	close(fd);
	return hz;
}

/* --- errors --------------------------------------------------------------- */

/* Always in /proc, even with a saved sysfs, because the running kernel has refused the call. */
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* Returns true for switches and migrations, which never happen in user space. */
static bool is_kernels_own(const struct td_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config[0] == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		event->config[0] == PERF_COUNT_SW_CPU_MIGRATIONS ||
		event->config[0] == PERF_COUNT_SW_CGROUP_SWITCHES);
}

bool td_event_needs_kernel(const struct td_event *event, const char *pmu)
{
	const struct td_modifiers *mods = &event->mods;

	/* PERF_PMU_CAP_NO_EXCLUDE in arch/x86/events/msr.c */
	return is_kernels_own(event) || strcmp(pmu, "msr") == 0 ||
	       (!mods->user && (mods->kernel || mods->hypervisor));
}

/* Returns the value of perf_event_paranoid, or -1. */
static int paranoid(void)
{
	char text[16];
	int value;

	if (td_sysfs_read_at(AT_FDCWD, PARANOID, text, sizeof(text)) < 0 ||
	    td_parse_int(text, 0, INT_MAX, &value))
		return -1;
	return value;
}

/* Returns the maximum of perf_event_paranoid that allows the request. */
static int paranoid_for(bool kernel, bool system_wide)
{
	if (system_wide)
		return 0;
	return kernel ? 1 : 2;
}

/*
 * Adds one command to paste as a hint.  For the limits see perf_allow_cpu() and similar
 * functions in the kernel's include/linux/perf_event.h.
 */
static int say_what_it_needs(struct td_err *err, bool kernel, bool system_wide,
			     const char *otherwise)
{
	int value = paranoid(), most = paranoid_for(kernel, system_wide);
	char is[32] = "";

	if (value >= 0 && value <= most)
		return td_err_hint(
			err, "run as root, or give tdstat CAP_PERFMON (tdstat doctor prints the "
			     "command)");
	if (value >= 0)
		snprintf(is, sizeof(is), " (it is %d)", value);
	/* above 2, Debian's kernel ignores CAP_PERFMON */
	return td_err_hint(err, "%s sysctl kernel.perf_event_paranoid=%d allows it%s%s",
			   geteuid() ? "sudo" : "on the host of this container:", most, is,
			   value > 2 ? "" : otherwise);
}

static int no_rights(struct td_err *err, int rc, const struct td_event *e, const char *pmu,
		     const struct td_target *target)
{
	const char *event = e->name;
	bool ibs = td_pmu_kind(pmu) == TD_PMU_IBS;
	bool kernel = target->exclude_kernel && (td_event_needs_kernel(e, pmu) || ibs);
	const char *whom = kernel                ? "the kernel"
			   : target->system_wide ? "whole CPUs"
			   : target->name.kind == TD_TARGET_COMMAND
				   ? "anything, not even a command of its own"
				   : "processes";

	if (kernel && ibs)
		td_err_set(err, rc,
			   "%s: %s cannot leave out the kernel, which this user may not sample: %s",
			   event, pmu, strerror(-rc));
	else
		td_err_set(err, rc, "%s: this user may not count %s: %s", event, whom,
			   strerror(-rc));
	return say_what_it_needs(err, kernel, target->system_wide,
				 kernel && ibs && !target->system_wide
					 ? "; tdstat profile works without it"
					 : "; tdstat doctor has other ways");
}

/* Sets the error for an event that the hardware or its driver does not support as requested. */
static int not_countable(struct td_err *err, int rc, const struct td_event *event, const char *pmu,
			 const struct td_target *target)
{
	const char *name = event->name;

	if (event->mods.precise)
		return td_err_set(err, rc, "%s: %s does not count it: p is for sampling", name,
				  pmu);
	if (td_pmu_kind(pmu) == TD_PMU_SOFTWARE)
		return td_err_set(err, rc, "%s: the kernel refuses it: %s", name, strerror(-rc));
	if (rc == -EINVAL && td_event_is_metric(event))
		return td_err_set(
			err, rc,
			"%s: a field of slots can only be counted in a group that slots leads",
			name);
	if (rc == -ENOENT || rc == -EOPNOTSUPP)
		td_err_set(err, rc, "%s: %s does not have this event (%s)", name, pmu,
			   strerror(-rc));
	else if (!target->system_wide && td_pmu_kind(pmu) == TD_PMU_OTHER)
		td_err_set(err, rc, "%s: %s counts whole CPUs, not a task: it needs -a", name, pmu);
	else if (!target->system_wide && td_pmu_kind(pmu) == TD_PMU_IBS && !event->mods.user &&
		 !event->mods.kernel)
		td_err_set(err, rc,
			   "%s: %s samples tasks in Linux 6.2 and later, and only whole CPUs "
			   "before (-a): %s",
			   name, pmu, strerror(-rc));
	else if (event->group >= 0)
		td_err_set(
			err, rc,
			"%s: %s cannot count it together with its group: the events are too many, "
			"or need the same counter (%s)",
			name, pmu, strerror(-rc));
	else
		td_err_set(err, rc, "%s: the kernel cannot count it on %s: %s", name, pmu,
			   strerror(-rc));
	return td_err_hint(
		err,
		"dmesg may say why; in a virtual machine, the host decides what there is to count");
}

/* The errors are documented in perf_event_open(2); for EINVAL, see arch/x86/events/intel/core.c. */
int td_open_error(struct td_err *err, int rc, const struct td_event *e, const char *pmu,
		  const struct td_target *target)
{
	const char *event = e->name;

	if (td_filter_error(err, rc, event))
		return rc;
	switch (-rc) {
	case EACCES:
	case EPERM:
		return no_rights(err, rc, e, pmu, target);
	case EBUSY:
		td_err_set(err, rc, "%s: the counters of %s are in use", event, pmu);
		return td_err_hint(
			err, "end the other profiler, or the virtual machine, that holds them");
	case EMFILE:
	case ENFILE:
		td_err_set(err, rc, "%s: %s", event, strerror(-rc));
		return td_err_hint(
			err, "raise the limit (ulimit -n), or count fewer CPUs (-C) or one PMU "
			     "(--cputype)");
	case EINVAL:
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
		return not_countable(err, rc, e, pmu, target);
	case ENOSPC:
		return td_err_set(err, rc, "%s: the processor has no free breakpoint register",
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
