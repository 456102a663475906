/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TARGET_H
#define TD_TARGET_H

#include <stdbool.h>

#include "lib/parse.h"

/* Whom to count. */
struct td_target {
	bool system_wide; /* whole CPUs, not tasks */
	bool has_cpus;    /* only those of cpus */
	struct td_ints cpus;
	struct td_ints tids; /* tasks, unless system_wide */
	bool inherit;        /* tasks to come, too */
	bool enable_on_exec; /* the task is a command about to start */
	bool exclude_kernel; /* user space only */
	bool exclude_guest;
};

#endif
