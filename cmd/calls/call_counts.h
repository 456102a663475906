/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_CALLS_CALL_COUNTS_H
#define TD_CMD_CALLS_CALL_COUNTS_H

#include "cmd/calls/pairing.h"
#include "lib/count/batched.h"
#include "lib/count/regions.h"

/* The calls of a function with similar durations. */
struct td_call_bucket {
	struct td_region region;       /* sums of these calls; without a name */
	struct td_group_parts *counts; /* one for each group; NULL: no calls */
};

/* The cost of probes per call.  Without these arrays, it is 0. */
struct td_call_cost {
	double *values;        /* counts, for each of the plan's events */
	uint64_t *times_ns;    /* the part within the call, for each group on which it ends */
	uint64_t pair_ns;      /* the total time; 0: unknown */
	uint64_t variation_ns; /* 95 % of calls cost at most this much more than times_ns */
	uint64_t off_ns;       /* the total time while the probes are off */
};

/* Zero it, except for the first members. */
struct td_call_counts {
	const struct td_plan *plan;
	bool times_only;                         /* the plan's events are not counted */
	bool interrupts;                         /* interrupts are counted */
	const struct td_call_cost *const *costs; /* subtracted, one for each function; or NULL */
	uint64_t wall_ns;                        /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	struct td_call_bucket (*v)[TD_REGION_BUCKETS]; /* the buckets of each function */
	size_t nr;                                     /* functions */
};

/* Adds a call to its bucket, and to its function's durations in timed, one for each function. */
void td_call_counts_add(struct td_call_counts *counts, struct td_timed *timed,
			const struct td_paired_call *call);
/*
 * Adds the buckets to regions, which contains the timed functions.  Use it once, after all calls
 * were added.
 */
void td_call_counts_to_regions(const struct td_call_counts *counts, struct td_regions *regions,
			       struct td_batched *batched);
void td_call_counts_free(struct td_call_counts *counts);

#endif
