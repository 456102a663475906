/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Minimum number of samples for a mean. */
#define TD_MIN_LATENCIES 30

/* Retire latency of an event, from samples. */
struct td_latency {
	char *event; /* "cpu_core/MEM_INST_RETIRED.LOCK_LOADS/" */
	uint64_t sum, nr;
	/*
	 * sum and nr, weighted with the number of events per sample: samples come at a constant
	 * rate, so samples of a busy time represent more events; 0 if unknown, as in a recording,
	 * where sum is the mean multiplied by nr
	 */
	double weighted, weight;
};

/* Latencies of all events, since counting began.  A zeroed struct is empty. */
struct td_latencies {
	struct td_latency *v;
	size_t nr;
	bool changed; /* samples were added since the caller set it to false */
};

/* Returns the latency of the event with this name, ignoring case, or NULL. */
const struct td_latency *td_latencies_find(const struct td_latencies *latencies, const char *event);
/* Adds nr samples of a new or known event; sum is their total latency. */
void td_latencies_add(struct td_latencies *latencies, const char *event, uint64_t sum, uint64_t nr);
/* Adds one sample, which represents period events. */
void td_latency_add_sample(struct td_latency *latency, uint16_t cycles, uint64_t period);
/* Adds all samples of a new or known event. */
void td_latencies_add_samples(struct td_latencies *latencies, const struct td_latency *samples);
/* Returns the mean times the number of samples. */
uint64_t td_latency_sum(const struct td_latency *latency);
/* Returns the mean in cycles; NaN if there are too few samples.  latency may be NULL. */
double td_latency_mean(const struct td_latency *latency);
void td_latencies_free(struct td_latencies *latencies);
