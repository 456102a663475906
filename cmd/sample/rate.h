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

/*
 * --overhead: measures in this thread, for a moment, what a sample costs, in the
 * kernel and to read it, and lowers the frequencies of the job's events.  how: of
 * each of them; those with a period of 0 do not sample.  by: a job whose events
 * happen in any work, and how they are sampled; may be the same.  A note tells
 * the result.
 */
int td_overhead_limit(struct td_job *job, struct td_sampling *how,
		      struct td_job *by, const struct td_sampling *by_how,
		      const struct td_record_format *format,
		      struct td_err *err);

#endif
