/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_AGGREGATE_TASKS_H
#define TD_LIB_COUNT_AGGREGATE_TASKS_H

#include "lib/count/aggregator.h"
#include "lib/count/totals.h"

/* The part of td_aggregate() for readings of tasks.  Returns 0 or -ENOMEM. */
int td_totals_add_tasks(const struct td_aggregator *agg,
			const struct td_readings *delta,
			const struct td_plan *plan, struct td_totals *totals);

#endif
