/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_GROUPS_H
#define TD_METRICS_SETS_GROUPS_H

#include <stdbool.h>

#include "metrics/sets/set.h"

#define TD_GROUP_NAME 128 /* longer group names are ignored */

/*
 * Reads the next name of "a;b;c", and moves *list behind it.  Returns false at
 * the end.
 */
bool td_next_group(const char **list, char name[TD_GROUP_NAME]);
/* Calls fn with the name of each group that the metric is in. */
void td_metric_def_each_group(const struct td_metric_def *def,
			      void (*fn)(void *ctx, const char *group),
			      void *ctx);

#endif
