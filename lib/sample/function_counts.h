/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_FUNCTION_COUNTS_H
#define TD_LIB_SAMPLE_FUNCTION_COUNTS_H

#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/sample/spots.h"
#include "lib/sample/windows.h"

/* Sums of windows that are within one function.  A zeroed struct is empty. */
struct td_function_counts {
	struct td_function_count *v;
	size_t nr;
	struct td_index index;
	struct td_function_stream *streams;
	size_t nr_streams;
};

/* Adds windows.  Their spots must be resolved. */
void td_function_counts_add(struct td_function_counts *counts, const struct td_windows *windows,
			    const struct td_spots *spots);
/*
 * Adds a region for each function, with its name.  Windows that are not within one function,
 * or may not be, are outside of all.  Call it once, after the last windows.
 */
void td_function_counts_to_regions(struct td_function_counts *counts, const struct td_plan *plan,
				   const struct td_spots *spots, struct td_regions *regions,
				   struct td_batched *batched);
void td_function_counts_free(struct td_function_counts *counts);

#endif
