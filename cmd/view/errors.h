/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_ERRORS_H
#define TD_CMD_VIEW_ERRORS_H

#include "cmd/view/view.h"
#include "metrics/eval/errors.h"

/*
 * Sets the errors of the values of report, which was computed from these
 * counts and totals, aggregated by agg, by metrics/eval/errors.h.  Returns
 * -ENOMEM.
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

#endif
