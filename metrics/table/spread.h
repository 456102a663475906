/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_SPREAD_H
#define TD_METRICS_TABLE_SPREAD_H

#include "lib/base/index.h"
#include "lib/count/report.h"

/*
 * The mean and variance of one value over the runs of -r, by Welford's method.
 */
struct td_spread {
	char *key; /* id, PMU and column, or id, cgroup and event */
	unsigned int nr;
	double mean, m2;
	double least, most;
	double alike; /* the sum of the runs' error_alike */
	bool rested;  /* in one of them */
};

/* The values of several runs; zeroed before the first one. */
struct td_spreads {
	struct td_spread *v;
	size_t nr;
	size_t next;           /* where the next key is expected */
	struct td_index index; /* finds keys */
};

void td_spread_add(struct td_spread *spread, double value);
/*
 * The standard error of the mean, sd / sqrt(n), as perf stat's "+-"
 * (stddev_stats() in tools/perf/util/stat.c); NaN for fewer than two values.
 */
double td_spread_error(const struct td_spread *spread);

/*
 * Add the values of a run, except those that were not counted.  Return 0 or
 * -ENOMEM.
 */
int td_spreads_add_report(struct td_spreads *spreads,
			  const struct td_report *report);
int td_spreads_add_events(struct td_spreads *spreads,
			  const struct td_event_report *report);
/*
 * Set the errors in the report of the means: of events as perf stat has them; of
 * metrics also half of the 95 % interval, with as many degrees of freedom as
 * runs had a value but one, which is the meaning of all other errors.  Runs that
 * are alike are rounded alike, so that their spread does not tell of it.  Of a row
 * of metrics also the least and the largest share of the slots that a run had.
 */
int td_spreads_fill_report(struct td_spreads *spreads,
			   struct td_report *report);
int td_spreads_fill_events(struct td_spreads *spreads,
			   struct td_event_report *report);
/*
 * Sets values, [row][column], to the means of what rested in some run, else NaN:
 * sums over all runs do not have it (metrics/eval/rested.c).  Returns 1 if there
 * is any, 0, or -ENOMEM.
 */
int td_spreads_find_rested(struct td_spreads *spreads,
			   const struct td_report *report, double *values);
void td_spreads_free(struct td_spreads *spreads);

#endif
