// SPDX-License-Identifier: GPL-2.0-only
/* Records in the order of their times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/sample/record.h"

static bool is_before(const struct td_queued *a, const struct td_queued *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->number < b->number;
}

static void swap(struct td_queued *a, struct td_queued *b)
{
	struct td_queued c = *a;

	*a = *b;
	*b = c;
}

static void lift(struct td_queued *v, size_t at)
{
	while (at && is_before(&v[at], &v[(at - 1) / 2])) {
		swap(&v[at], &v[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sink(struct td_queued *v, size_t nr)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < nr) {
		if (child + 1 < nr && is_before(&v[child + 1], &v[child]))
			child++;
		if (!is_before(&v[child], &v[at]))
			return;
		swap(&v[at], &v[child]);
		at = child;
	}
}

void td_queue_put(struct td_queue *queue, uint64_t time_ns, const void *data, uint16_t size)
{
	struct td_queued *queued = td_array_add(&queue->v, queue->nr, sizeof(*queued));

	queued->data = td_malloc(size);
	memcpy(queued->data, data, size);
	queued->size = size;
	queued->time_ns = time_ns;
	queued->number = queue->last++;
	lift(queue->v, queue->nr++);
}

uint64_t *td_queue_take(struct td_queue *queue, uint64_t until_ns, uint16_t *size)
{
	struct td_queued first;

	if (!queue->nr || queue->v[0].time_ns >= until_ns)
		return NULL;
	first = queue->v[0];
	queue->v[0] = queue->v[--queue->nr];
	sink(queue->v, queue->nr);
	*size = first.size;
	return first.data;
}

void td_queue_free(struct td_queue *queue)
{
	for (size_t i = 0; i < queue->nr; i++)
		free(queue->v[i].data);
	free(queue->v);
	*queue = (struct td_queue){ 0 };
}
