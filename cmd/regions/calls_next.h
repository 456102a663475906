/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REGIONS_CALLS_NEXT_H
#define TD_CMD_REGIONS_CALLS_NEXT_H

#include "cmd/plan/job.h"
#include "lib/count/report.h"

/*
 * Says what to type next, if the largest cause of a function's slow calls is a node:
 * one more level, or where the program loses slots to it.
 */
void td_calls_say_next(const struct td_job *job,
		       const struct td_report *report);

#endif
