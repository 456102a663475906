/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_TASK_NAMES_H
#define TD_LIB_TARGET_TASK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/index.h"
#include "lib/machine/sysfs.h"

/*
 * What tasks are called (comm).  The kernel gives the tid of a task that has
 * ended to another one: a tid's life is 0 for the first task that was counted
 * under it, 1 for the second.  Zeroed: none is known.
 */
struct td_task_names {
	struct td_task_name {
		int tid, life;
		char *name;
		bool told; /* td_task_names_next() has given it */
		bool ended;
	} * v;
	size_t nr;
	size_t next;           /* all in front of it were told */
	struct td_index index; /* of v, by tid and life */
	struct td_index lives; /* the last life of each tid */
};

/* The life that the next task of this tid will have. */
int td_task_names_next_life(const struct td_task_names *names, int tid);
/* That task is there: from now on the tid means it.  -ENOMEM. */
int td_task_names_begin(struct td_task_names *names, int tid, int life);
/* Of the task that has the tid now; the name of before is replaced.  -ENOMEM. */
int td_task_names_set(struct td_task_names *names, int tid, const char *name);
/* From proc; a task that is gone keeps the name that it had. */
int td_task_names_read(struct td_task_names *names, const struct td_sysfs *fs,
		       int tid);
/* Of the task that has the tid now; NULL: not known. */
const char *td_task_names_find(const struct td_task_names *names, int tid);
const char *td_task_names_find_life(const struct td_task_names *names, int tid,
				    int life);
/* One that is new, or was given a new name, since the last call; NULL: none. */
const struct td_task_name *td_task_names_next(struct td_task_names *names);
/* Its name will be forgotten, unless it is set again before that. */
void td_task_names_end(struct td_task_names *names, int tid);
/* Their tids still count: the next tasks that have them have further lives. */
void td_task_names_forget_ended(struct td_task_names *names);
void td_task_names_free(struct td_task_names *names);

#endif
