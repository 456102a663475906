/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/event/event.h"
#include "lib/machine/cpu.h"
#include "lib/recording/recording.h"

struct json_object;

/* A parsed line of perf's output, from which the texts are borrowed. */
struct td_perf_line {
	bool has_time;
	uint64_t time_ns;
	const char *id; /* "CPU3", "S0-D0-C1", "bash-17"; NULL: all */
	char cpu[32];   /* of -j: the id of a CPU */
	bool has_nr;
	uint64_t nr; /* number of CPUs of the id */
	enum {
		TD_PERF_COUNTED,
		TD_PERF_NOT_COUNTED,
		TD_PERF_NOT_SUPPORTED,
	} status;
	/* A count with six decimals, like those that perf prints. */
	struct td_perf_value {
		uint64_t whole;
		uint32_t micro;
	} value;
	const char *unit, *event;
	const char *cgroup; /* NULL: none */
	uint64_t running_ns;
	double pct; /* share of the time enabled */
	/* number of "CPUs utilized", which perf prints after clocks; 0: none */
	double utilized;
};

/* Kinds of lines.  The parsers return them, or negative errors. */
enum {
	TD_PERF_IS_COUNT,
	TD_PERF_IS_METRIC,  /* computed from counts in other lines */
	TD_PERF_IS_SUMMARY, /* repeats all intervals */
};

/* Parse text, which is changed, and from which *line borrows.  Returns -EINVAL for other texts. */
int td_perf_csv_parse(char *text, char separator, struct td_perf_line *line);

/*
 * Set out to the separator of several characters with which text is a count, or to "".  Replace
 * it by a character with which td_perf_csv_parse() works.
 */
#define TD_PERF_LONG_SEPARATOR 10
#define TD_PERF_SHORT          '\1'
void td_perf_csv_long_separator(const char *text, char out[TD_PERF_LONG_SEPARATOR]);
void td_perf_csv_shorten(char *text, const char *separator);

/*
 * Parse text, a line of -j.  Returns -EILSEQ if it is not JSON, -EINVAL if perf does not print such
 * objects.  *line borrows from *object, which the caller releases with json_object_put(), also after
 * an error.
 */
int td_perf_json_parse(struct json_object **object, char *text, struct td_perf_line *line);

/*
 * Identify an event by the name that perf prints.  Sets the name of its PMU, and the type, config,
 * modifiers and tool of *event, if known.  Unless *typed is set, the type is that of the PMU.
 */
void td_perf_name_parse(const char *name, struct td_event *event, char **pmu, bool *typed);

struct td_perf_file {
	const char *path; /* borrowed */
	size_t line;
	struct td_perf_event {
		char *name, *unit;
		struct td_event event; /* from td_perf_name_parse(); owns nothing */
		char *pmu;
		bool typed;    /* the type of event is known */
		bool fraction; /* some value has decimals */
		bool refused;  /* <not supported> at least once */
		bool counted;  /* supported at least once */
		bool twin;     /* not the first event with its name */
		size_t next;   /* next event with its name; 0: none */
		size_t *seen;  /* per place: number of the last interval with a count, from 1 */
		size_t nr_seen;
	} * events;
	size_t nr_events, event; /* event: that of the last line */
	/* A pair of an id and a cgroup, to which counts belong. */
	struct td_perf_place {
		char *id;     /* NULL: all */
		char *cgroup; /* NULL: none */
		/* The CPUs or task of a count.  Unknown numbers are -1. */
		struct td_perf_unit {
			enum td_aggregation how;
			int tid;
			struct td_place place;
			int cache_level; /* level in an id like "L3-ID8"; 0: unknown; -1: none */
			size_t comm;     /* length of the thread's name in the id */
		} unit;
		int cgroup_index;
	} * places;
	size_t nr_places, place;  /* place: that of the last line */
	struct td_index by_name;  /* first event with each name */
	struct td_index by_place; /* places by id and cgroup */
	char **cgroups;           /* borrowed from places */
	size_t nr_cgroups;
	struct td_perf_interval {
		uint64_t time_ns;
		size_t first; /* index of the interval's first reading */
		uint64_t user_ns, system_ns;
	} * intervals;
	size_t nr_intervals;
	size_t next_interval; /* index of the interval to read next */
	struct td_perf_reading {
		uint32_t event, place;
		int nr; /* number of CPUs of the place; 0: unknown */
		struct td_perf_value value;
		uint64_t enabled_ns, running_ns;
		double pct; /* share of the time enabled, as perf printed it */
	} * readings;
	size_t nr_readings, room;
	bool timed;   /* lines have times: -I */
	bool metrics; /* some lines are metrics without counts */
	bool cut_off;
	bool has_fractions; /* some percentage is not an integer */
	bool of_command;    /* counts of a command on a hybrid processor */
	bool has_cpu_times; /* user_time or system_time */
	/* without -I: the duration of the run, from two sources; 0: unknown */
	uint64_t duration_ns, utilized_ns;
};

/* Times are less than 10^9 seconds (31 years), as in a recording. */
#define TD_PERF_MAX_NS (UINT64_C(1000000000) * 1000000000)

/* The largest integer part of a count: in millionths, a larger one would overflow. */
#define TD_PERF_MAX_WHOLE ((INT64_MAX - 1) / 1000000 - 1)

/* Set an error that names the file and the last line.  Returns -EINVAL. */
static inline int td_perf_file_bad(const struct td_perf_file *file, struct td_err *err,
				   const char *what)
{
	return td_err_line(err, file->path, file->line, what);
}

/* Set file->place to the place of the line, and add this place if it is new. */
int td_perf_find_place(struct td_perf_file *file, const struct td_perf_line *line,
		       struct td_err *err);
