/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_MACHINE_CPU_TIMES_H
#define TD_LIB_MACHINE_CPU_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/ints.h"
#include "lib/machine/sysfs.h"

/*
 * Time in user mode and in the kernel, in nanoseconds, as the kernel counts it:
 * in steps of its clock tick.
 */
struct td_cpu_times {
	uint64_t user_ns, system_ns;
};

/* Of CPUs since boot, from /proc/stat; cpus NULL means all. */
int td_cpu_times_read(const struct td_sysfs *fs, const struct td_ints *cpus,
		      struct td_cpu_times *out, struct td_err *err);
/* Of processes and their ended children.  Returns false if one has ended. */
bool td_cpu_times_read_pids(const struct td_sysfs *fs,
			    const struct td_ints *pids,
			    struct td_cpu_times *out);

#endif
