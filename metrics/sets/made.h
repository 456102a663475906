/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_MADE_H
#define TD_METRICS_SETS_MADE_H

#include <stddef.h>

#include "metrics/sets/set.h"

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

#endif
