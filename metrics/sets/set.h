/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_SET_H
#define TD_METRICS_SETS_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/index.h"
#include "lib/count/ask.h"
#include "lib/machine/machine.h"
#include "metrics/files/pmu_events.h"

/*
 * An event that formulas refer to as id.  terms NULL: sysfs defines the event.
 */
struct td_event_def {
	const char *id;
	const char *name;
	const char *terms;
};

/*
 * A metric.  Its formula (metrics/formula/expr.h) uses metric names and event
 * ids of its set; in sets from files also event names.
 */
struct td_metric_def {
	const char *name;
	const char *parent; /* NULL at level 1 and outside of the tree */
	int level;          /* in the tree; 0: outside of it */
	const char *formula;
	/* a formula, true if the metric deserves attention; NULL: none */
	const char *threshold;
	const char *unit; /* "%", "" */
	double factor;    /* multiplies the formula's value */
	/* "TopdownL1;TmaL1"; NULL: derived from level and parent */
	const char *groups;
	const char *desc; /* NULL: none */
	/* "HSD29, HSM30", of the events of its formula; NULL: none is known */
	const char *errata;
	enum td_split split;
	bool part; /* only an operand of other formulas, never shown */
	/* of the whole package, whose row is not that of a kind of core */
	bool package;
	/*
	 * of no kind of core of a hybrid: it is in the set of one of them, but has
	 * a row of its own
	 */
	bool apart;
};

/*
 * The metrics that can be computed on one kind of core.  In the tree, children
 * come after their parents.  The metric TD_SLOTS is the number of slots, by
 * which the rows of several PMUs are weighted and merged.
 */
struct td_metric_set {
	const char *name;
	const struct td_event_def *events;
	size_t nr_events;
	const struct td_metric_def *metrics;
	size_t nr_metrics;
	/* of the metrics, by td_hash_any_case(); empty: there are few */
	struct td_index names;
	int levels; /* depth of its tree */
	/* the id of the event that counts are scaled by */
	const char *reference;
	bool one_group; /* level 2 needs no more counters than level 1 */
	/* levels 1 and 2 come from general counters instead of PERF_METRICS */
	bool general;
	/* counts whole cores, so a single thread has no values */
	bool per_core;
	bool files; /* the tree comes from the model's files */
};

#define TD_SLOTS       "td_slots"
#define TD_GROUPS_SIZE 256

/* Finds a metric by name, in any case; NULL if there is none. */
const struct td_metric_def *td_set_find(const struct td_metric_set *set,
					const char *name);
/*
 * The groups that the metric is in, for td_next_group(); of a built-in one, those
 * that the files would list, in buf.
 */
const char *td_metric_def_groups(const struct td_metric_def *def,
				 char buf[TD_GROUPS_SIZE]);

/* A set that is built at run time. */
struct td_made_set {
	struct td_metric_set set;
	struct td_metric_def *defs; /* its metrics */
	size_t nr;
};

/* Appends a copy of def.  Returns 0 or -ENOMEM. */
int td_made_set_add(struct td_made_set *made, const struct td_metric_def *def);
/* Appends the metrics of a built-in set, and takes over what else it is. */
int td_made_set_copy(struct td_made_set *made,
		     const struct td_metric_set *from);

/* apart.c: marks the metrics outside of the tree that count no event of the cores. */
void td_made_set_find_apart(struct td_made_set *made);

/* Does ask need metrics that the built-in levels do not have? */
bool td_ask_wants_files(const struct td_ask *ask);

/* Is the metric a node of the tree on a level that ask has? */
bool td_ask_wants_level(const struct td_ask *ask,
			const struct td_metric_def *def);
/*
 * Does the name mean this metric: its own name, one of its groups, a glob, or
 * "all"?  Case is ignored, except where a glob is compared with a group.
 * Modifiers behind a colon are ignored.
 */
bool td_ask_matches(const char *name, const struct td_metric_def *def);
/*
 * Returns the modifiers of a name: "u" of "tma_retiring:u", "" if there are
 * none.
 */
const char *td_ask_modifiers(const char *name);

/* By the name of a metric: is it one of Intel's bottlenecks, a share? */
bool td_is_bottleneck(const char *name);
/*
 * Is it the bottleneck metric that is no loss?  Intel gives it a threshold, but
 * however large it is, nothing is wrong.
 */
bool td_is_useful_work(const char *name);
/*
 * Does the set have Intel's bottleneck metrics, which share out all slots?
 * Atom cores have metrics with such a name, too, but those are shares of cycles
 * that overlap.
 */
bool td_set_has_bottlenecks(const struct td_metric_set *set);
/*
 * Is the metric one of those that --bottlenecks shows: a bottleneck metric, or
 * if the set has none, a node of level 2, or of level 1 without children?  All
 * of them add up to 100 %, unless the files err.
 */
bool td_set_is_bottleneck(const struct td_metric_set *set,
			  const struct td_metric_def *def);

/* --- builtin.c ------------------------------------------------------------ */

/*
 * The columns of the built-in levels, in tree order: name, parent and level.  They are the same for all
 * sets, so that CSV files have the same columns on every machine.
 */
extern const struct td_metric_def td_builtin_columns[];
extern const size_t td_nr_builtin_columns;

/*
 * Returns the built-in set for a PMU.  Its sysfs folder decides which events
 * there are; its core decides corrections and the width.  NULL if the PMU
 * exports no top-down events, or stands for two kinds of core.
 */
const struct td_metric_set *td_builtin_find(const struct td_machine *machine,
					    const struct td_pmu *pmu);
/* Are there sets for its vendor's cores?  Metrics of others are only in files. */
bool td_builtin_is_for(const struct td_machine *machine);
/*
 * Returns the metrics of group L2Requests, which split the requests to the L2
 * cache by origin and outcome.  NULL if the core has no such event.
 */
const struct td_metric_set *td_l2_requests_find(enum td_uarch uarch);

#endif
