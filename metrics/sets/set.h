/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_SET_H
#define TD_METRICS_SETS_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "metrics/files/pmu_events.h"

/* An event that formulas call id; terms NULL: sysfs names it. */
struct td_event_def {
	const char *id;
	const char *name;
	const char *terms;
};

/*
 * A formula (metrics/formula/expr.h) over metric names of its set and event ids of
 * it; of sets from files, over names of events as well.
 */
struct td_metric_def {
	const char *name;
	const char *parent; /* NULL at level 1, and outside of the tree */
	int level;          /* of the tree, 0: outside of it */
	const char *formula;
	const char *threshold; /* non-zero: worth a look; NULL: none */
	const char *unit;      /* "%", "" */
	double factor;         /* what the formula's value is multiplied by */
	const char
		*groups;  /* "TopdownL1;TmaL1"; NULL: as level and parent say */
	const char *desc; /* NULL: none */
	enum td_apart apart;
	bool part; /* of others: nobody asks for it */
};

/*
 * What can be computed on one kind of core.  Of the tree's metrics children
 * stand behind their parents; the one called TD_SLOTS is the number of slots,
 * by which machines are merged.
 */
struct td_metric_set {
	const char *name;
	const struct td_event_def *events;
	size_t nr_events;
	const struct td_metric_def *metrics;
	size_t nr_metrics;
	int levels;            /* the deepest there is */
	const char *reference; /* the event id that shares are taken of */
	bool one_group; /* level 2 takes no counter that level 1 does not */
	bool per_core;  /* the threads of a core only make sense together */
	bool files;     /* the tree is that of the model's files */
};

#define TD_SLOTS "td_slots"

#endif
