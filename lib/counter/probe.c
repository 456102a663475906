// SPDX-License-Identifier: GPL-2.0-only
#include "lib/counter/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC | flags);
}

/* Of SECCOMP_MODE_FILTER, in proc_pid_status(5). */
static bool has_seccomp_filter(void)
{
	char text[8192];
	const char *line;
	int mode = 0;

	if (td_sysfs_read_at(AT_FDCWD, "/proc/self/status", text,
			     sizeof(text)) < 0)
		return false;
	line = strstr(text, "\nSeccomp:");
	return line && sscanf(line, "\nSeccomp: %d", &mode) == 1 && mode == 2;
}

/*
 * The kernel looks at the attributes (EFAULT) or refuses for lack of rights
 * (EACCES) before it has a reason for another error.
 */
static bool is_call_refused(int rc)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0UL) < 0 &&
	       errno == -rc;
}

/* Without a filter, ENOSYS is of a kernel without perf events. */
bool td_filter_error(struct td_err *err, int rc, const char *what)
{
	bool seccomp;

	if ((rc != -EPERM && rc != -ENOSYS) || !is_call_refused(rc))
		return false;
	seccomp = has_seccomp_filter();
	if (rc == -ENOSYS && !seccomp)
		return false;
	td_err_set(err, rc, "%s: perf_event_open(2) is forbidden here: %s",
		   what, strerror(-rc));
	if (seccomp)
		td_err_hint(err,
			    "a seccomp filter forbids it: docker and podman "
			    "allow it with --cap-add PERFMON, or with "
			    "--security-opt seccomp=FILE and a filter that "
			    "has perf_event_open; systemd with "
			    "SystemCallFilter=perf_event_open");
	else
		td_err_hint(err, "no seccomp filter forbids it, so it is a "
				 "security module of the kernel: dmesg may say "
				 "which");
	return true;
}

/* In the kernel, perf_event_open() returns ENODEV for an offline CPU. */
static bool is_offline(int cpu)
{
	int fd = td_dummy_open(-1, cpu, 0);

	if (fd < 0)
		return errno == ENODEV;
	close(fd);
	return false;
}

int td_find_offline(const struct td_ints *cpus, struct td_ints *out)
{
	int rc = 0;

	*out = (struct td_ints){ 0 };
	for (size_t i = 0; !rc && i < cpus->nr; i++) {
		if (is_offline(cpus->v[i]))
			rc = td_ints_add(out, cpus->v[i]);
	}
	if (rc)
		td_ints_free(out);
	return rc;
}

/* INTEL_TD_SLOTS of arch/x86/include/asm/perf_event.h */
#define SLOTS_CONFIG 0x400

#define PROBE_AGAIN_US 2000

/* A pinned event is counted at once, or never: then there is nothing to read. */
static int slots_open(const struct td_pmu *pmu, int pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = pmu->type,
		.size = sizeof(attr),
		.config = SLOTS_CONFIG,
		.pinned = true,
		.exclude_kernel = true,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static bool can_count_slots(const struct td_pmu *pmu)
{
	int fd = pmu->cpus.nr ? slots_open(pmu, -1, pmu->cpus.v[0]) : -1;
	uint64_t count;
	bool can;

	/* users may count themselves alone */
	if (fd < 0 && (errno == EACCES || errno == EPERM || !pmu->cpus.nr))
		fd = slots_open(pmu, 0, -1);
	if (fd < 0)
		return errno != EINVAL && errno != ENOENT;
	can = read(fd, &count, sizeof(count)) != 0;
	close(fd);
	return can;
}

bool td_slots_probe(const struct td_pmu *pmu)
{
	if (can_count_slots(pmu))
		return true;
	/* it may have been somebody else's look, which takes microseconds */
	usleep(PROBE_AGAIN_US);
	return can_count_slots(pmu);
}

/*
 * The page of any event has what turns the counter's ticks into nanoseconds:
 * ticks * time_mult >> time_shift (struct perf_event_mmap_page in
 * include/uapi/linux/perf_event.h).
 */
static uint64_t hz_of_page(const struct perf_event_mmap_page *page)
{
	if (!page->cap_user_time || !page->time_mult)
		return 0;
	return (uint64_t)llround(
		ldexp(1e9 / (double)page->time_mult, page->time_shift));
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
