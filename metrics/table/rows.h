/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/table: counts as a table of events.
 *
 * In: a plan of events that were typed, and the totals of one interval.
 * Out: struct td_event_report: a row for each event, and beside it what it comes
 * to (beside.h).  spread.h says how far several runs lie apart.
 */
#ifndef TD_METRICS_TABLE_ROWS_H
#define TD_METRICS_TABLE_ROWS_H

#include "lib/count/aggregate.h"
#include "lib/count/report.h"
#include "lib/plan/plan.h"

/*
 * The event table: a row for each event that was typed and each id: all ids of
 * an event, or with totals->by_id all events of an id, in the order of the text.  What was refused is "not supported"; of a name that some
 * PMUs do not have, those that do are shown.  hybrid: an event of several
 * kinds of core is one row.  Where each event is counted for each cgroup, all of
 * a cgroup's come first, then the next one's.  Free with
 * td_event_report_free(), whatever the result; it borrows from plan and totals.
 */
int td_event_rows(const struct td_plan *plan, const struct td_totals *totals,
		  const struct td_times *times, bool hybrid,
		  struct td_event_report *report, struct td_err *err);

#endif
