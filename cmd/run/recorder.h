/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <sys/types.h>

#include "cmd/plan/job.h"
#include "cmd/view/source.h"
#include "lib/count/latencies.h"
#include "lib/count/readings.h"
#include "lib/count/timeline.h"

struct td_zstd;

/*
 * Writer of the recording of tdstat record; without a stream, it writes nothing.  A file
 * with the name of a zstd file is compressed.
 */
struct td_recorder {
	FILE *fp;             /* NULL: no recording is wanted, or it is not open yet */
	struct td_zstd *zstd; /* compressor; NULL: the file is not compressed */
	const char *name;     /* name for errors */
	char *stamped;        /* name with a time stamp, owned; NULL: a single file */
	dev_t dev;            /* device and inode of the file */
	ino_t ino;
	bool failed;             /* a line could not be written, so no more are */
	bool stuck;              /* a message said that the next file cannot be opened */
	bool replaces;           /* keep an old recording until the command runs */
	size_t nr_cpus;          /* number of CPUs whose places were written */
	uint64_t start_ns;       /* start on the wall clock, since 1970; 0: unknown */
	struct td_clocks clocks; /* start on other clocks */
	uint64_t base_ns;        /* time from the start to the beginning of this file */
	uint64_t last_ns;        /* time from the start to the end of the last interval */
	uint64_t next_ns;        /* time from the start to the next file; 0: never */
};

int td_recorder_open(struct td_recorder *recorder, const char *name, struct td_err *err);
/* Write the first line.  Call it when the counters are open, because that may refuse events. */
int td_recorder_begin(struct td_recorder *recorder, struct td_job *job,
		      const struct td_source *source, struct td_err *err);
/* Write latencies that have changed, before the counts that they belong to. */
void td_recorder_put_latencies(struct td_recorder *recorder, struct td_latencies *latencies);
/* Write the places of CPUs if more have come online, before their counts. */
void td_recorder_put_places(struct td_recorder *recorder, const struct td_job *job);
int td_recorder_put(struct td_recorder *recorder, const struct td_counted *counted,
		    struct td_task_names *names, struct td_err *err);
/* Write the end line of the last file.  usage is for the whole run. */
int td_recorder_end(struct td_recorder *recorder, const struct td_usage *usage, int exit_status,
		    struct td_err *err);
/* Return true if fp is the recorder's file. */
bool td_recorder_is_file(const struct td_recorder *recorder, FILE *fp);
/* Return the size of the file so far in bytes. */
uint64_t td_recorder_size(const struct td_recorder *recorder);
/*
 * End the file after its last interval and continue in fp, which the recorder then owns, under
 * this name.  The new file starts with all that readers need.
 */
int td_recorder_switch(struct td_recorder *recorder, FILE *fp, const char *name, struct td_job *job,
		       const struct td_source *source, struct td_err *err);
int td_recorder_close(struct td_recorder *recorder, struct td_err *err);
