/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_NEWCOMERS_H
#define TD_CMD_RUN_NEWCOMERS_H

#include "cmd/plan/job.h"
#include "lib/counter/counter.h"

/*
 * After a read, with -a: counts from now on on CPUs that were offline when counting
 * began, too, and says so.  known are the CPUs that were online at any time; empty
 * at first, and the caller frees it.
 */
int td_newcomers_follow(struct td_ints *known, struct td_job *job,
			struct td_counter *counter, uint64_t now_ns,
			struct td_err *err);

#endif
