/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_TASKS_H
#define TD_LIB_TARGET_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/index.h"
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
/*
 * Adds the processes, but this one, that have this in their environment, such as
 * "NAME=VALUE", if they may be looked at.
 */
int td_tasks_add_with(const struct td_sysfs *fs, const char *variable,
		      struct td_ints *pids, struct td_err *err);
/* Adds one thread.  -ESRCH if it does not exist. */
int td_tasks_add_thread(const struct td_sysfs *fs, int tid,
			struct td_ints *tids, struct td_err *err);

/* Has one of these tasks ended?  A process that is a zombie has. */
bool td_tasks_has_ended(const struct td_ints *tids);

/*
 * Has the process a virtual machine of KVM?  False, too, if its descriptors must
 * not be seen.
 */
bool td_tasks_has_guest(const struct td_sysfs *fs, int pid);

bool td_tasks_is_alive(const struct td_sysfs *fs, int tid);
/* Check that a task still runs.  -ESRCH if it has ended or is a zombie. */
int td_tasks_check_process(const struct td_sysfs *fs, int pid,
			   struct td_err *err);
int td_tasks_check_thread(const struct td_sysfs *fs, int tid,
			  struct td_err *err);

/*
 * The names (comm) of tasks.  The kernel reuses the tid of a task that has
 * ended, so a task is a tid and a life: 0 for the first counted task with this
 * tid, 1 for the second.  A zeroed struct knows no task.
 */
struct td_task_names {
	struct td_task_name {
		int tid, life;
		char *name;
		bool returned; /* by td_task_names_next() */
		bool ended;
	} * v;
	size_t nr;
	size_t next;           /* all entries before this one were returned */
	struct td_index index; /* finds v by tid and life */
	struct td_index lives; /* the last life of each tid */
};

/* The life that the next task with this tid will have. */
int td_task_names_next_life(const struct td_task_names *names, int tid);
/* Starts a life: from now on, tid means this task.  Returns 0 or -ENOMEM. */
int td_task_names_begin(struct td_task_names *names, int tid, int life);
/* Sets the name of the task that has this tid now.  Returns 0 or -ENOMEM. */
int td_task_names_set(struct td_task_names *names, int tid, const char *name);
/*
 * Reads the name from proc; a task that has ended keeps its old one.  Returns 0
 * or -ENOMEM.
 */
int td_task_names_read(struct td_task_names *names, const struct td_sysfs *fs,
		       int tid);
/*
 * The name of the task that has this tid now, or of a given life; NULL if
 * unknown.
 */
const char *td_task_names_find(const struct td_task_names *names, int tid);
const char *td_task_names_find_life(const struct td_task_names *names, int tid,
				    int life);
/*
 * Returns a task whose name is new since the last call; NULL if there is none.
 */
const struct td_task_name *td_task_names_next(struct td_task_names *names);
/* From now on it returns all of them once more. */
void td_task_names_rewind(struct td_task_names *names);
/* Marks the task as ended, until its name is set again. */
void td_task_names_end(struct td_task_names *names, int tid);
/*
 * Forgets the names of ended tasks, but not the number of lives of their tids.
 */
void td_task_names_forget_ended(struct td_task_names *names);
void td_task_names_free(struct td_task_names *names);

#endif
