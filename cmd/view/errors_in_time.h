/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_ERRORS_IN_TIME_H
#define TD_CMD_VIEW_ERRORS_IN_TIME_H

#include "cmd/view/view.h"
#include "metrics/eval/rested.h"

/*
 * td_view_fill_errors() of what is counted in time; sets the ranges of the
 * report's cells and the phases of its rows, too.
 */
int td_view_fill_errors_in_time(struct td_view *view,
				const struct td_aggregator *agg,
				const struct td_counted *counted,
				const struct td_totals *totals,
				struct td_report *report, struct td_err *err);
/* Sets the values of what rested, and what goes by them. */
int td_view_set_rested(struct td_view *view, const struct td_rested *rested,
		       const struct td_totals *totals,
		       const struct td_times *times, struct td_report *report,
		       struct td_err *err);

#endif
