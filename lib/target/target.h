/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/target: what to count on: CPUs, processes, threads, cgroups.
 *
 * In: their names and numbers, as the user types them.
 * Out: struct td_target: numbers for the kernel, and open cgroup folders.  The
 * names of tasks are kept here, too (task_names.h).
 */
#ifndef TD_LIB_TARGET_TARGET_H
#define TD_LIB_TARGET_TARGET_H

#include <stdbool.h>

#include "lib/base/ints.h"
#include "lib/target/cgroup.h"

struct td_target {
	bool system_wide; /* CPUs, not tasks */
	bool has_cpus;    /* only the CPUs in cpus */
	struct td_ints cpus;
	/*
	 * With system_wide: count only tasks of these cgroups; empty:
	 * everything.
	 */
	struct td_cgroups cgroups;
	bool each_cgroup;    /* open each event once for each of cgroups */
	struct td_ints tids; /* tasks, unless system_wide */
	bool per_thread;     /* count each task by itself */
	bool inherit;        /* count children that start later, too */
	bool enable_on_exec; /* the task is a command that will exec */
	bool all_user, all_kernel; /* only this part of all events */
	bool exclude_kernel;       /* fallback: it may not be counted */
	bool exclude_guest;
};

#endif
