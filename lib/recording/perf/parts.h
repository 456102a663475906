/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_PERF_PARTS_H
#define TD_LIB_RECORDING_PERF_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/index.h"
#include "lib/event/event.h"
#include "lib/machine/cpu.h"
#include "lib/recording/recording.h"

/* Shared by the files of this folder: a line, and all counts of a file. */

/* A count to the millionth, which is as exact as perf prints it. */
struct td_perf_value {
	uint64_t whole;
	uint32_t micro;
};

/* One count.  Texts are borrowed from the line. */
struct td_perf_line {
	bool has_time;
	uint64_t time_ns;
	const char *id; /* "CPU3", "S0-D0-C1", "bash-17"; NULL: of all */
	bool has_nr;
	uint64_t nr; /* number of CPUs of the id */
	enum {
		TD_PERF_COUNTED,
		TD_PERF_NOT_COUNTED,
		TD_PERF_NOT_SUPPORTED,
	} status;
	struct td_perf_value value;
	const char *unit, *event;
	const char *cgroup; /* NULL: none */
	uint64_t running_ns;
	double pct; /* of the time enabled */
	/* "CPUs utilized" of a clock, which gives the elapsed time; or 0 */
	double utilized;
};

/* The kind of a line, unless it is a negative errno. */
enum {
	TD_PERF_IS_COUNT,
	TD_PERF_IS_METRIC,  /* computed from counts in other lines */
	TD_PERF_IS_SUMMARY, /* repeats all intervals */
};

/* Changes text, from which *line borrows.  -EINVAL if it is not perf's. */
int td_perf_csv_parse(char *text, char separator, struct td_perf_line *line);
/* Are numbers with decimal commas separated by commas? */
bool td_perf_csv_has_decimal_commas(const char *text);
/* *out is the separator with which text is a count, or '\0'.  0 or -ENOMEM. */
int td_perf_csv_separator(const char *text, char *out);

/* A line of -j, and what it borrows its texts from. */
struct td_perf_json {
	struct json_object *object;
	char id[32];
	bool no_memory;
};
/* -EINVAL if not perf's, -EILSEQ if no JSON, -ENOMEM.  Free with td_perf_json_free(). */
int td_perf_json_parse(struct td_perf_json *json, char *text,
		       struct td_perf_line *line);
void td_perf_json_free(struct td_perf_json *json);

/* "12", "12.5", "<not counted>"; false for anything else. */
bool td_perf_value_parse(const char *text, struct td_perf_line *line);
/* A number without a sign, "2.01"; false for anything else. */
bool td_perf_number_parse(const char *text, double *out);
/* Converts "0.100104518" to ns. */
bool td_perf_time_parse(const char *text, uint64_t *ns);

/* The CPUs or the task of a count.  Unknown numbers are -1. */
struct td_perf_unit {
	enum td_aggregation how;
	int tid;
	struct td_place place;
	int cache_level; /* of the cache in place; 0: not known; -1: none */
	size_t comm;     /* length of a thread's name */
};

/*
 * -EINVAL if perf has no such id.  NULL is the id of all.  Only the id of a CPU
 * sets place.cpu.
 */
int td_perf_unit_parse(const char *id, struct td_perf_unit *unit);

/*
 * Finds out what an event is from the name that perf prints: the name of its
 * PMU, and type, config, modifiers and tool of *event, as far as they are
 * known. Without *typed, the type is that of the PMU.  Returns 0 or -ENOMEM.
 */
int td_perf_name_parse(const char *name, struct td_event *event, char **pmu,
		       bool *typed);

struct td_perf_event {
	char *name, *unit;
	struct td_event event; /* from td_perf_name_parse(); owns nothing */
	char *pmu;
	bool typed;    /* the type of event is known */
	bool fraction; /* some value has decimals */
	bool refused;  /* <not supported> at least once */
	bool counted;  /* supported at least once */
	bool twin;     /* not the first one of its name */
	size_t next;   /* the next one of its name; 0: none */
	size_t *seen;  /* for each place: last interval with a count, from 1 */
	size_t nr_seen;
};

/* An id in a cgroup. */
struct td_perf_place {
	char *id;     /* NULL: of all */
	char *cgroup; /* NULL: none */
	struct td_perf_unit unit;
	int cgroup_index;
};

struct td_perf_reading {
	uint32_t event, place;
	int nr; /* the number of CPUs in the place; 0: not told */
	struct td_perf_value value;
	uint64_t enabled_ns, running_ns;
	double pct; /* of the time enabled, as it stands in the line */
};

struct td_perf_interval {
	uint64_t time_ns;
	size_t first; /* reading */
	uint64_t user_ns, system_ns;
};

struct td_perf_file {
	const char *path; /* borrowed */
	size_t line;
	struct td_perf_event *events;
	size_t nr_events, event; /* event: the one of the last line */
	struct td_perf_place *places;
	size_t nr_places, place;  /* place: the one of the last line */
	struct td_index by_name;  /* of events: the first of each name */
	struct td_index by_place; /* of places, by id and cgroup */
	char **cgroups;           /* borrowed from places */
	size_t nr_cgroups;
	struct td_perf_interval *intervals;
	size_t nr_intervals;
	size_t next_interval; /* for td_perf_output_next() */
	struct td_perf_reading *readings;
	size_t nr_readings, room;
	bool timed;   /* lines have times: -I */
	bool metrics; /* some lines had no counts */
	bool cut_off;
	bool has_fractions; /* some percentage is no whole number */
	bool of_command;    /* on a hybrid: td_perf_find_command() */
	bool has_cpu_times; /* user_time or system_time */
	/* Without -I, the length of the run by two sources; 0: unknown. */
	uint64_t duration_ns, utilized_ns;
};

/* Times are less than 10^9 seconds (31 years), as in a recording. */
#define TD_PERF_MAX_NS (UINT64_C(1000000000) * 1000000000)

/* Larger counts do not fit in millionths. */
#define TD_PERF_MAX_WHOLE ((INT64_MAX - 1) / 1000000 - 1)

/* Sets an error with the file and the line read last; returns -EINVAL. */
static inline int td_perf_file_bad(const struct td_perf_file *file,
				   struct td_err *err, const char *what)
{
	return td_err_line(err, file->path, file->line, what);
}

/* Adds the count of a line.  -EINVAL (names path and line) or -ENOMEM. */
int td_perf_file_add(struct td_perf_file *file, const struct td_perf_line *line,
		     struct td_err *err);
/* Sets file->place to the line's id and cgroup, which may be new. */
int td_perf_find_place(struct td_perf_file *file,
		       const struct td_perf_line *line, struct td_err *err);
void td_perf_file_free(struct td_perf_file *file);

/* Fills all of rec but the intervals.  Returns 0 or -ENOMEM. */
int td_perf_file_fill(const struct td_perf_file *file,
		      struct td_recording *rec);
/* -ERANGE if a fraction made an earlier count of its event too large. */
int td_perf_file_check_counts(const struct td_perf_file *file,
			      struct td_err *err);
/* The elapsed time from the best source; 0 if unknown. */
uint64_t td_perf_file_elapsed_ns(const struct td_perf_file *file);
/* True if counts are in millionths: of clocks (ns), and those with decimals. */
bool td_perf_in_millionths(const struct td_perf_event *event);

#endif
