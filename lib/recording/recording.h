/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/recording: writes counts to a file and reads them back.
 *
 * In: the counts of a run, interval by interval (write.c).
 * Out: the same machine, plan and readings, for a report (read.c).  Files that
 * perf stat wrote are read by a struct td_foreign.
 */
#pragma once

#include <sys/types.h>

#include "lib/base/identity.h"
#include "lib/base/json.h"
#include "lib/count/aggregator.h"
#include "lib/count/ask.h"
#include "lib/count/latencies.h"
#include "lib/count/readings.h"
#include "lib/count/regions.h"
#include "lib/count/report.h"
#include "lib/count/timeline.h"
#include "lib/machine/cpu.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"

/*
 * A recording is JSON Lines (tdstat-recording(5)).  The first line describes the machine and the
 * events.  A line for each interval follows, then an end line.
 */

struct td_recording_info {
	int interval_ms;         /* 0: one interval, the whole run */
	uint64_t start_ns;       /* start in ns since 1970, in whole ms; 0: unknown */
	struct td_clocks clocks; /* the start on other clocks */
	struct td_target_name target;
	struct td_identity identity; /* identity of the machine and tdstat that counted */
	uint64_t tsc_hz;             /* 0: unknown */
	bool tasks;                  /* counted in tasks, not on whole CPUs */
	bool of_events;              /* a table of typed events, rather than a tree of metrics */
	struct td_ask ask;           /* requested metrics; empty: level 1 */
	bool latencies;              /* retire latencies were sampled */
	/* directory and version of the model's files, never read back; NULL: no files were used */
	const char *files, *files_version;
	enum td_aggregation how;
	bool sums; /* imported sums of perf stat: a CPU number represents a core, socket ... */
	int cache_level; /* level for TD_AGGREGATE_CACHE; 0: the last one */
	char **cgroups;  /* td_reading.cgroup is 1 + an index of this array */
	size_t nr_cgroups;
	char **containers; /* containers of the cgroups, "" for none; may be empty */
	size_t nr_containers;
};

/*
 * Write the first line.  places has an element for each CPU of machine->online.  Callers of the
 * functions that write must check fp for errors.
 */
void td_recording_write_head(FILE *fp, const struct td_machine *machine,
			     const struct td_place *places, const struct td_plan *plan,
			     const struct td_recording_info *info);
/* Write the places of all CPUs.  Call when CPUs have come online, before writing their counts. */
void td_recording_write_topology(FILE *fp, const struct td_machine *machine,
				 const struct td_place *places);
/*
 * Write the names of new tasks, then an interval.  times includes CPU times if they were measured.
 */
void td_recording_write_counts(FILE *fp, uint64_t time_ns, const struct td_times *times,
			       struct td_task_names *names, const struct td_readings *delta);
/* Write the regions to which the next counts refer. */
void td_recording_write_regions(FILE *fp, const struct td_machine *machine,
				const struct td_regions *regions);
/* Write the latencies that apply to the next counts and all later ones. */
void td_recording_write_latencies(FILE *fp, const struct td_latencies *latencies);
/* Write the timeline of the next counts, if it has more than one batch. */
void td_recording_write_timeline(FILE *fp, const struct td_timeline *timeline);
void td_recording_write_end(FILE *fp, const struct td_usage *usage, int exit_status);

struct td_perf_file;
struct td_recording;
struct td_zstd;

/* A reader of files that another program wrote. */
struct td_foreign {
	/*
	 * Fills the members of the first line of a recording, and rec->perf.  If it is
	 * another kind of file, returns 1 with rec->fp at its beginning.
	 */
	int (*open)(struct td_recording *rec, struct td_err *err);
	/* like td_recording_next() */
	int (*next)(struct td_recording *rec, uint64_t *time_ns, struct td_readings *readings,
		    struct td_err *err);
	void (*free)(struct td_perf_file *file);
};

