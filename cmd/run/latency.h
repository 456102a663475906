/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_LATENCY_H
#define TD_CMD_RUN_LATENCY_H

#include "cmd/plan/job.h"
#include "cmd/run/drill.h"
#include "lib/count/latencies.h"
#include "lib/sample/sampler.h"

/*
 * Samples the retire latencies of the job's metrics beside the counters.  Nothing
 * here fails: counting goes on without samples, and the job's notes say so.
 */
struct td_latency_sampling {
	struct td_sampler *sampler; /* NULL: not open */
	struct td_sampling *how;    /* one for each event, like sums */
	struct td_latency *sums;    /* of one read */
	struct td_target target;    /* the job's, with tids of its own */
	struct td_notes unsaid;     /* what only concerns the samples */
	bool tried;                 /* to open it */
	bool on;
};

/*
 * Opens what samples, if there is any, disabled; late: the command runs already,
 * and what it has started meanwhile is sampled, too.
 */
void td_latency_open(struct td_latency_sampling *latency, struct td_job *job,
		     bool late);
void td_latency_enable(struct td_latency_sampling *latency, bool on);
/*
 * -l auto: samples while metrics with latencies are counted, and opens what does
 * so when they are for the first time.
 */
void td_latency_follow(struct td_latency_sampling *latency, struct td_job *job,
		       const struct td_drilling *drilling);
/* Adds the new samples to all, and gives their means to the job's tree. */
void td_latency_read(struct td_latency_sampling *latency,
		     const struct td_job *job, struct td_latencies *all);
/* Notes which latencies had too few samples; with -v, prints them all. */
void td_latency_explain(const struct td_latency_sampling *latency,
			struct td_job *job, const struct td_latencies *all);
void td_latency_close(struct td_latency_sampling *latency);

#endif
