/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_BUILTIN_H
#define TD_METRICS_SETS_BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/machine/machine.h"
#include "metrics/sets/set.h"

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
