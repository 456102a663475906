/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_CALL_COUNTS_H
#define TD_LIB_SAMPLE_CALL_COUNTS_H

#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/sample/pairing.h"

/* The calls of a function that took about as long. */
struct td_call_bucket {
	struct td_region region;       /* what they add up to; it has no name */
	struct td_group_parts *counts; /* one for each group; NULL: no calls */
};

/* What probes add to each call; without values and times, nothing. */
struct td_call_cost {
	double *values;     /* of each of the plan's events */
	uint64_t *times_ns; /* of each group, where a call ended */
	uint64_t pair_ns;   /* what a call takes longer in all; 0: unknown */
	uint64_t
		spread_ns; /* how far nine of ten calls are from that at most */
	uint64_t off_ns;   /* the same while the probes are off */
};

/* A zeroed struct with a plan has no calls. */
struct td_call_counts {
	const struct td_plan *plan;
	bool times_only; /* of the plan's events nothing is counted */
	bool interrupts; /* are known */
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
