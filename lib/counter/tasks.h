/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/base/err.h"
#include "lib/base/ints.h"

/* Changes of a task: a thread, or a process, which is its first thread. */
enum td_task_change {
	TD_TASK_BEGAN,
	TD_TASK_ENDED,
	TD_TASK_NAMED
};

struct td_task_event {
	enum td_task_change change;
	int pid, tid;  /* numbers of the process and the task */
	int parent;    /* TD_TASK_BEGAN: the tid that started it, whose name it has */
	char name[16]; /* TD_TASK_NAMED: its comm, any bytes */
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
	size_t ready; /* events from here on are not released */
	uint64_t added;
};

void td_task_queue_add(struct td_task_queue *queue, const struct td_task_event *event);
/* Releases events up to this time; events with equal times keep their order. */
void td_task_queue_sort(struct td_task_queue *queue, uint64_t time_ns);
/* Returns false if no event is released. */
bool td_task_queue_next(struct td_task_queue *queue, struct td_task_event *event);
void td_task_queue_free(struct td_task_queue *queue);

/* --- the watch --------------------------------------------------------------- */

/* Reports when tasks, and all that they start, begin, end or are named. */
struct td_task_watch;

/*
 * Watches tids, which run or wait to be started, on cpus, which must be all
 * online CPUs.  Neither may be empty.  It needs a descriptor for each tid on
 * each CPU.  -ESRCH if a task has ended.  Threads that start during this call
 * may be missed: look for tasks afterwards, and open again if there are more.
 */
int td_task_watch_open(struct td_task_watch **out, const struct td_ints *tids,
		       const struct td_ints *cpus, struct td_err *err);
/*
 * Returns a descriptor to poll for POLLIN.  After each POLLIN, call td_task_watch_read(), which may
 * find no event.
 */
int td_task_watch_fd(const struct td_task_watch *watch);
/*
 * Queues all events from before this call in order of time.  Later ones may
 * wait for the next call; the descriptor then polls ready again.
 */
void td_task_watch_read(struct td_task_watch *watch);
/* Returns the next event, or false. */
bool td_task_watch_next(struct td_task_watch *watch, struct td_task_event *event);
/*
 * Returns the number of records that the kernel had lost by the last read.  Linux
 * before 6.0 reports a loss late, with the next record of that CPU.
 */
uint64_t td_task_watch_lost(const struct td_task_watch *watch);
void td_task_watch_close(struct td_task_watch *watch); /* NULL is fine */
