/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_DUMMY_H
#define TD_LIB_COUNTER_DUMMY_H

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Opens the event that counts nothing, in user space, which every user may, to
 * learn something of the kernel.  pid, cpu and flags as for perf_event_open(2);
 * returns what that does.
 */
static inline int td_dummy_open(int pid, int cpu, unsigned long flags)
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

#endif
