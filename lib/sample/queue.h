/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_QUEUE_H
#define TD_LIB_SAMPLE_QUEUE_H

#include "lib/sample/record.h"

/*
 * Puts the records of several rings in the order of their times.  A zeroed
 * struct is an empty queue.
 */
struct td_queue {
	struct td_queued {
		uint64_t time_ns;
		uint64_t
			number; /* of equal times, the one put first is first */
		uint64_t *data;
		uint16_t size;
	} * v; /* a heap */
	size_t nr;
	uint64_t last; /* number of those that were put */
};

/* Copies the record of size bytes.  0 or -ENOMEM. */
int td_queue_put(struct td_queue *queue, uint64_t time_ns, const void *data,
		 uint16_t size);
/*
 * Takes the first record that is older than until_ns; the caller frees it.  NULL
 * if there is none.
 */
uint64_t *td_queue_take(struct td_queue *queue, uint64_t until_ns,
			uint16_t *size);
void td_queue_free(struct td_queue *queue);

#endif
