/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_BUILTIN_H
#define TD_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/machine.h"

/* An event that formulas call id; terms NULL: sysfs names it. */
struct td_event_def {
	const char *id;
	const char *name;
	const char *terms;
};

/*
 * A formula (metrics/expr.h) over event ids and metric names of its set.
 * level 0: a part of others, never shown.  The value is a share of the slots,
 * 1 for all of them.
 */
struct td_metric_def {
	const char *name;
	const char *parent; /* NULL at level 1 */
	int level;
	const char *formula;
	const char *threshold; /* non-zero: worth a look; NULL: none */
};

/*
 * The tree of one kind of core.  Metrics stand in the order in which they are
 * shown, children behind their parents; the one called TD_SLOTS is the number
 * of slots, by which machines are merged.
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
};

#define TD_SLOTS "td_slots"

/*
 * The columns of a report, for all sets together, so that a file has the same
 * ones on every machine; in the order of the tree.
 */
struct td_column_def {
	const char *name, *parent;
	int level;
};
extern const struct td_column_def td_builtin_columns[];
extern const size_t td_nr_builtin_columns;

/*
 * The set for a PMU, by what its sysfs folder exports and, for corrections
 * and widths, by its core.  NULL: it exports no top-down events, or is two
 * kinds of core at once.
 */
const struct td_metric_set *td_builtin_find(const struct td_machine *machine,
					    const struct td_pmu *pmu);

#endif
