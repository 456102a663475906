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

#include "lib/count/aggregate.h"
#include "lib/count/latencies.h"
#include "lib/count/report.h"
#include "lib/count/specs.h"
#include "lib/plan/plan.h"
#include "metrics/table/ratios.h"

/*
 * The event table.  Zeroed but for the first two; what is the same in all intervals
 * is prepared at the first, and memory is used again.  Free it with
 * td_event_table_free().
 */
struct td_event_table {
	const struct td_plan *plan; /* borrowed */
	bool hybrid;                /* an event on several kinds is one row */
	struct td_event_report report;

	/* What it was prepared for: the plan's events, and those refused. */
	size_t nr_events, nr_refused;
	struct td_specs specs;
	struct td_ratios ratios;
	size_t nr_pmus;
	/* for each event: it gets no row; its name, if it is a sum, or NULL */
	bool *left_out;
	char **names;

	/* The interval: */
	const struct td_totals *totals;
	const struct td_times *times;
	bool each; /* the rows come cgroup by cgroup */
	/* the ids of the current block of rows, without last */
	size_t first, last;
	bool *anywhere; /* for each event: it belongs to some id */
	/* [id][event]: sums over the kinds of core, and their ratios */
	struct td_total *sums;
	struct td_ratios merged_ratios;
	bool *elsewhere; /* [id][event]: the tasks ran on other kinds of core */
	bool *looked_at; /* [id][PMU]: some event of it was opened */
};

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
/* Also when the plan may be another one, as that of the next run. */
void td_event_table_free(struct td_event_table *table);
/*
 * Gives the events that were sampled, those with the modifier R, the mean of their
 * retire latencies, in whole cycles as in perf, or no value if there were too few
 * samples.
 */
void td_event_rows_set_latencies(struct td_event_report *report,
				 const struct td_plan *plan,
				 const struct td_latencies *latencies);

#endif
