/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_RECORDER_H
#define TD_CMD_RUN_RECORDER_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/plan/job.h"
#include "cmd/view/source.h"
#include "lib/count/course.h"
#include "lib/count/latencies.h"
#include "lib/count/readings.h"

/* Writes the recording of tdstat record; without a stream, nothing. */
struct td_recorder {
	FILE *fp;          /* NULL: no recording is wanted, or not yet open */
	const char *name;  /* for errors */
	bool no_memory;    /* a line is missing: it takes no more */
	bool replaces;     /* an old recording stays until the command runs */
	size_t nr_cpus;    /* whose places were written */
	uint64_t start_ns; /* of the wall clock, since 1970; 0: not kept */
	struct td_clocks clocks; /* the same moment */
};

int td_recorder_open(struct td_recorder *recorder, const char *name,
		     struct td_err *err);
/*
 * Writes the first line.  Call it when the counters are open, because that may
 * refuse events.
 */
int td_recorder_begin(struct td_recorder *recorder, struct td_job *job,
		      const struct td_source *source, struct td_err *err);
/* If they have changed, before the counts that they belong to. */
int td_recorder_put_latencies(struct td_recorder *recorder,
			      struct td_latencies *latencies,
			      struct td_err *err);
/* If others have come online, before their counts. */
int td_recorder_put_places(struct td_recorder *recorder,
			   const struct td_job *job, struct td_err *err);
int td_recorder_put(struct td_recorder *recorder,
		    const struct td_counted *counted,
		    struct td_task_names *names, struct td_err *err);
int td_recorder_end(struct td_recorder *recorder, const struct td_usage *usage,
		    int exit_status, struct td_err *err);
int td_recorder_close(struct td_recorder *recorder, struct td_err *err);

#endif
