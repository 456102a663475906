/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_CGROUPS_H
#define TD_CMD_RUN_CGROUPS_H

#include "cmd/plan/job.h"
#include "lib/counter/counter.h"

/*
 * After a read: says which of the target's cgroups were removed, and counts on in
 * those of the same name that were made since.
 */
void td_cgroups_follow(struct td_job *job, struct td_counter *counter);

#endif
