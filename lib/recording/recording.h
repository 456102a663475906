/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/recording: writes counts to a file and reads them back.
 *
 * In: the counts of a run, interval by interval (write.c).
 * Out: the same machine, plan and readings, for a report (read.c).  Files that
 * perf stat wrote are read by lib/recording/perf.
 */
#ifndef TD_LIB_RECORDING_RECORDING_H
#define TD_LIB_RECORDING_RECORDING_H

#include <stdio.h>
#include <sys/types.h>

#include "lib/base/identity.h"
#include "lib/base/util.h"
#include "lib/count/aggregator.h"
#include "lib/count/ask.h"
#include "lib/count/course.h"
#include "lib/count/latencies.h"
#include "lib/count/readings.h"
#include "lib/count/regions.h"
#include "lib/count/report.h"
#include "lib/machine/cpu.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/*
 * A recording is JSON Lines (tdstat-recording(5)).  The first line describes
 * the machine and the events.  A line for each interval follows, then an end
 * line.
 */

struct td_recording_info {
	int interval_ms;         /* 0: one interval, the whole run */
	uint64_t start_ns;       /* whole ms since 1970; 0: unknown */
	struct td_clocks clocks; /* the same moment */
	struct td_target_name target;
	struct td_identity identity; /* of who counted */
	uint64_t tsc_hz;             /* 0: unknown */
	bool tasks;                  /* counted in tasks, not on whole CPUs */
	bool of_events;    /* a table of typed events; else a tree of metrics */
	struct td_ask ask; /* if nothing is asked for: level 1 */
	bool latencies;    /* samples told retire latencies */
	/* written: folder and version of the model's files; NULL: none was read */
	const char *files, *files_version;
	enum td_aggregation how;
	bool sums; /* perf's sums: each CPU stands for a core, socket ... */
	int cache_level; /* for TD_AGGREGATE_CACHE; 0: the last one */
	/* td_reading.cgroup is 1 + an index of this array. */
	char **cgroups;
	size_t nr_cgroups;
	/* of these, in the same order, "" for none; or there are none at all */
	char **containers;
	size_t nr_containers;
};

/*
 * Writes the first line.  places has an element for each CPU of
 * machine->online.  The functions that write return 0 or -ENOMEM, and leave it
 * to the caller to check fp for errors.
 */
int td_recording_write_head(FILE *fp, const struct td_machine *machine,
			    const struct td_place *places,
			    const struct td_plan *plan,
			    const struct td_recording_info *info);
/* Writes where CPUs are, of which some have come online, before their counts. */
int td_recording_write_topology(FILE *fp, const struct td_machine *machine,
				const struct td_place *places);
/*
 * Writes an interval, after the names of tasks that are new.  times has CPU
 * times if they were counted.
 */
int td_recording_write_counts(FILE *fp, uint64_t time_ns,
			      const struct td_times *times,
			      struct td_task_names *names,
			      const struct td_readings *delta);
/* Writes the regions that the next counts refer to. */
int td_recording_write_regions(FILE *fp, const struct td_machine *machine,
			       const struct td_regions *regions);
/* Writes the latencies that belong to the next counts, and to those after them. */
int td_recording_write_latencies(FILE *fp,
				 const struct td_latencies *latencies);
/* Writes the course of the next counts, if it has more than one batch. */
int td_recording_write_course(FILE *fp, const struct td_course *course);
int td_recording_write_end(FILE *fp, const struct td_usage *usage,
			   int exit_status);

struct td_perf_file;
struct td_zstd;

/* A recording that is read, or a file of perf stat. */
struct td_recording {
	FILE *fp;
	struct td_zstd *zstd; /* what it is unpacked by; NULL: it is plain */
	const char *path;     /* borrowed */
	bool is_stdin;        /* which stays open */
	bool is_file;         /* not a pipe, or a terminal */
	dev_t dev;            /* which file */
	ino_t ino;
	size_t line; /* the line that was read last, and its text */
	char *text;
	size_t size;               /* of the memory at text */
	struct td_perf_file *perf; /* what perf stat wrote; NULL: a recording */
	struct td_machine machine; /* PMUs know only the names of events */
	struct td_plan plan;       /* events and groups without configs */
	struct td_recording_info info;
	struct td_place *places;    /* for each CPU online; NULL if unknown */
	struct td_task_names names; /* of tasks, in the lines so far */
	struct td_regions regions;  /* of the counts; nr 0: there are none */
	struct td_times times;      /* of the last interval */
	struct td_course course;    /* and how its counts came about */
	struct td_latencies latencies; /* until its end */
	uint64_t time_ns;              /* when it ended */
	uint64_t base_ns;              /* of several: when this one began */
	bool ended;                    /* the end line was read */
	bool cut_off;                  /* it ends in the middle of a line */
	struct td_usage usage;         /* from the end line */
};

/*
 * Opens path ("-" is standard input), which may be compressed by zstd, and reads
 * the first line.  Free with td_recording_close(), also after an error.
 */
int td_recording_open(struct td_recording *rec, const char *path,
		      struct td_err *err);
/* True if path is a file that begins as a recording does. */
bool td_recording_is_at(const char *path);
/* True if fd writes to the file that is being read. */
bool td_recording_is_written(const struct td_recording *rec, int fd);
/*
 * Reads the next interval into readings, which the caller owns and reuses.
 * Returns 1 at the end, after which only blanks may follow.  Errors name file
 * and line.
 */
int td_recording_next(struct td_recording *rec, uint64_t *time_ns,
		      struct td_readings *readings, struct td_err *err);
void td_recording_close(struct td_recording *rec);

/* Sets an error with the file and the line read last; returns -EINVAL. */
static inline int td_recording_bad(const struct td_recording *rec,
				   struct td_err *err, const char *what)
{
	return td_err_line(err, rec->path, rec->line, what);
}

/*
 * Several recordings of one machine in a row, as record --rotate writes them, read
 * as one: times are from the start of the first one, and go on.
 */

/* Recordings of older versions, and of --no-host, do not say: they are of any. */
bool td_recording_has_other_host(const struct td_recording_info *a,
				 const struct td_recording_info *b);
/*
 * Returns 0 if what is in next, of the same host, goes on what is in rec: the same
 * machine, events and options, and a start that is not before since_ns (0:
 * unknown) or rec's.  Else an error that says what differs.
 */
int td_recording_goes_on(const struct td_recording *rec,
			 const struct td_recording *next, uint64_t since_ns,
			 struct td_err *err);
/*
 * At the end of a recording: goes on with the file at path, which must outlive rec.
 * What lies between the two belongs to no interval.
 */
int td_recording_follow(struct td_recording *rec, const char *path,
			struct td_err *err);

#endif
