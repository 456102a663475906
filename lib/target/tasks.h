/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_TASKS_H
#define TD_LIB_TARGET_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/machine/sysfs.h"

/* Finds tasks in /proc.  All return 0, -ENOMEM or another error in err. */

/* Adds the threads that a process has now.  -ESRCH if there is none. */
int td_tasks_add_process(const struct td_sysfs *fs, int pid,
			 struct td_ints *tids, struct td_err *err);
/* The time now as tasks tell theirs: in clock ticks since the machine booted. */
uint64_t td_tasks_now(void);
/*
 * Adds the threads of a process, and of those that it and its children have
 * started after since (td_tasks_now(); 0: ever), as long as their parent lives.
 * What has ended is left out; without CONFIG_PROC_CHILDREN in the kernel these
 * are the process's own.
 */
int td_tasks_add_family(const struct td_sysfs *fs, int pid, uint64_t since,
			struct td_ints *tids, struct td_err *err);
/* Adds the threads of all processes. */
int td_tasks_add_all(const struct td_sysfs *fs, struct td_ints *tids,
		     struct td_err *err);
/* Adds one thread.  -ESRCH if it does not exist. */
int td_tasks_add_thread(const struct td_sysfs *fs, int tid,
			struct td_ints *tids, struct td_err *err);

/*
 * Has the process a virtual machine of KVM?  False, too, if its descriptors must
 * not be seen.
 */
bool td_tasks_has_guest(const struct td_sysfs *fs, int pid);

/* Check that a task still runs.  -ESRCH if it has ended or is a zombie. */
int td_tasks_check_process(const struct td_sysfs *fs, int pid,
			   struct td_err *err);
int td_tasks_check_thread(const struct td_sysfs *fs, int tid,
			  struct td_err *err);

#endif
