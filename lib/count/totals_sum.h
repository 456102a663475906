/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_TOTALS_SUM_H
#define TD_LIB_COUNT_TOTALS_SUM_H

#include "lib/count/aggregate.h"
#include "lib/count/report.h"

/* The sum of the totals of several runs. */
struct td_totals_sum {
	struct td_totals totals;
	struct td_index index;   /* of its ids */
	unsigned int *nr_values; /* [id][event]: rounds that had a value */
	unsigned int *nr_reads;  /* [id][event]: rounds that counted it */
	/* the rounds count different events, which become one result */
	bool joins;
	unsigned int rounds;   /* number of rounds that were added */
	struct td_times times; /* their sum; has CPU times if all rounds had */
};

/* Adds times.  The sum has CPU times if all had them; first: sum is empty. */
void td_times_add(struct td_times *sum, const struct td_times *more,
		  bool first);
/* So much of the times: 1 is all of them. */
struct td_times td_times_part(const struct td_times *times, double share);
/*
 * Adds totals by the names of their ids.  Events of a task that was only on
 * other kinds of core count as 0.  Returns 0 or -ENOMEM.
 */
int td_totals_sum_add(struct td_totals_sum *sum, const struct td_plan *plan,
		      const struct td_totals *more,
		      const struct td_times *times);
/* The same, with each event's values multiplied by its weight. */
int td_totals_sum_add_weighted(struct td_totals_sum *sum,
			       const struct td_plan *plan,
			       const struct td_totals *more,
			       const struct td_times *times,
			       const double *weights);
/*
 * Divides the sums by the number of rounds that had a value, and times by that
 * of all rounds, or with joins, of those that counted the event.
 */
void td_totals_sum_divide(struct td_totals_sum *sum);
void td_totals_sum_free(struct td_totals_sum *sum);

#endif
