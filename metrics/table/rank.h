/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_RANK_H
#define TD_METRICS_TABLE_RANK_H

#include "lib/count/report.h"

/*
 * Puts the nodes of each row in the order of their values, largest first and
 * those without a value last, and adds up the values.  For nodes that are not
 * below each other.  Returns 0 or -ENOMEM.
 */
int td_report_rank(struct td_report *report);

#endif
