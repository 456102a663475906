/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_GROUPS_H
#define TD_METRICS_SETS_GROUPS_H

#include "metrics/sets/set.h"

/* Calls fn with the name of each group that the metric is in. */
void td_metric_def_each_group(const struct td_metric_def *def,
			      void (*fn)(void *ctx, const char *group),
			      void *ctx);

#endif
