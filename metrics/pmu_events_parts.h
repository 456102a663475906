/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_PMU_EVENTS_PARTS_H
#define TD_PMU_EVENTS_PARTS_H

/* What pmu_events.c is made of: text -> values, without a file system. */
#include <stdbool.h>
#include <stdint.h>

#include "metrics/pmu_events.h"

struct json_object;

/*
 * The folder that a mapfile.csv has for this processor, a part of text, which
 * is cut up.  path is for messages.  -ENOENT: none; -EINVAL: makes no sense.
 */
int td_pmu_map_find(char *text, const char *path, const struct td_cpuid *cpuid,
		    const char **folder, struct td_err *err);

/* Adds what a file has; its topic is the last part of path. */
int td_pmu_events_parse(struct td_pmu_events *out, const char *path,
			const char *text, struct td_err *err);

/* One object of a file's array. */
struct td_entry {
	struct json_object *object;
	const char *path;
	size_t nr; /* which one, from 1 */
};

/* A number, and whether the file writes it in hexadecimal. */
struct td_number {
	uint64_t value;
	bool hex;
};

/* Texts and numbers both; *out is borrowed, NULL: it is not there. */
int td_entry_text(const struct td_entry *entry, const char *key,
		  const char **out, struct td_err *err);
/* The first one of a list such as "0xB7, 0xBB"; 0: it is not there. */
int td_entry_number(const struct td_entry *entry, const char *key,
		    struct td_number *out, struct td_err *err);
/* Of the event called name, in lower case; *out to be freed. */
int td_entry_terms(const struct td_entry *entry, const char *name, char **out,
		   struct td_err *err);

/* Before anything can be found. */
void td_pmu_events_sort(struct td_pmu_events *events);

#endif
