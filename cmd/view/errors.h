/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/view/view.h"
#include "metrics/eval/finished.h"

/* Set the values of nodes that were idle part of the time, and values that depend on them. */
void td_view_set_paused(struct td_view *view, const struct td_paused *paused,
			const struct td_totals *totals, const struct td_times *times,
			struct td_report *report);

/*
 * Set the errors of the values of report, which was computed from these counts and totals,
 * aggregated by agg (metrics/eval/errors.c).  Unless the counts are samples, also set the ranges
 * of its cells and the phases of its rows.
 */
void td_view_fill_errors(struct td_view *view, const struct td_aggregator *agg,
			 const struct td_counted *counted, const struct td_totals *totals,
			 struct td_report *report);
/*
 * Set the errors of the joined result of the runs that the view keeps, with these totals and times.
 */
void td_view_fill_joined_errors(struct td_view *view, const struct td_totals *totals,
				const struct td_times *times, struct td_report *report);

/* Result of another evaluation of the same counts.  The report borrows names from totals. */
struct td_round {
	struct td_totals totals;
	struct td_report report;
};

/* Evaluate readings.  Free with td_round_free(). */
void td_round_eval(struct td_round *round, struct td_view *view, const struct td_aggregator *agg,
		   const struct td_readings *readings, const struct td_times *times);
void td_round_free(struct td_round *round);

/* Runs did different work if their instructions differ by more than this part. */
#define TD_SAME_WORK 0.02

/* --no-multiplex: keep the counts of a run until td_view_join(). */
void td_view_add_joined(struct td_view *view, const struct td_totals *totals,
			const struct td_counted *counted);
/*
 * Return true if runs are kept for errors.  A mean of several results has the errors of a
 * mean, and events have none.
 */
bool td_view_keeps_runs(const struct td_view *view);
