/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_FUNCTION_COUNTS_H
#define TD_LIB_SAMPLE_FUNCTION_COUNTS_H

#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/sample/spots.h"
#include "lib/sample/windows.h"

/* The sums of the windows of one function, and of one group. */
struct td_function_count {
	int function; /* -1: windows that are not within one function */
	int group;
	uint64_t nr; /* windows */
	double times_ns[TD_BATCHES];
	/* one after another for each member of the group */
	double (*values)[TD_BATCHES];
};

/* A zeroed struct has none. */
struct td_function_counts {
	struct td_function_count *v;
	size_t nr;
	struct td_index index;
};

/*
 * Adds windows, whose spots are resolved.  A function's own are put into its
 * batches in turn.  Returns 0 or -ENOMEM.
 */
int td_function_counts_add(struct td_function_counts *counts,
			   const struct td_windows *windows,
			   const struct td_spots *spots);
/*
 * Makes regions of the functions, which have their names; what is not within one
 * function is outside of all.  Returns 0 or -ENOMEM.
 */
int td_function_counts_to_regions(const struct td_function_counts *counts,
				  const struct td_plan *plan,
				  const struct td_spots *spots,
				  struct td_regions *regions,
				  struct td_batched *batched);
void td_function_counts_free(struct td_function_counts *counts);

#endif
