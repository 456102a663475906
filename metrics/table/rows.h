/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/table: makes the table of events from counts.
 *
 * In: a plan of events that were typed, and the totals of one interval.
 * Out: struct td_event_report, with a row for each event and its ratios
 * (ratios.h).  spread.h computes the standard error over several runs.
 */
#ifndef TD_METRICS_TABLE_ROWS_H
#define TD_METRICS_TABLE_ROWS_H

#include "lib/count/latencies.h"
#include "lib/count/report.h"
#include "metrics/table/event_table.h"

/*
 * Fills table->report: a row for each event that was typed and each id.  Rows
 * are in the order of the command line: all ids of an event, then the next
 * event; or with totals->by_id all events of an id, then the next id; or, if
 * every event is counted in every cgroup, all rows of a cgroup, then the next
 * cgroup.  An event that the kernel refused is "not supported", but is left out
 * if another PMU has it under the same name.  The report borrows from table, its
 * plan and totals.  Returns -ENOMEM.
 */
int td_event_rows(struct td_event_table *table, const struct td_totals *totals,
		  const struct td_times *times, struct td_err *err);
/*
 * Gives the events that were sampled, those with the modifier R, the mean of their
 * retire latencies, in whole cycles as in perf, or no value if there were too few
 * samples.
 */
void td_event_rows_set_latencies(struct td_event_report *report,
				 const struct td_plan *plan,
				 const struct td_latencies *latencies);

/*
 * Puts the nodes of each row in the order of their values, largest first and
 * those without a value last, and adds up the values.  For nodes that are not
 * below each other.  Returns 0 or -ENOMEM.
 */
int td_report_rank(struct td_report *report);

#endif
