/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/recording: counts that are kept in a file.
 *
 * In: what one run counts, interval by interval (write.c).
 * Out: the same machine, plan and readings, whenever a report wants them
 * (read.c).  Files that perf stat wrote are read through lib/recording/perf.
 */
#ifndef TD_LIB_RECORDING_RECORDING_H
#define TD_LIB_RECORDING_RECORDING_H

#include <stdio.h>
#include <sys/types.h>

#include "lib/count/aggregate.h"
#include "lib/count/readings.h"
#include "lib/count/report.h"
#include "lib/machine/cpu.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/target/name.h"

/*
 * Recordings: JSON Lines, described in tdstat-recording(5).  The first line says
 * what was counted on what, then a line an interval with its differences, then
 * an end line.
 */

struct td_recording_info {
	int interval_ms; /* 0: one line for the whole run */
	struct td_target_name target;
	uint64_t tsc_hz; /* 0: not known */
	bool tasks;      /* counted in tasks, not on whole CPUs */
	bool of_events;  /* a table of typed events; else a tree of metrics */
	/* What was asked for, as td_ask has it; nothing: level 1. */
	int level, only_level;
	char **metrics;
	size_t nr_metrics;
	enum td_aggregation how;
	bool sums; /* perf's sums: a CPU stands for a core, a socket ... */
	int cache_level; /* of TD_AGGREGATE_CACHE; 0: the last one */
	/* td_reading.cgroup is 1 + an index of these. */
	char **cgroups;
	size_t nr_cgroups;
};

/*
 * places has an entry for each CPU of machine->online.  The caller checks fp for
 * errors, here and below.
 */
void td_recording_write_head(FILE *fp, const struct td_machine *machine,
			     const struct td_place *places,
			     const struct td_plan *plan,
			     const struct td_recording_info *info);
/*
 * times has the CPU times, if they were counted.  Names of tasks that are new
 * since the last call are written first.
 */
void td_recording_write_counts(FILE *fp, uint64_t time_ns,
			       const struct td_times *times,
			       struct td_task_names *names,
			       const struct td_readings *delta);
void td_recording_write_end(FILE *fp, const struct td_usage *usage,
			    int exit_status);

struct td_perf_file;

/* A recording being read, or what perf stat wrote. */
struct td_recording {
	FILE *fp;
	const char *path; /* borrowed */
	bool is_file;     /* not a pipe, or a terminal */
	dev_t dev;        /* which file */
	ino_t ino;
	size_t line; /* the line that was read last, and its text */
	char *text;
	size_t size; /* of the memory at text */
	struct td_perf_file
		*perf; /* NULL: a recording, of which the rest is unread */
	struct td_machine machine; /* its PMUs know names of events alone */
	struct td_plan plan;       /* events and groups, no configs */
	struct td_recording_info info;
	struct td_place
		*places; /* one a CPU of machine.online; NULL: not known */
	struct td_task_names names; /* of tasks, in the lines so far */
	struct td_times times;      /* of the last interval */
	uint64_t time_ns;           /* when it ended */
	bool ended;                 /* the end line was there */
	bool cut_off;               /* it stops in the middle of a line */
	struct td_usage usage;      /* of the end line */
};

/*
 * Opens path ("-": standard input) and reads the first line.  Free with
 * td_recording_close(), whatever the result.
 */
int td_recording_open(struct td_recording *rec, const char *path,
		      struct td_err *err);
/* True if fd writes to the file that is being read. */
bool td_recording_is_written(const struct td_recording *rec, int fd);
/*
 * The next interval; readings->v is grown as needed and is the caller's to
 * free.  1: there is no more, and only blanks stand behind the end line.  Times
 * that go back are an error; errors name file and line.
 */
int td_recording_next(struct td_recording *rec, uint64_t *time_ns,
		      struct td_readings *readings, struct td_err *err);
void td_recording_close(struct td_recording *rec);

/* Sets an error that names the file and the line read last: -EINVAL. */
static inline int td_recording_bad(const struct td_recording *rec,
				   struct td_err *err, const char *what)
{
	return td_err_line(err, rec->path, rec->line, what);
}

#endif
