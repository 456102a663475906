/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_BUILTIN_H
#define TD_METRICS_SETS_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/machine/machine.h"
#include "metrics/sets/set.h"

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
