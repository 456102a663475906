/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_TASK_NAMES_H
#define TD_LIB_TARGET_TASK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/index.h"
#include "lib/machine/sysfs.h"

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
