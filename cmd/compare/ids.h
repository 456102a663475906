/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_COMPARE_IDS_H
#define TD_CMD_COMPARE_IDS_H

#include "lib/count/aggregation.h"
#include "lib/count/totals.h"

/*
 * What both sides call the ids: "all", a cgroup, a region, the name of a thread
 * without its tid, which is another one in each run.  One piece of memory, to be
 * freed; NULL if there was none.
 */
char **td_ids_name(const struct td_totals *totals, enum td_aggregation how);

#endif
