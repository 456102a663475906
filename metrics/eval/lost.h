/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_LOST_H
#define TD_METRICS_EVAL_LOST_H

#include "lib/count/report.h"

/*
 * Sets lost_pct of the rows, and has_lost if they are of several ids.  cgroups:
 * the ids are of cgroups, so that "a/b" has slots that "a" has, too; they are
 * not added up.  Returns -ENOMEM.
 */
int td_report_find_lost(struct td_report *report, bool cgroups);
/*
 * Puts the ids that lost most first, on all kinds of core together; those that lost
 * the same keep their order, and so do the rows of an id, which stand together.
 */
int td_report_sort_by_lost(struct td_report *report);

#endif
