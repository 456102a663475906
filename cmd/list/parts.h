/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_LIST_PARTS_H
#define TD_CMD_LIST_PARTS_H

/* What list.c is made of. */
#include <stdio.h>

#include "cmd/opts/opts.h"
#include "cmd/plan/catalog.h"
#include "lib/base/closest.h"
#include "lib/machine/sysfs.h"
#include "metrics/sets/sets.h"

/* The sections, in the order in which they are shown. */
enum td_list_kind {
	TD_LIST_HARDWARE,
	TD_LIST_CACHE,
	TD_LIST_SYSFS,
	TD_LIST_MODEL,
	TD_LIST_SOFTWARE,
	TD_LIST_TOOL,
	TD_LIST_TRACEPOINT,
	TD_LIST_METRIC,
	TD_LIST_METRICGROUP,
};

#define TD_LIST_BIT(kind) (1U << (kind))
#define TD_LIST_ALL       (TD_LIST_BIT(TD_LIST_METRICGROUP + 1) - 1)

/* A name on one PMU; NULL is what there is not.  All strings are borrowed. */
struct td_list_item {
	enum td_list_kind kind;
	const char *name;  /* as it may be pasted behind -e */
	const char *alias; /* another such name */
	const char *bare;  /* sysfs: without the PMU around it */
	const char *pmu;
	const char *topic;
	const char *desc;
	const char *unit;
	const char *encoding;
	const char *related; /* "a;b": a metric's groups, a group's metrics */
	const struct td_metric_def *metric;
};

/* What the user named: a section, or names. */
struct td_list_pattern {
	const char *text;
	unsigned int section; /* TD_LIST_BIT()s, 0: it is no section's word */
	bool is_glob;
	bool has_match;
	struct td_closest closest;
};

struct td_list {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_catalog catalog;
	struct td_sets sets; /* what -M takes; made when it is wanted */
	struct td_tracepoints tracepoints;
	struct td_list_pattern *patterns;
	size_t nr_patterns;
	bool narrow; /* names beside "metrics": those of the metrics */
	/* TD_LIST_BIT()s: where matches can be, and where they are said to be */
	unsigned int kinds, certain;
	struct td_list_item *items;
	size_t nr_items;
	struct td_names kept; /* strings that nobody else owns */
	bool no_memory;       /* for one of those */
	struct td_notes notes;
	struct td_notes missing; /* said if there is no match */
};

/* match.c: opts->patterns -> list->patterns, kinds, certain. */
int td_list_read_patterns(struct td_list *list, struct td_err *err);
/* Does a pattern mean the item?  It remembers that, or how close it is. */
bool td_list_is_wanted(struct td_list *list, const struct td_list_item *item);
/* Is there nothing for a pattern?  The error says which, and what is close. */
int td_list_check(struct td_list *list, struct td_err *err);

/*
 * add.c: a match is copied to the list's end.  An item without a name is
 * one that there was no memory for.
 */
int td_list_add(struct td_list *list, const struct td_list_item *item,
		struct td_err *err);
/* A string that lives as long as the list; NULL: out of memory. */
const char *td_list_keep(struct td_list *list, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* td_encoding_put()'s text, kept by the list; NULL: nobody wants to see it. */
const char *td_list_encode(struct td_list *list, const struct td_event *event,
			   const struct td_pmu *pmu, const char *pmu_name,
			   const char *terms);
/* Why a source has nothing: a note, but not to who did not mean it. */
void td_list_miss(struct td_list *list, unsigned int kinds, const char *what,
		  const char *why);

/* items.c, model.c, metrics.c: all of a kind that matches. */
int td_list_collect(struct td_list *list, struct td_err *err);
/* The model's files, or a note why there are none. */
int td_list_read_files(struct td_list *list, struct td_err *err);
/* Where a PMU of the files is; -1: nothing of that is counted here. */
int td_list_find_pmu(const struct td_machine *machine, const char *name);
int td_list_collect_model(struct td_list *list, struct td_err *err);
int td_list_collect_metrics(struct td_list *list, struct td_err *err);
int td_list_collect_groups(struct td_list *list, struct td_err *err);

/* text.c, json.c: the items -> fp. */
void td_list_put_text(FILE *fp, const struct td_list *list);
void td_list_put_json(FILE *fp, const struct td_list *list);

/* print.c: the encodings of opts->patterns, which are events here. */
int td_list_print(FILE *fp, struct td_list *list, struct td_err *err);

#endif
