/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/list: the subcommand tdstat list.
 *
 * In: the patterns of the command line.
 * Out: the events and metrics that match, as text or JSON, or encodings of events (--print).
 */
#pragma once

#include "cmd/opts/opts.h"
#include "cmd/plan/catalog.h"
#include "lib/base/suggest.h"
#include "lib/event/event.h"
#include "lib/machine/sysfs.h"
#include "metrics/sets/sets.h"

/* The sections, in output order. */
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

struct td_list {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_catalog catalog;
	struct td_sets sets; /* the metrics of -M, made when needed */
	struct td_tracepoints tracepoints;
	/* A pattern of the user: a section, or names. */
	struct td_list_pattern {
		const char *text;
		unsigned int section; /* TD_LIST_BIT()s; 0: not the word of a section */
		bool is_glob, has_match;
		struct td_closest closest;
	} * patterns;
	size_t nr_patterns;
	bool narrow;          /* "metrics" and names: only metrics with these names */
	unsigned int kinds;   /* TD_LIST_BIT()s of kinds that can match */
	unsigned int certain; /* TD_LIST_BIT()s of kinds that the user named */
	/* A name on one PMU.  Strings are borrowed; NULL: the item has no such text. */
	struct td_list_item {
		enum td_list_kind kind;
		const char *name;  /* name for -e or -M */
		const char *alias; /* another name for -e */
		const char *bare;  /* sysfs: the name without the PMU */
		const char *pmu, *topic, *desc, *unit, *encoding;
		const char *errata;  /* "A, B" */
		const char *related; /* "a;b": groups of a metric, metrics of a group */
		const struct td_metric_def *metric;
	} * items;
	size_t nr_items;
	struct td_names strings; /* strings that the list owns */
	struct td_notes notes;
	struct td_notes missing; /* printed only if nothing matches */
};

/* model.c: set list->patterns, kinds and certain from opts->patterns. */
void td_list_read_patterns(struct td_list *list);
/*
 * Return an error, with the closest name, if no pattern matches; otherwise note each pattern
 * without a match.
 */
int td_list_check(struct td_list *list, struct td_err *err);

/* Append a copy of the item if a pattern matches it. */
void td_list_add(struct td_list *list, const struct td_list_item *item);
/* Format a string that lives as long as the list. */
const char *td_list_format(struct td_list *list, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns the text of td_encoding_put(), owned by the list; NULL if it is not shown. */
const char *td_list_encode(struct td_list *list, const struct td_event *event,
			   const struct td_pmu *pmu, const char *pmu_name, const char *terms);
/* Note why a source is empty; printed if the user named its kinds, or if no item matches. */
void td_list_miss(struct td_list *list, unsigned int kinds, const char *what, const char *why);

int td_list_collect_model(struct td_list *list, struct td_err *err);
int td_list_collect_metrics(struct td_list *list, struct td_err *err);
int td_list_collect_groups(struct td_list *list, struct td_err *err);

/* Print the items. */
void td_list_put_text(FILE *fp, const struct td_list *list);

/* --- encodings -------------------------------------------------------------- */

/* Is it an event of the kernel's own tables, whose config has no PMU format? */
bool td_encoding_is_numeric(const struct td_event *event);

/*
 * Write an event in the syntax of all versions of perf: "cpu/event=0x8,umask=0xe/", with the
 * formats of pmu, called pmu_name, or "TYPE:0xCONFIG".  terms: the terms that defined the
 * event ("event=0xcd,ldlat=0x80").  If several formats share bits, the one in terms is
 * written, otherwise config1= and so on.
 */
void td_encoding_put(FILE *fp, const struct td_pmu *pmu, const char *pmu_name,
		     const struct td_event *event, const char *terms);
