/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_DRILL_H
#define TD_CMD_RUN_DRILL_H

#include "cmd/plan/job.h"
#include "lib/counter/counter.h"
#include "metrics/drill/drill.h"
#include "metrics/eval/eval.h"

/* -l auto: what is counted changes while it is counted. */
struct td_drilling {
	bool active; /* there is something to choose from */
	struct td_drill drill;
	struct td_evaluation evaluation;
	/* the counts since the last decision, and when that was */
	struct td_readings window;
	struct td_index index;
	uint64_t decided_ns;
	bool switched; /* the last decision changed something */
	bool undone;   /* and that has to be tried again */
};

/* Begins a run whose counters are open; does nothing without -l auto. */
int td_drilling_begin(struct td_drilling *drilling, const struct td_job *job,
		      struct td_err *err);
/* Adds the counts of a read.  Returns 0 or -ENOMEM. */
int td_drilling_add(struct td_drilling *drilling,
		    const struct td_readings *delta);
/* After a read at now_ns: decides if it is time to, and switches groups. */
int td_drilling_decide(struct td_drilling *drilling, const struct td_job *job,
		       struct td_counter *counter, uint64_t now_ns,
		       struct td_err *err);
void td_drilling_end(struct td_drilling *drilling);

#endif
