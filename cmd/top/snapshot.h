/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_SNAPSHOT_H
#define TD_CMD_TOP_SNAPSHOT_H

#include "lib/base/err.h"
#include "lib/count/report.h"
#include "metrics/verdict/verdict.h"

/*
 * What the screen shows: an interval, whole and in rows.  It is kept until the
 * next one comes, as keys change what is shown of it.  The ids of the rows are
 * owned; columns, nodes and names of PMUs are the source's.
 */
struct td_top_snapshot {
	bool has_whole; /* not of cgroups */
	struct td_report whole, rows;
	struct td_verdict verdict; /* of the whole; its row is in whole */
};

/* Copies a report in place of the one before.  Returns 0 or -ENOMEM. */
int td_top_keep(struct td_report *kept, const struct td_report *report,
		struct td_err *err);

void td_top_snapshot_free(struct td_top_snapshot *snapshot);

#endif
