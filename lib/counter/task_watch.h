/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_TASK_WATCH_H
#define TD_LIB_COUNTER_TASK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/counter/task_queue.h"

/* What becomes of tasks that run: of them, and of all that they start. */
struct td_task_watch;

/*
 * tids: running, or a command's that has not yet been let go; cpus: all that
 * are online.  Neither is empty.  A descriptor for each tid on each CPU.
 * -ESRCH: a task has ended.
 * What a running task starts in the meantime may be missed: look for it
 * afterwards, and open anew if there is more than tids.
 */
int td_task_watch_open(struct td_task_watch **out, const struct td_ints *tids,
		       const struct td_ints *cpus, struct td_err *err);
/*
 * To poll for POLLIN, which is told once: read then.  It may be told without
 * an event to follow.
 */
int td_task_watch_fd(const struct td_task_watch *watch);
/*
 * Queues all that happened before this call, in order of time.  What happens
 * during it may wait for the next one, and the descriptor says so.
 */
int td_task_watch_read(struct td_task_watch *watch, struct td_err *err);
/* The next of the queue; false: it is empty. */
bool td_task_watch_next(struct td_task_watch *watch,
			struct td_task_event *event);
/*
 * Records that the kernel had no room for, as of the last read.  Before Linux
 * 6.0 it tells with the next record of that CPU, so maybe later.
 */
uint64_t td_task_watch_lost(const struct td_task_watch *watch);
void td_task_watch_close(struct td_task_watch *watch); /* may be NULL */

#endif
