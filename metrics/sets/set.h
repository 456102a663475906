/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/ask.h"
#include "lib/machine/machine.h"
#include "metrics/files/pmu_events.h"

/* An event, which formulas call id.  terms NULL: sysfs defines the event. */
struct td_event_def {
	const char *id, *name, *terms;
};

/*
 * A metric.  Its formula (metrics/formula/expr.h) uses the names of metrics and the ids of
 * events of its set; formulas of files also use names of events.
 */
struct td_metric_def {
	const char *name;
	const char *parent; /* NULL at level 1 and outside of the tree */
	int level;          /* level in the tree; 0: outside of the tree */
	const char *formula;
	const char *threshold; /* formula that is true if the metric matters; NULL: none */
	const char *unit;      /* "%", "" */
	double factor;         /* multiplies the formula's value */
	const char *groups;    /* "TopdownL1;TmaL1"; NULL: derived from level and parent */
	const char *desc;      /* NULL: none */
	const char *errata;    /* errata of its events, "HSD29, HSM30"; NULL: none */
	enum td_split split;
	bool part;    /* only an operand of other formulas, never shown */
	bool package; /* belongs to the row of the package, not of a core type */
	bool apart;   /* on a hybrid, does not belong to a core type and is in a separate row */
};

/*
 * The metrics of one core type.  Children come after their parents.  The metric TD_SLOTS is the
 * number of slots, the weight of a PMU when rows of several PMUs are merged.
 */
struct td_metric_set {
	const char *name;
	const struct td_event_def *events;
	size_t nr_events;
	const struct td_metric_def *metrics;
	size_t nr_metrics;
	struct td_index names; /* td_hash_any_case() of metrics' names; empty if there are few */
	int levels;            /* depth of its tree */
	const char *reference; /* id of the event with which counts are scaled */
	bool one_group;        /* level 2 does not need more counters than level 1 */
	bool general;          /* levels 1 and 2 use general counters instead of PERF_METRICS */
	bool per_core;         /* counts whole cores, so a single thread has no values */
	bool files;            /* the tree comes from the model's files */
};

#define TD_SLOTS       "td_slots"
#define TD_GROUPS_SIZE 256

/* Finds a metric by name, ignoring case; NULL if there is none. */
const struct td_metric_def *td_set_find(const struct td_metric_set *set, const char *name);
/*
 * Returns the groups that contain the metric, for td_next_group().  For a built-in metric, writes
 * to buf the groups that the files would contain.
 */
const char *td_metric_def_groups(const struct td_metric_def *def, char buf[TD_GROUPS_SIZE]);

/* Does ask need metrics beyond the built-in levels? */
bool td_ask_wants_files(const struct td_ask *ask);

/*
 * Does the name mean this metric?  It may be the metric's name, one of its groups, a glob, or
 * "all".  Case is ignored, except when a glob is compared with a group.  Modifiers after a colon
 * are ignored.
 */
bool td_ask_matches(const char *name, const struct td_metric_def *def);

/* Is it the name of one of Intel's bottleneck metrics? */
bool td_is_bottleneck(const char *name);
/* Is it the bottleneck metric that is not a loss, although Intel gives it a threshold? */
bool td_is_useful_work(const char *name);
/*
 * Does the set contain Intel's bottleneck metrics, which divide up all slots?  Metrics of E-cores
 * with such names are overlapping shares of cycles.
 */
bool td_set_has_bottlenecks(const struct td_metric_set *set);
/*
 * Does --bottlenecks show the metric?  It shows bottleneck metrics.  If the set has none, it shows
 * nodes of level 2, and nodes of level 1 without children.  All of them sum to 100 %, unless the
 * files are wrong.
 */
bool td_set_is_bottleneck(const struct td_metric_set *set, const struct td_metric_def *def);

/* --- builtin.c ------------------------------------------------------------ */

/*
 * The columns of the built-in levels, in tree order: name, parent and level.  They are the same for
 * all sets, so that CSV files have the same columns on every machine.
 */
extern const struct td_metric_def td_builtin_columns[];
extern const size_t td_nr_builtin_columns;

/*
 * Returns the built-in set for a PMU.  It depends on the events in the PMU's sysfs
 * directory, and on corrections and the width of its core.  Returns NULL if the PMU exports
 * no top-down events, or represents two core types.
 */
const struct td_metric_set *td_builtin_find(const struct td_machine *machine,
					    const struct td_pmu *pmu);
/* Are there built-in sets for the vendor?  Metrics of other vendors are only in files. */
bool td_builtin_is_for(const struct td_machine *machine);
