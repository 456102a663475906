/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_TASK_WATCH_H
#define TD_LIB_COUNTER_TASK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"
#include "lib/counter/task_queue.h"

/* Reports what tasks, and all that they start, do: begin, end, get a name. */
struct td_task_watch;

/*
 * Watches tids, which run or wait to be let go, on cpus, which must be all
 * online CPUs.  Neither may be empty.  It needs a descriptor for each tid on
 * each CPU.  -ESRCH if a task has ended.  Threads that start during this call
 * may be missed: look for tasks afterwards, and open again if there are more.
 */
int td_task_watch_open(struct td_task_watch **out, const struct td_ints *tids,
		       const struct td_ints *cpus, struct td_err *err);
/*
 * A descriptor to poll for POLLIN, which is reported once: read then.  There
 * may be no event after it.
 */
int td_task_watch_fd(const struct td_task_watch *watch);
/*
 * Queues all events from before this call in order of time.  Later ones may
 * wait for the next call; the descriptor then polls ready again.
 */
int td_task_watch_read(struct td_task_watch *watch, struct td_err *err);
/* Returns the next event, or false. */
bool td_task_watch_next(struct td_task_watch *watch,
			struct td_task_event *event);
/*
 * The number of records that the kernel lost, as of the last read.  Linux
 * before 6.0 reports a loss late, with the next record of that CPU.
 */
uint64_t td_task_watch_lost(const struct td_task_watch *watch);
void td_task_watch_close(struct td_task_watch *watch); /* NULL is fine */

#endif
