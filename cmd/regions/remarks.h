/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REGIONS_REMARKS_H
#define TD_CMD_REGIONS_REMARKS_H

#include "cmd/plan/job.h"
#include "lib/count/report.h"
#include "lib/recording/region_sums.h"

/*
 * Says once what is not as it was asked for: what was lost, and why.  folder: where
 * the files were to be.
 */
void td_regions_say(const struct td_job *job,
		    const struct td_region_files *files, const char *folder);

/*
 * Says what to type next, if the largest cause of a function's slow calls is a node:
 * one more level, or where the program loses slots to it.
 */
void td_calls_say_next(const struct td_job *job,
		       const struct td_report *report);

#endif
