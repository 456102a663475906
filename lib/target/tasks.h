/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_TASKS_H
#define TD_LIB_TARGET_TASKS_H

#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/machine/sysfs.h"

/* Which tasks there are, as /proc lists them. */

/* The threads of a process, as they are now.  -ESRCH: there is none. */
int td_tasks_add_process(const struct td_sysfs *fs, int pid,
			 struct td_ints *tids, struct td_err *err);
/* Of all processes. */
int td_tasks_add_all(const struct td_sysfs *fs, struct td_ints *tids,
		     struct td_err *err);
/* That one.  -ESRCH: there is none. */
int td_tasks_add_thread(const struct td_sysfs *fs, int tid,
			struct td_ints *tids, struct td_err *err);

/* -ESRCH: it has ended, or is a zombie, and is named. */
int td_tasks_check_process(const struct td_sysfs *fs, int pid,
			   struct td_err *err);
int td_tasks_check_thread(const struct td_sysfs *fs, int tid,
			  struct td_err *err);

#endif
