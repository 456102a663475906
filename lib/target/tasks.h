/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_TASKS_H
#define TD_LIB_TARGET_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/index.h"
#include "lib/machine/sysfs.h"

/*
 * The names (comm) of tasks.  The kernel reuses the tid of a task that has
 * ended, so a task is a tid and a life: 0 for the first counted task with this
 * tid, 1 for the second.  A zeroed struct is empty.
 */
struct td_task_names {
	struct td_task_name {
		int tid, life;
		char *name;
		bool returned; /* td_task_names_next() has returned it */
		bool ended;
	} * v;
	size_t nr;
	size_t next;           /* all entries before this one were returned */
	struct td_index index; /* finds v by tid and life */
	struct td_index lives; /* the last life of each tid */
};

/* Numbers that are not those of a task: tids are below 2^22. */
enum {
	TD_TASK_IDLE = 0, /* as in the kernel */
	TD_TASK_LOST = 1 << 30,
};
#define TD_IDLE_NAME "(idle)"
#define TD_LOST_NAME "(lost)"

/* Returns the life of the next task with this tid. */
int td_task_names_next_life(const struct td_task_names *names, int tid);
/* Starts a life: tid refers to this task until the next one begins. */
void td_task_names_begin(struct td_task_names *names, int tid, int life);
/* Sets the name of the task that has this tid now. */
void td_task_names_set(struct td_task_names *names, int tid, const char *name);
/* Reads the name from proc; a task that has ended keeps its old one. */
void td_task_names_read(struct td_task_names *names, const struct td_sysfs *fs, int tid);
/* Return the name of the current task with this tid, or of a given life; NULL if unknown. */
const char *td_task_names_find(const struct td_task_names *names, int tid);
const char *td_task_names_find_life(const struct td_task_names *names, int tid, int life);
/*
 * Returns a task whose name has changed or appeared since the last call; NULL if there are no more.
 */
const struct td_task_name *td_task_names_next(struct td_task_names *names);
/* Makes td_task_names_next() return all tasks again. */
void td_task_names_rewind(struct td_task_names *names);
/* Marks the task as ended, until its name is set again. */
void td_task_names_end(struct td_task_names *names, int tid);
/* Removes the names of ended tasks, but not the number of lives of their tids. */
void td_task_names_forget_ended(struct td_task_names *names);
void td_task_names_free(struct td_task_names *names);

#endif
