/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_PARTS_H
#define TD_METRICS_FILES_PARTS_H

/* The parts that the readers of both formats share. */
#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "metrics/files/pmu_events.h"

/*
 * A line of mapfile.csv that matches this processor.  "": the file has no such
 * column.
 */
struct td_map_row {
	const char *version;
	const char *file; /* a file; in the kernel tree a folder */
	const char *type; /* "core", "hybridcore", "uncore" */
	const char *core; /* perfmon's core type: "0x40" */
	const char *role; /* perfmon's name of the core: "LowPower_Atom" */
};

/* The state of reading a mapfile.csv. */
struct td_map {
	char *text, *path; /* of the file; the caller's */
	char *rest;        /* the unread lines; reading modifies them */
	size_t line;
	char whole[48]; /* the processor's identity */
	char model[48]; /* the same without the stepping */
	bool perfmon;   /* the file is intel/perfmon's, with seven columns */
};

/* text and path are set. */
void td_map_begin(struct td_map *map, const struct td_cpuid *cpuid);
/*
 * Reads the next line of this processor into *row: 1 if there is one, 0 at the
 * end, -EINVAL for a line that cannot be read.
 */
int td_map_next(struct td_map *map, struct td_map_row *row, struct td_err *err);
/* Sets the error for a map without a line of this processor: -ENOENT. */
int td_map_none(const struct td_map *map, struct td_err *err);

/*
 * Parses a file's text; path is for messages.  Release *out with
 * json_object_put() even after an error.
 */
int td_json_parse(const char *path, const char *text, struct json_object **out,
		  struct td_err *err);
/* Adds the events and metrics of a file in the kernel tree's form. */
int td_pmu_events_parse(struct td_pmu_events *out, const char *path,
			const char *text, struct td_err *err);

/* One object of a file's array. */
struct td_entry {
	struct json_object *object;
	const char *path;
	const char *topic;
	size_t nr; /* its number in the file, from 1 */
};

/* A number, and whether the file has it in hexadecimal. */
struct td_number {
	uint64_t value;
	bool hex;
};

/* Sets the error "FILE: NAME: KEY: WHAT" and returns -EINVAL. */
int td_entry_bad(const struct td_entry *entry, struct td_err *err,
		 const char *key, const char *what);
/*
 * Reads a text or number as text, borrowed from the entry; NULL if there is
 * none.
 */
int td_entry_text(const struct td_entry *entry, const char *key,
		  const char **out, struct td_err *err);
/*
 * Reads a text as one line, to be freed; NULL if there is none or it is empty.
 */
int td_entry_line(const struct td_entry *entry, const char *key, char **out,
		  struct td_err *err);
/*
 * Reads a number, of a list such as "0xB7, 0xBB" the first; 0 if there is none.
 */
int td_entry_number(const struct td_entry *entry, const char *key,
		    struct td_number *out, struct td_err *err);
/* Reads a floating-point number; NaN if there is none. */
int td_entry_double(const struct td_entry *entry, const char *key, double *out,
		    struct td_err *err);
/* Writes the terms of an event; name is in lower case.  *out is to be freed. */
int td_entry_terms(const struct td_entry *entry, const char *name, char **out,
		   struct td_err *err);
/*
 * Adds what an entry in the kernel tree's form defines: an event, a metric,
 * both or neither.
 */
int td_entry_add(struct td_pmu_events *out, const struct td_entry *entry,
		 struct td_err *err);

/* Free the members of a metric or a file, not the struct. */
void td_model_metric_clear(struct td_model_metric *metric);
void td_events_file_clear(struct td_events_file *file);
/* Keeps the first ones of each kind and frees the others. */
void td_pmu_events_keep(struct td_pmu_events *events, size_t nr_events,
			size_t nr_metrics, size_t nr_unread);

/* Parses the unread file at index and removes it from the unread ones. */
int td_pmu_events_parse_file(struct td_pmu_events *events, size_t index,
			     struct td_err *err);
/* Sorts events and metrics, which the search by name needs. */
void td_pmu_events_sort(struct td_pmu_events *events);

#endif
