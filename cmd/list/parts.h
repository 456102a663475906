/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/list: the subcommand tdstat list.
 *
 * In: the patterns of the command line.
 * Out: the events and metrics that match, as text or JSON, or their encodings
 * (--print).
 */
#ifndef TD_CMD_LIST_PARTS_H
#define TD_CMD_LIST_PARTS_H

#include <stdio.h>

#include "cmd/opts/opts.h"
#include "cmd/plan/catalog.h"
#include "lib/base/suggest.h"
#include "lib/event/event.h"
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

/*
 * A name on one PMU; members are NULL if there is no such text.  All strings
 * are borrowed.
 */
struct td_list_item {
	enum td_list_kind kind;
	const char *name;  /* as -e takes it */
	const char *alias; /* another such name */
	const char *bare;  /* sysfs: the name without the PMU */
	const char *pmu;
	const char *topic;
	const char *desc;
	const char *unit;
	const char *encoding;
	const char *errata;  /* "A, B" */
	const char *related; /* "a;b": a metric's groups, a group's metrics */
	const struct td_metric_def *metric;
};

/* A pattern of the user: a section, or names. */
struct td_list_pattern {
	const char *text;
	unsigned int section; /* TD_LIST_BIT()s; 0: not the word of a section */
	bool is_glob;
	bool has_match;
	struct td_closest closest;
};

struct td_list {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_catalog catalog;
	struct td_sets sets; /* the metrics of -M, made when needed */
	struct td_tracepoints tracepoints;
	struct td_list_pattern *patterns;
	size_t nr_patterns;
	bool narrow; /* "metrics" and names: only metrics of these names */
	/*
	 * TD_LIST_BIT()s: kinds that can match, and kinds that the user named
	 */
	unsigned int kinds, certain;
	struct td_list_item *items;
	size_t nr_items;
	struct td_names kept; /* strings that the list owns */
	bool no_memory;       /* memory ran out for one of them */
	struct td_notes notes;
	struct td_notes missing; /* printed only if nothing matches */
};

/* match.c: sets list->patterns, kinds and certain from opts->patterns. */
int td_list_read_patterns(struct td_list *list, struct td_err *err);
/*
 * Returns an error, with the closest name, if nothing matches; notes each
 * pattern without match if others have some.
 */
int td_list_check(struct td_list *list, struct td_err *err);

/*
 * Appends a copy of the item if a pattern matches it.  Fails if memory
 * for one of its strings ran out before.
 */
int td_list_add(struct td_list *list, const struct td_list_item *item,
		struct td_err *err);
/* Formats a string that lives as long as the list; NULL if memory ran out. */
const char *td_list_keep(struct td_list *list, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Returns the text of td_encoding_put(), kept by the list; NULL if it is not
 * shown.
 */
const char *td_list_encode(struct td_list *list, const struct td_event *event,
			   const struct td_pmu *pmu, const char *pmu_name,
			   const char *terms);
/*
 * Notes why a source has nothing; printed if the user named its kinds, or if
 * nothing matches.
 */
void td_list_miss(struct td_list *list, unsigned int kinds, const char *what,
		  const char *why);

/* items.c, model.c: add all matching items of their kinds. */
int td_list_collect(struct td_list *list, struct td_err *err);
/* Reads the model's files, or notes why there are none. */
int td_list_read_files(struct td_list *list, struct td_err *err);
/* The index of a PMU that the files name; -1 if it cannot be counted here. */
int td_list_find_pmu(const struct td_machine *machine, const char *name);
/*
 * --model: does the processor have this unit outside of its cores?  There are
 * no PMUs of such units, whose events have no encodings then.
 */
bool td_list_has_unit(const struct td_list *list, const char *name);
int td_list_collect_model(struct td_list *list, struct td_err *err);
int td_list_collect_metrics(struct td_list *list, struct td_err *err);
int td_list_collect_groups(struct td_list *list, struct td_err *err);

/* text.c: prints the items.  Returns 0 or -ENOMEM. */
int td_list_put_text(FILE *fp, const struct td_list *list);

/* --- encoding.c ------------------------------------------------------------ */

/* Is it an event of the kernel's own tables, whose config has no PMU format? */
bool td_encoding_is_numeric(const struct td_event *event);

/*
 * Writes an event as any version of perf takes it: "cpu/event=0x8,umask=0xe/",
 * with the formats of pmu, called pmu_name, or "TYPE:0xCONFIG".  terms: the
 * terms that defined the event ("event=0xcd,ldlat=0x80").  If several formats
 * share bits, the one in terms is written, or if none is, config1= and so on.
 */
void td_encoding_put(FILE *fp, const struct td_pmu *pmu, const char *pmu_name,
		     const struct td_event *event, const char *terms);
/*
 * Writes separator and the modifiers' letters, or nothing; the event is in no
 * group.
 */
void td_encoding_put_modifiers(FILE *fp, const char *separator,
			       const struct td_modifiers *mods);

#endif
