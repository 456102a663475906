/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/target: whom to count.
 *
 * In: CPUs, processes, threads and cgroups as the user names them.
 * Out: struct td_target: numbers that the kernel takes, and open folders of
 * cgroups.  The names of tasks are kept here, too (task_names.h).
 */
#ifndef TD_LIB_TARGET_TARGET_H
#define TD_LIB_TARGET_TARGET_H

#include <stdbool.h>

#include "lib/base/ints.h"
#include "lib/target/cgroup.h"

/* Whom to count. */
struct td_target {
	bool system_wide; /* whole CPUs, not tasks */
	bool has_cpus;    /* only those of cpus */
	struct td_ints cpus;
	/* Of system_wide: only their tasks; nothing: whatever runs. */
	struct td_cgroups cgroups;
	bool each_cgroup;    /* each event in each of them, not in its own */
	struct td_ints tids; /* tasks, unless system_wide */
	bool per_thread;     /* each counted by itself */
	bool inherit;        /* tasks to come, too */
	bool enable_on_exec; /* the task is a command about to start */
	bool all_user, all_kernel; /* of all events only that part */
	bool exclude_kernel;       /* it may not be counted */
	bool exclude_guest;
};

#endif
