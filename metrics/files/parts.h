/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_PARTS_H
#define TD_METRICS_FILES_PARTS_H

/* What read.c and perfmon.c are made of. */
#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "metrics/files/pmu_events.h"

/* A line of a mapfile.csv that is this processor's.  "": no such column. */
struct td_map_row {
	const char *file; /* of the kernel tree: a folder */
	const char *type; /* "core", "hybridcore", "uncore" */
	const char *core; /* perfmon's core type: "0x40" */
	const char *role; /* perfmon's name of it: "LowPower_Atom" */
};

/* A mapfile.csv while its lines are read. */
struct td_map {
	char *rest;       /* cut up by reading */
	const char *path; /* for messages */
	size_t line;
	char whole[48]; /* the processor */
	char model[48]; /* without the stepping */
	bool perfmon;   /* seven columns */
};

void td_map_begin(struct td_map *map, char *text, const char *path,
		  const struct td_cpuid *cpuid);
/* 1: *row is the next one; 0: there are no more; -EINVAL: makes no sense. */
int td_map_next(struct td_map *map, struct td_map_row *row, struct td_err *err);
/* That there was none at all: -ENOENT. */
int td_map_none(const struct td_map *map, struct td_err *err);

/* *out to be put, whatever the result; path is for messages. */
int td_json_parse(const char *path, const char *text, struct json_object **out,
		  struct td_err *err);
/* Adds what a file of the kernel tree's form has. */
int td_pmu_events_parse(struct td_pmu_events *out, const char *path,
			const char *text, struct td_err *err);

/* One object of a file's array. */
struct td_entry {
	struct json_object *object;
	const char *path;
	const char *topic;
	size_t nr; /* which one, from 1 */
};

/* A number, and whether the file writes it in hexadecimal. */
struct td_number {
	uint64_t value;
	bool hex;
};

/* "FILE: NAME: KEY: WHAT", -EINVAL */
int td_entry_bad(const struct td_entry *entry, struct td_err *err,
		 const char *key, const char *what);
/* Texts and numbers both; *out is borrowed, NULL: it is not there. */
int td_entry_text(const struct td_entry *entry, const char *key,
		  const char **out, struct td_err *err);
/* On one line, to be freed; NULL: it is not there, or empty. */
int td_entry_line(const struct td_entry *entry, const char *key, char **out,
		  struct td_err *err);
/* The first one of a list such as "0xB7, 0xBB"; 0: it is not there. */
int td_entry_number(const struct td_entry *entry, const char *key,
		    struct td_number *out, struct td_err *err);
/* NaN: it is not there. */
int td_entry_double(const struct td_entry *entry, const char *key, double *out,
		    struct td_err *err);
/* Of the event called name, in lower case; *out to be freed. */
int td_entry_terms(const struct td_entry *entry, const char *name, char **out,
		   struct td_err *err);
/* An event, a metric, both or neither, in the kernel tree's form. */
int td_entry_add(struct td_pmu_events *out, const struct td_entry *entry,
		 struct td_err *err);

/* They free what it holds. */
void td_model_metric_clear(struct td_model_metric *metric);
void td_events_file_clear(struct td_events_file *file);
/* The first ones stay, the others are freed. */
void td_pmu_events_keep(struct td_pmu_events *events, size_t nr_events,
			size_t nr_metrics, size_t nr_unread);

/* The index-th unread file; it is unread no more. */
int td_pmu_events_parse_file(struct td_pmu_events *events, size_t index,
			     struct td_err *err);
/* Before anything can be found. */
void td_pmu_events_sort(struct td_pmu_events *events);

#endif
