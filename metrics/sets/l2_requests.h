/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_L2_REQUESTS_H
#define TD_METRICS_SETS_L2_REQUESTS_H

#include "lib/machine/uarch.h"
#include "metrics/sets/set.h"

/*
 * Returns the metrics of group L2Requests, which split the requests to the L2
 * cache by origin and outcome.  NULL if the core has no such event.
 */
const struct td_metric_set *td_l2_requests_find(enum td_uarch uarch);

#endif
