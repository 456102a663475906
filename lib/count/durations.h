/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_DURATIONS_H
#define TD_LIB_COUNT_DURATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/region/layout.h"

/*
 * How long calls took: a histogram that is fine enough for quantiles, as the middle of
 * a step is within 3 % of all durations in it.  Its steps, and its buckets, which are
 * coarser and rows of a table: lib/region/layout.h.
 */

/* Zeroed, it has no calls. */
struct td_durations {
	uint64_t counts[TD_REGION_STEPS];
	uint64_t nr;
	uint64_t max_ns;
};

void td_durations_add(struct td_durations *durations, uint64_t ns);
/*
 * What a share (0 to 1) of the calls took at most, in ns; NaN if there are too few
 * calls for one of them to be above it.
 */
double td_durations_quantile(const struct td_durations *durations,
			     double share);

#define TD_DURATION_NAME 48
/* "1.2 - 1.6 us", or "under 100 ns": the bounds of a bucket of durations. */
void td_duration_bucket_name(char name[TD_DURATION_NAME], unsigned int bucket);
/* "2.5ms": of ns, us, ms or s, up to an hour.  Returns 0 or -EINVAL. */
int td_duration_parse(const char *text, uint64_t *ns);
/* "2.34 ms": three digits; "-" for NaN. */
void td_duration_text(char text[TD_DURATION_NAME], double ns);

#endif
