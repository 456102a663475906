/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_TOTALS_SUM_H
#define TD_LIB_COUNT_TOTALS_SUM_H

#include "lib/count/aggregate.h"
#include "lib/count/report.h"

/* The totals of several runs, or of all intervals, taken together. */
struct td_totals_sum {
	struct td_totals totals;
	struct td_index index; /* of its ids */
	unsigned int *times;   /* [id][event]: how often it had a value */
	unsigned int rounds;   /* how often something was added */
	struct td_times
		times_sum; /* of the rounds; CPU times: if all had them */
};

/* CPU times are known of the sum if all had them; first: it is empty yet. */
void td_times_add(struct td_times *sum, const struct td_times *more,
		  bool first);
/*
 * Ids are told by their names; one that is new is added.  plan: of the events.
 * A task that was on another kind of core all the time is 0 here.  -ENOMEM.
 */
int td_totals_sum_add(struct td_totals_sum *sum, const struct td_plan *plan,
		      const struct td_totals *more,
		      const struct td_times *times);
/* Makes means of the sums: of the rounds in which there was a value. */
void td_totals_sum_divide(struct td_totals_sum *sum);
void td_totals_sum_free(struct td_totals_sum *sum);

#endif
