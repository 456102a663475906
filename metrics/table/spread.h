/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_SPREAD_H
#define TD_METRICS_TABLE_SPREAD_H

#include "lib/base/index.h"
#include "lib/count/report.h"

/* One value over the runs of -r: Welford's sums. */
struct td_spread {
	char *key; /* of whom */
	unsigned int nr;
	double mean, m2;
};

/* How far the values of several runs lie apart.  Zeroed: no run yet. */
struct td_spreads {
	struct td_spread *v;
	size_t nr;
	size_t next;           /* where the next one probably is */
	struct td_index index; /* of the keys */
};

void td_spread_add(struct td_spread *spread, double value);
/*
 * The standard error of the mean, sd / sqrt(n), as perf stat's "+-"
 * (stddev_stats() in tools/perf/util/stat.c); NaN: of fewer than two values.
 */
double td_spread_error(const struct td_spread *spread);

/* The values of a run that there are.  -ENOMEM. */
int td_spreads_add_report(struct td_spreads *spreads,
			  const struct td_report *report);
int td_spreads_add_events(struct td_spreads *spreads,
			  const struct td_event_report *report);
/* The errors, into the report of the means. */
int td_spreads_fill_report(struct td_spreads *spreads,
			   struct td_report *report);
int td_spreads_fill_events(struct td_spreads *spreads,
			   struct td_event_report *report);
void td_spreads_free(struct td_spreads *spreads);

#endif
