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
	/*
	 * The same with each sample as often as the events it stands for: samples
	 * come so often a second, so that one of a busy time stands for many more.
	 * 0: not known, as of a recording, whose sum is the mean times the number.
	 */
	double weighted, weight;
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
/* Adds what one sample told, which stands for so many events. */
void td_latency_add_sample(struct td_latency *latency, uint16_t cycles,
			   uint64_t period);
/* The same for all samples of a new or known event.  Returns 0 or -ENOMEM. */
int td_latencies_add_samples(struct td_latencies *latencies,
			     const struct td_latency *samples);
/* The sum of as many samples of which each has the mean. */
uint64_t td_latency_sum(const struct td_latency *latency);
/* In cycles; NaN if there are too few samples.  latency may be NULL. */
double td_latency_mean(const struct td_latency *latency);
void td_latencies_free(struct td_latencies *latencies);

#endif
