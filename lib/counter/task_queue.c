// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/counter/tasks.h"

/* Removes the events that were returned. */
static void drop_returned(struct td_task_queue *queue)
{
	queue->nr -= queue->next;
	queue->ready -= queue->next;
	if (queue->nr)
		memmove(queue->events, queue->events + queue->next,
			queue->nr * sizeof(*queue->events));
	queue->next = 0;
}

void td_task_queue_add(struct td_task_queue *queue, const struct td_task_event *event)
{
	struct td_task_event *queued;

	if (queue->next)
		drop_returned(queue);
	queued = td_array_add(&queue->events, queue->nr, sizeof(*queued));
	*queued = *event;
	queued->order = queue->added++;
	queue->nr++;
}

static int compare(const void *va, const void *vb)
{
	const struct td_task_event *a = va, *b = vb;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void td_task_queue_sort(struct td_task_queue *queue, uint64_t time_ns)
{
	size_t at = queue->next;

	if (queue->nr > at)
		qsort(queue->events + at, queue->nr - at, sizeof(*queue->events), compare);
	while (at < queue->nr && queue->events[at].time_ns <= time_ns)
		at++;
	queue->ready = at;
}

bool td_task_queue_next(struct td_task_queue *queue, struct td_task_event *event)
{
	if (queue->next == queue->ready)
		return false;
	*event = queue->events[queue->next++];
	return true;
}

void td_task_queue_free(struct td_task_queue *queue)
{
	free(queue->events);
	*queue = (struct td_task_queue){ 0 };
}
