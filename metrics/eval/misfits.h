/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_MISFITS_H
#define TD_METRICS_EVAL_MISFITS_H

#include "lib/count/report.h"

/*
 * Sets the misfit of cells whose values cannot be, beyond their errors:
 * percentages of nodes below 0 or above 100, and nodes of levels 1 and 2 that
 * are larger than their parents.  Cells that have a misfit keep it.
 */
void td_report_find_misfits(struct td_report *report);

#endif
