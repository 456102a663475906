/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_TASK_QUEUE_H
#define TD_LIB_COUNTER_TASK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A task is a thread; a process is one too, the first of its threads. */
enum td_task_change {
	TD_TASK_BEGAN,
	TD_TASK_ENDED,
	TD_TASK_NAMED
};

struct td_task_event {
	enum td_task_change change;
	int pid, tid; /* of the process, of the task */
	int parent; /* BEGAN: the tid that started it; it has that one's name */
	char name[16]; /* NAMED: its comm, any bytes */
	/*
	 * NAMED by an exec: what else the process had is gone.  The task goes
	 * on as tid == pid, whatever its tid was before, which gets no ENDED.
	 */
	bool exec;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
};

/* Events of several CPUs, in order of time.  All zeros: it is empty. */
struct td_task_queue {
	struct td_task_queued *events;
	size_t nr, next;
	size_t ready; /* those behind it are not to be given yet */
	uint64_t added;
};

/* -ENOMEM. */
int td_task_queue_add(struct td_task_queue *queue,
		      const struct td_task_event *event);
/* Those up to this time can be had now; of one time, as they were added. */
void td_task_queue_sort(struct td_task_queue *queue, uint64_t time_ns);
/* false: there is none. */
bool td_task_queue_next(struct td_task_queue *queue,
			struct td_task_event *event);
void td_task_queue_free(struct td_task_queue *queue);

#endif
