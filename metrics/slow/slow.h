/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/slow: what slow calls have more than those around the median.
 *
 * In: the rows of a report with the facts of timed calls.
 * Out: struct td_slow: shares of the time that a slow call takes longer.
 */
#ifndef TD_METRICS_SLOW_SLOW_H
#define TD_METRICS_SLOW_SLOW_H

#include "lib/count/regions.h"
#include "lib/count/report.h"

/*
 * Of the timed function of that index.  Rows have their values still, whatever the
 * number of their calls.  It refers to the report's rows, and to names of its columns.
 * 0 or -ENOMEM.
 */
int td_slow_find(const struct td_report *report, const struct td_timed *timed,
		 size_t at, struct td_slow *out);

#endif
