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

/* What the files of this folder share: one line, and all counts of a file. */

enum td_perf_status {
	TD_PERF_COUNTED,
	TD_PERF_NOT_COUNTED,
	TD_PERF_NOT_SUPPORTED,
};

/* A count to the millionth, which is as exact as perf prints it. */
struct td_perf_value {
	uint64_t whole;
	uint32_t micro;
};

/* One count.  Texts are borrowed from the line. */
struct td_perf_line {
	bool has_time;
	uint64_t time_ns;
	const char *id; /* "CPU3", "S0-D0-C1", "bash-17"; NULL: the total */
	bool has_nr;
	uint64_t nr; /* CPUs that an id stands for */
	enum td_perf_status status;
	struct td_perf_value value;
	const char *unit, *event;
	const char *cgroup; /* NULL: none */
	uint64_t running_ns;
	double pct; /* of the time enabled */
	/* "CPUs utilized" of a clock, from which the elapsed time is known; or 0 */
	double utilized;
};

/* What a line is; negative errno: it makes no sense. */
enum {
	TD_PERF_IS_COUNT,
	TD_PERF_IS_METRIC,  /* computed from counts in other lines */
	TD_PERF_IS_SUMMARY, /* repeats all intervals */
};

/* Changes text, which *line then borrows from.  -EINVAL: not perf's. */
int td_perf_csv_parse(char *text, char separator, struct td_perf_line *line);
/* The separator with which text is a count; '\0': there is none. */
char td_perf_csv_separator(const char *text);

/* A line of -j, and what it borrows its texts from. */
struct td_perf_json {
	struct json_object *object;
	char id[32];
};
/* -EINVAL: not perf's; -EILSEQ: no JSON.  Free with td_perf_json_free(). */
int td_perf_json_parse(struct td_perf_json *json, char *text,
		       struct td_perf_line *line);
void td_perf_json_free(struct td_perf_json *json);

/* "12", "12.5", "<not counted>"; false: something else. */
bool td_perf_value_parse(const char *text, struct td_perf_line *line);
/* A number without a sign, "2.01"; false: something else. */
bool td_perf_number_parse(const char *text, double *out);
/* "0.100104518" -> ns. */
bool td_perf_time_parse(const char *text, uint64_t *ns);

/* The CPUs or the task that a count belongs to.  -1: not known. */
struct td_perf_unit {
	enum td_aggregation how;
	int tid;
	struct td_place place;
	int cache_level; /* which of place's caches it is; else -1 */
	size_t comm;     /* threads: the length of the name */
};

/*
 * -EINVAL: perf has no such id.  NULL: the total.  Only an id of a CPU says
 * place.cpu.
 */
int td_perf_unit_parse(const char *id, struct td_perf_unit *unit);

/*
 * What an event is by its name as perf prints it: its PMU's name, and type,
 * config, modifiers and tool of *event, as far as a name says it.  *typed: type
 * is known; else it is the PMU's.  -ENOMEM.
 */
int td_perf_name_parse(const char *name, struct td_event *event, char **pmu,
		       bool *typed);

struct td_perf_event {
	char *name, *unit;
	struct td_event event; /* as far as the name says it; owns nothing */
	char *pmu;
	bool typed;
	bool fraction; /* values have decimals */
	bool refused;  /* it was <not supported> at least once */
	bool counted;  /* it was supported at least once */
	bool twin;     /* not the first of its name */
	size_t next;   /* event of the same name, 0: none */
	size_t *seen; /* of each place: the last interval that had it, from 1 */
	size_t nr_seen;
};

/* An id in a cgroup. */
struct td_perf_place {
	char *id;     /* NULL: the total */
	char *cgroup; /* NULL: none */
	struct td_perf_unit unit;
	int cgroup_index;
};

struct td_perf_reading {
	uint32_t event, place;
	struct td_perf_value value;
	uint64_t enabled_ns, running_ns;
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
	size_t nr_events, event; /* the one that was found last */
	struct td_perf_place *places;
	size_t nr_places, place;
	struct td_index by_name;  /* events, the first of each name */
	struct td_index by_place; /* places, by id and cgroup */
	char **cgroups;           /* borrowed from places */
	size_t nr_cgroups;
	struct td_perf_interval *intervals;
	size_t nr_intervals;
	size_t next_interval; /* that td_perf_output_next() will give */
	struct td_perf_reading *readings;
	size_t nr_readings, room;
	bool timed;   /* lines have times: -I */
	bool metrics; /* some lines had no counts */
	bool cut_off;
	bool has_cpu_times; /* user_time or system_time */
	/* Without -I, how long it was: the best source there is. */
	uint64_t duration_ns, utilized_ns; /* 0: not known */
};

/* Times stay below 10^9 seconds, 31 years, as in a recording. */
#define TD_PERF_MAX_NS (UINT64_C(1000000000) * 1000000000)

/* Larger counts do not fit in millionths. */
#define TD_PERF_MAX_WHOLE ((INT64_MAX - 1) / 1000000 - 1)

/* Sets an error that names the file and the line read last: -EINVAL. */
static inline int td_perf_file_bad(const struct td_perf_file *file,
				   struct td_err *err, const char *what)
{
	return td_err_line(err, file->path, file->line, what);
}

/* -EINVAL with path and line; -ENOMEM. */
int td_perf_file_add(struct td_perf_file *file, const struct td_perf_line *line,
		     struct td_err *err);
/* The line's id and cgroup, in file->place; perhaps a new one. */
int td_perf_find_place(struct td_perf_file *file,
		       const struct td_perf_line *line, struct td_err *err);
void td_perf_file_free(struct td_perf_file *file);

/* All of rec but the intervals.  -ENOMEM. */
int td_perf_file_fill(const struct td_perf_file *file,
		      struct td_recording *rec);
/* -ERANGE: a later fraction made an event's earlier count too large. */
int td_perf_file_check_counts(const struct td_perf_file *file,
			      struct td_err *err);
/* The best that is known: a time, perf's own quotient; 0: it is not known. */
uint64_t td_perf_file_elapsed_ns(const struct td_perf_file *file);
/* Clocks are in ns, others in millionths if some value has a fraction. */
bool td_perf_in_millionths(const struct td_perf_event *event);

#endif
