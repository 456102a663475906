/* SPDX-License-Identifier: MIT */
/* What td_read() makes of two moments. */
#ifndef TD_REGION_REGION_H
#define TD_REGION_REGION_H

#include "lib/region/counters.h"
#include "lib/region/tdstat.h"

/* The values of what was counted between two moments; leaves next alone.  Pure. */
void td_interval_fill(struct td_interval *interval,
		      const struct td_group_spec *spec,
		      const struct td_moment *from, const struct td_moment *to);

#endif
