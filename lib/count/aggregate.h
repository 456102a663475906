/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/count: sums readings of counters.
 *
 * In: struct td_readings (readings.h): each event on each CPU or in each task.
 * Out: struct td_totals: each event for each core, socket, thread or other id.
 * Finished results have the form of report.h.
 */
#ifndef TD_LIB_COUNT_AGGREGATE_H
#define TD_LIB_COUNT_AGGREGATE_H

#include "lib/count/aggregator.h"
#include "lib/count/readings.h"

/*
 * Sums the readings of each id.  On a CPU, a count is scaled up to the time it
 * was enabled; in a task, to the time that the task spent on cores with the
 * event's PMU, which is how long the PMU's groups ran in turn.  Ids without
 * readings are left out.  Rows of one cgroup stand together.  totals is zeroed, or
 * of the interval before, whose memory is used again.  Free with td_totals_free(),
 * also after an error.
 */
int td_aggregate(const struct td_aggregator *agg,
		 const struct td_readings *delta, const struct td_plan *plan,
		 struct td_totals *totals, struct td_err *err);

#endif
