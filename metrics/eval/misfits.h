/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_MISFITS_H
#define TD_METRICS_EVAL_MISFITS_H

#include "lib/count/report.h"

/*
 * The four fields of level 1 may be so much of the slots before something is wrong:
 * they are rounded, and read a moment after the slots.
 */
#define TD_MOST_SUM 1.02

/*
 * Before td_report_find_misfits(): where the fields are more than that, but not
 * by far, values with an error have a larger one, and no misfit.
 */
void td_report_bear_sums(struct td_report *report);
/*
 * Sets the misfit of cells whose values cannot be, beyond their errors: level 1 of
 * AMD, if it is not all of the slots; percentages of nodes below 0 or above 100, and
 * nodes of levels 1 and 2 that are larger than their parents.  Cells that have a
 * misfit keep it.
 */
void td_report_find_misfits(struct td_report *report);

#endif
