/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_MADE_H
#define TD_METRICS_SETS_MADE_H

/* The sets that are built at run time (sets.c). */
#include "metrics/sets/sets.h"

/* Appends a copy of def.  Returns 0 or -ENOMEM. */
int td_made_set_add(struct td_made_set *made, const struct td_metric_def *def);
/* Makes a PMU's set, which may be a built-in one, one that can grow; the same. */
int td_sets_own(struct td_sets *sets, size_t pmu);

#endif
