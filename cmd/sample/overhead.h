/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_OVERHEAD_H
#define TD_CMD_SAMPLE_OVERHEAD_H

#include "cmd/plan/job.h"
#include "lib/sample/sampler.h"

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
