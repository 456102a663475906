/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_ORDER_H
#define TD_METRICS_DIFF_ORDER_H

#include "metrics/diff/result.h"

/* Marks what is more than chance, of all rows together.  Returns 0 or -ENOMEM. */
int td_diff_mark(struct td_diff *diff);
/* Sorts the rows as struct td_diff says.  Returns 0 or -ENOMEM. */
int td_diff_sort(struct td_diff *diff);

#endif
