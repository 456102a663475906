/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_CALL_COUNTS_H
#define TD_LIB_SAMPLE_CALL_COUNTS_H

#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/sample/pairing.h"

/* The sums of the calls of one bucket of durations, and of one group. */
struct td_call_count {
	uint64_t nr; /* calls that the group has counts of */
	struct td_parts times_ns;
	struct td_parts *values; /* of each member of the group */
};

/* The calls of a function that took about as long. */
struct td_call_bucket {
	struct td_calls calls;
	struct td_call_facts facts;
	uint64_t on[TD_REGION_PMUS];
	uint64_t took_ns[TD_REGION_PMUS], on_ns[TD_REGION_PMUS];
	struct td_call_count *counts; /* one for each group; NULL: no calls */
};

/* What probes add to each call; without values and times, nothing. */
struct td_call_cost {
	double *values;     /* of each of the plan's events */
	uint64_t *times_ns; /* of each group, where a call ended */
	uint64_t pair_ns;   /* what a call takes longer in all; 0: unknown */
};

/* A zeroed struct with a plan has no calls. */
struct td_call_counts {
	const struct td_plan *plan;
	/* taken off the calls of each function; NULL: nothing is */
	const struct td_call_cost *const *costs;
	/* from CLOCK_MONOTONIC to the clock of the wall */
	uint64_t wall_ns;
	struct td_call_bucket (*v)[TD_REGION_BUCKETS]; /* of each function */
	size_t nr;                                     /* functions */
};

/*
 * Adds a call to its bucket, and to the function's durations.  timed: of all functions,
 * in their order.  Returns 0 or -ENOMEM.
 */
int td_call_counts_add(struct td_call_counts *counts, struct td_timed *timed,
		       const struct td_paired_call *call);
/*
 * Makes regions of the buckets, behind the last call, once; their functions are the
 * timed ones of the regions.  Returns 0 or -ENOMEM.
 */
int td_call_counts_to_regions(const struct td_call_counts *counts,
			      struct td_regions *regions,
			      struct td_batched *batched);
void td_call_counts_free(struct td_call_counts *counts);

#endif
