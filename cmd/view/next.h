/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_NEXT_H
#define TD_CMD_VIEW_NEXT_H

#include "cmd/out/advice.h"
#include "cmd/request.h"
#include "cmd/view/source.h"
#include "cmd/view/view.h"
#include "metrics/verdict/verdict.h"

/*
 * Sets the command lines of an advice whose verdict is set.  Returns -ENOMEM; free
 * with td_next_free() even then.
 */
int td_next_make(struct td_advice *advice, const struct td_source *source,
		 const struct td_request *request, struct td_err *err);
void td_next_free(struct td_advice *advice);

/*
 * Shows the verdict on a finished report of these totals, if it is wanted and
 * there is one to show.
 */
int td_view_put_verdict(struct td_view *view, const struct td_totals *totals,
			const struct td_times *times, struct td_report *report,
			struct td_err *err);

/*
 * Finds the verdict on a finished report of these totals, as the one above
 * does, and shows nothing.
 */
int td_view_find_verdict(struct td_view *view, const struct td_totals *totals,
			 const struct td_times *times, struct td_report *report,
			 struct td_verdict *verdict, struct td_err *err);

/*
 * Finds which values of a report, which has its errors, are over their thresholds
 * for sure.  The totals are its own, of one id.
 */
int td_view_find_clear(struct td_view *view, const struct td_totals *totals,
		       const struct td_times *times, struct td_report *report,
		       struct td_err *err);

#endif
