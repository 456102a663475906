/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_LATENCIES_H
#define TD_LIB_COUNT_LATENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The mean of fewer samples says too little. */
#define TD_LEAST_LATENCIES 30

/* The retire latency of an event, as samples give it. */
struct td_latency {
	char *event; /* "cpu_core/MEM_INST_RETIRED.LOCK_LOADS/" */
	uint64_t sum, nr;
};

/* Latencies of all events, since counting began.  A zeroed struct is empty. */
struct td_latencies {
	struct td_latency *v;
	size_t nr;
	bool changed; /* since somebody set it to false */
};

/* The one of an event, in any case; NULL if there is none. */
const struct td_latency *td_latencies_find(const struct td_latencies *latencies,
					   const char *event);
/* Adds samples of an event, which is new or not.  Returns 0 or -ENOMEM. */
int td_latencies_add(struct td_latencies *latencies, const char *event,
		     uint64_t sum, uint64_t nr);
/* In cycles; NaN if there are too few samples.  latency may be NULL. */
double td_latency_mean(const struct td_latency *latency);
void td_latencies_free(struct td_latencies *latencies);

#endif
