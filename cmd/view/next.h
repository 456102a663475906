/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/output/advice.h"
#include "cmd/request.h"
#include "cmd/view/source.h"
#include "cmd/view/view.h"
#include "metrics/verdict/verdict.h"

/* Set the command lines of an advice whose verdict is set.  Call td_next_free() afterwards. */
void td_next_make(struct td_advice *advice, const struct td_source *source,
		  const struct td_request *request);
void td_next_free(struct td_advice *advice);

/* Find the verdict on a finished report of these totals. */
void td_view_find_verdict(struct td_view *view, const struct td_totals *totals,
			  const struct td_times *times, struct td_report *report,
			  struct td_verdict *verdict);

/*
 * Find which values are significantly above their thresholds.  The report has errors, and was
 * computed from these totals, of one id.
 */
void td_view_find_clear(struct td_view *view, const struct td_totals *totals,
			const struct td_times *times, struct td_report *report);
