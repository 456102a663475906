/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_ROUND_H
#define TD_CMD_VIEW_ROUND_H

/* Further evaluations of the same counts, for their errors. */
#include "cmd/view/view.h"
#include "metrics/eval/errors.h"

/* A further report; it borrows names from totals. */
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
/*
 * Adds the report without each batch of the course.  events: as in
 * td_course_leave_out().
 */
int td_view_leave_out(struct td_view *view, const struct td_aggregator *agg,
		      const struct td_counted *counted, const bool *events,
		      struct td_errors *errors, struct td_err *err);

/* Without a batch; of CPU times, the same share is left as of the time. */
struct td_times td_times_without(const struct td_counted *counted,
				 size_t batch);
/* Adds what each step of PERF_METRICS would change in the report. */
int td_view_add_steps(struct td_view *view, const struct td_totals *totals,
		      const struct td_times *times, struct td_errors *errors,
		      struct td_err *err);

#endif
