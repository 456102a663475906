/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the reader of metric files. */
#pragma once

#include "metrics/files/pmu_events.h"

/* A line of mapfile.csv, such as "GenuineIntel-6-8[CD],v1.16,tigerlake,core". */
struct td_map_row {
	const char *expression, *version, *folder;
};

/*
 * Sets *row to the first line for a processor in the text of the map at path, which is modified.
 * Returns 1 if there is one, 0 at the end, or -EINVAL for a line that cannot be read.
 */
int td_map_find(const char *path, char *text, const struct td_cpuid *cpuid, struct td_map_row *row,
		struct td_err *err);

/* Sets the error for a file in the format of intel/perfmon.  Returns -EINVAL. */
int td_intel_form(const char *path, struct td_err *err);
/* Adds the events and metrics of a file in the format of the kernel tree. */
int td_pmu_events_parse(struct td_pmu_events *out, const char *path, const char *text,
			struct td_err *err);

/* Free the members of a metric or a file, not the struct. */
void td_model_metric_clear(struct td_model_metric *metric);
void td_events_file_clear(struct td_events_file *file);
/* Keeps the first nr_events events, nr_metrics metrics and nr_unread files; frees the others. */
void td_pmu_events_keep(struct td_pmu_events *events, size_t nr_events, size_t nr_metrics,
			size_t nr_unread);

/* Sorts events and metrics.  Call before searching by name. */
void td_pmu_events_sort(struct td_pmu_events *events);

/* Reads a whole file.  The caller frees *text, even after an error. */
int td_pmu_events_text(const char *path, char **text, struct td_err *err);
/* Converts A to Z to lower case in place.  Returns text, which may be NULL. */
char *td_lower(char *text);

/*
 * Returns "A.B;C.D" for the description "... Sample with: A.B_PS;C.D. Related metrics: ...",
 * or NULL if it names no events.  The caller frees it.
 */
char *td_sample_from_words(const char *desc);

/*
 * If the file has no ScaleUnit, sets metric->unit to the unit in the description or name ("1GB/s"),
 * provided the formula agrees.
 */
void td_unit_from_words(struct td_model_metric *metric);
