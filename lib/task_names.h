/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TASK_NAMES_H
#define TD_TASK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/sysfs.h"

/* What tasks are called (comm), by tid.  Zeroed: none is known. */
struct td_task_names {
	struct td_task_name {
		int tid;
		char *name;
		bool told; /* td_task_names_next() has given it */
		bool ended;
	} * v; /* sorted by tid */
	size_t nr;
};

/* The name of before is replaced.  -ENOMEM. */
int td_task_names_set(struct td_task_names *names, int tid, const char *name);
/* From proc; a task that is gone keeps the name that it had. */
int td_task_names_read(struct td_task_names *names, const struct td_sysfs *fs,
		       int tid);
/* NULL: not known. */
const char *td_task_names_find(const struct td_task_names *names, int tid);
/* One that is new, or was given a new name, since the last call; NULL: none. */
const struct td_task_name *td_task_names_next(struct td_task_names *names);
/* It is forgotten, unless its tid is given away and set again before that. */
void td_task_names_end(struct td_task_names *names, int tid);
void td_task_names_forget_ended(struct td_task_names *names);
void td_task_names_free(struct td_task_names *names);

#endif
