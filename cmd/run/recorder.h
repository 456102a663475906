/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_RECORDER_H
#define TD_CMD_RUN_RECORDER_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "cmd/plan/job.h"
#include "cmd/view/source.h"
#include "lib/count/course.h"
#include "lib/count/latencies.h"
#include "lib/count/readings.h"

struct td_zstd;

/*
 * Writes the recording of tdstat record; without a stream, nothing.  What has the
 * name of a file of zstd is compressed.
 */
struct td_recorder {
	FILE *fp; /* NULL: no recording is wanted, or not yet open */
	struct td_zstd *zstd; /* what it is packed by; NULL: it is plain */
	const char *name;     /* for errors */
	char *stamped;        /* the name, if it is one of several: owned */
	dev_t dev;            /* which file it is */
	ino_t ino;
	bool failed;       /* a line is missing: it takes no more */
	bool stuck;        /* it was said that the next file cannot be opened */
	bool replaces;     /* an old recording stays until the command runs */
	size_t nr_cpus;    /* whose places were written */
	uint64_t start_ns; /* of the wall clock, since 1970; 0: not kept */
	struct td_clocks clocks; /* the same moment */
	uint64_t base_ns;        /* after the start, this file began */
	uint64_t last_ns;        /* the same of the end of its last interval */
	uint64_t next_ns; /* and of when the next file is to begin; 0: never */
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
/* Is it the file that fp was opened for? */
bool td_recorder_is_file(const struct td_recorder *recorder, FILE *fp);
/* The bytes that the file has so far. */
uint64_t td_recorder_size(const struct td_recorder *recorder);
/*
 * Ends the file after its last interval, and goes on in fp, which the recorder
 * closes, under this name.  All that readers must know is written again.
 */
int td_recorder_go_on(struct td_recorder *recorder, FILE *fp, const char *name,
		      struct td_job *job, const struct td_source *source,
		      struct td_err *err);
/* The end of the last file, for usage of the whole run. */
int td_recorder_end(struct td_recorder *recorder, const struct td_usage *usage,
		    int exit_status, struct td_err *err);
int td_recorder_close(struct td_recorder *recorder, struct td_err *err);

#endif
