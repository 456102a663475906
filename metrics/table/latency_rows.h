/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_LATENCY_ROWS_H
#define TD_METRICS_TABLE_LATENCY_ROWS_H

#include "lib/count/latencies.h"
#include "lib/count/report.h"
#include "lib/plan/plan.h"

/*
 * Gives the events that were sampled, those with the modifier R, the mean of their
 * retire latencies, in whole cycles as in perf, or no value if there were too few
 * samples.
 */
void td_event_rows_set_latencies(struct td_event_report *report,
				 const struct td_plan *plan,
				 const struct td_latencies *latencies);

#endif
