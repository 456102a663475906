/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_RATE_H
#define TD_CMD_SAMPLE_RATE_H

#include "cmd/plan/job.h"
#include "lib/sample/sampler.h"

/*
 * How each event of the job's plan is sampled: as often as the user wants, or
 * else usual times a second, and as precisely as its modifiers say.  A note tells
 * that the kernel allows less.  The caller frees it; NULL: memory ran out.
 */
struct td_sampling *td_rate_make(struct td_job *job, int usual);

#endif
