/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_ERRORS_H
#define TD_CMD_VIEW_ERRORS_H

#include "cmd/view/view.h"
#include "metrics/eval/finished.h"

/* Sets the values of what rested, and what goes by them. */
int td_view_set_rested(struct td_view *view, const struct td_rested *rested,
		       const struct td_totals *totals,
		       const struct td_times *times, struct td_report *report,
		       struct td_err *err);

/*
 * Sets the errors of the values of report, which was computed from these
 * counts and totals, aggregated by agg, by metrics/eval/errors.c.  Of what is
 * counted in time also the ranges of its cells and the phases of its rows.
 * Returns -ENOMEM.
 */
int td_view_fill_errors(struct td_view *view, const struct td_aggregator *agg,
			const struct td_counted *counted,
			const struct td_totals *totals,
			struct td_report *report, struct td_err *err);
/*
 * errors_joined.c: the same for the runs that the view keeps; totals and times
 * are joined of them.
 */
int td_view_fill_joined_errors(struct td_view *view,
			       const struct td_totals *totals,
			       const struct td_times *times,
			       struct td_report *report, struct td_err *err);

/* A further evaluation of the same counts; its report borrows names from totals. */
struct td_round {
	struct td_totals totals;
	struct td_report report;
};

/* Free with td_round_free(), even after an error. */
int td_round_eval(struct td_round *round, struct td_view *view,
		  const struct td_aggregator *agg,
		  const struct td_readings *readings,
		  const struct td_times *times, struct td_err *err);
void td_round_free(struct td_round *round);

/* Without a batch; of CPU times, the same share is left as of the time. */
struct td_times td_times_without(const struct td_counted *counted,
				 size_t batch);
/* Adds what each step of PERF_METRICS would change in the report. */
int td_view_add_steps(struct td_view *view, const struct td_totals *totals,
		      const struct td_times *times, struct td_errors *errors,
		      struct td_err *err);

/* errors_joined.c */
/* Runs that differ by more did not do the same. */
#define TD_SAME_WORK 0.02

/* --no-multiplex: keeps what a run counted until td_view_join(). */
int td_view_add_joined(struct td_view *view, const struct td_totals *totals,
		       const struct td_counted *counted, struct td_err *err);
/*
 * Are runs kept for the errors of what they counted?  A mean of several results
 * has the errors of a mean, and events have none.
 */
bool td_view_keeps_runs(const struct td_view *view);

#endif