/* A recording, or a file of perf stat, that is being read. */
struct td_recording {
	FILE *fp;
	struct td_zstd *zstd; /* decompressor; NULL: the file is not compressed */
	const char *path;     /* borrowed */
	bool is_stdin;        /* fp is standard input, which stays open */
	bool is_file;         /* not a pipe or terminal */
	dev_t dev;            /* device and inode of the file */
	ino_t ino;
	size_t line;                      /* number of the last line */
	char *text;                       /* text of the last line */
	size_t size;                      /* allocated size of text */
	const struct td_foreign *foreign; /* reader of other files; NULL: only recordings */
	struct td_perf_file *perf;        /* file of perf stat; NULL: a recording */
	struct td_machine machine;        /* its PMUs contain only the names of events */
	struct td_plan plan;              /* events and groups without configs */
	struct td_recording_info info;
	struct td_place *places;       /* place of each online CPU; NULL: unknown */
	struct td_task_names names;    /* names of tasks that were read so far */
	struct td_regions regions;     /* regions of the counts; may be empty */
	struct td_times times;         /* times of the last interval */
	struct td_timeline timeline;   /* timeline of the last interval */
	struct td_latencies latencies; /* latencies that were read last */
	uint64_t time_ns;              /* end of the last interval */
	/* start of this file, relative to the start of the first one */
	uint64_t base_ns;
	bool ended;            /* the end line was read */
	bool cut_off;          /* the file ends in the middle of a line */
	struct td_usage usage; /* usage from the end line */
};

/*
 * Open path ("-" is standard input), which may be compressed with zstd, and read the first
 * line.  Call td_recording_close() even after an error.
 */
int td_recording_open(struct td_recording *rec, const char *path, const struct td_foreign *foreign,
		      struct td_err *err);
/* Is path a file that begins like a recording? */
bool td_recording_is_at(const char *path);
/* Is fd open for writing to the file that is being read? */
bool td_recording_is_written(const struct td_recording *rec, int fd);
/*
 * Read the next interval into readings, which the caller owns and reuses.  Returns 1 at the
 * end of the recording.  Errors contain file and line.
 */
int td_recording_next(struct td_recording *rec, uint64_t *time_ns, struct td_readings *readings,
		      struct td_err *err);
void td_recording_close(struct td_recording *rec);

/* Set an error with the file and the line read last.  Returns -EINVAL. */
static inline int td_recording_bad(const struct td_recording *rec, struct td_err *err,
				   const char *what)
{
	return td_err_line(err, rec->path, rec->line, what);
}

/*
 * Consecutive recordings of one machine, such as those of record --rotate, are read as one
 * recording: times are relative to the start of the first file.
 */

/*
 * Return true if the hosts differ.  Recordings of older versions, and of --no-host, do not
 * contain the host, and match all.
 */
bool td_recording_has_other_host(const struct td_recording_info *a,
				 const struct td_recording_info *b);
/*
 * Return 0 if next, from the same host, continues rec: it has the same machine, events and options,
 * and does not start before since_ns (0: unknown) or before rec.  Otherwise, return an error that
 * names the difference.
 */
int td_recording_continues(const struct td_recording *rec, const struct td_recording *next,
			   uint64_t since_ns, struct td_err *err);
/*
 * Continue with the file at path, a string that must outlive rec.  Call at the end of a file.
 * The time between both files does not belong to an interval.
 */
int td_recording_follow(struct td_recording *rec, const char *path, struct td_err *err);

/* Functions with which the readers of both kinds of file fill a struct td_recording. */

#define TD_RECORDING_MAX_EVENTS 10000

/* Return an error for a line with a member of the wrong type, which would be ignored otherwise. */
int td_recording_check_types(const struct td_recording *rec, struct json_object *object,
			     const struct td_json_optional *members, struct td_err *err);
/* Add a PMU.  Returns -EINVAL for a core PMU after others. */
int td_recording_add_pmu(struct td_recording *rec, const char *name, enum td_pmu_kind kind,
			 uint32_t type);
/*
 * Add an event with a copy of name, the type of the machine's pmu-th PMU, scale 1 and no
 * group; the caller sets the remainder.
 */
struct td_event *td_recording_add_event(struct td_recording *rec, const char *name, int pmu);
/*
 * For trees, add the event to those that the PMU is known to have: "slots" for
 * "cpu_core/slots/".  Ignores names with modifiers, or of another PMU.
 */
void td_recording_note_name(struct td_pmu *pmu, const char *event);
void td_recording_note_event(struct td_pmu *pmu, const char *id);
/*
 * Add the last event to the group of this index; missing groups are created.  Returns
 * -EINVAL if the group belongs to another PMU.
 */
int td_recording_add_to_group(struct td_recording *rec, size_t index);
/* Add a place.  Returns -EINVAL if CPUs are not in order. */
int td_recording_add_place(struct td_recording *rec, const struct td_place *place);
/*
 * Set the end of the next interval.  Returns -EINVAL if it is before the end of the previous one.
 */
int td_recording_set_time(struct td_recording *rec, uint64_t time_ns);
/* Make room for nr readings; their values are not set. */
void td_recording_resize(struct td_readings *readings, size_t nr);
