/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNTER_TASK_QUEUE_H
#define TD_LIB_COUNTER_TASK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A task is a thread.  A process is one, too: its first thread. */
enum td_task_change {
	TD_TASK_BEGAN,
	TD_TASK_ENDED,
	TD_TASK_NAMED
};

struct td_task_event {
	enum td_task_change change;
	int pid, tid; /* of the process and the task */
	/* if it began: the tid that started it, whose name it has */
	int parent;
	char name[16]; /* if it was named: its comm, any bytes */
	/*
	 * Named by an exec: the other threads of the process are gone.  The
	 * task continues with tid == pid, and its old tid gets no
	 * TD_TASK_ENDED.
	 */
	bool exec;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t order;   /* number of events that were queued before */
};

/* Events of several CPUs in order of time.  A zeroed struct is empty. */
struct td_task_queue {
	struct td_task_event *events;
	size_t nr, next;
	size_t ready; /* later ones are not returned yet */
	uint64_t added;
};

/* Returns 0 or -ENOMEM. */
int td_task_queue_add(struct td_task_queue *queue,
		      const struct td_task_event *event);
/* Releases events up to this time; those of one time stay in order. */
void td_task_queue_sort(struct td_task_queue *queue, uint64_t time_ns);
/* Returns false if no event is released. */
bool td_task_queue_next(struct td_task_queue *queue,
			struct td_task_event *event);
void td_task_queue_free(struct td_task_queue *queue);

#endif
