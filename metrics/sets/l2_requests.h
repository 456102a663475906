/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_L2_REQUESTS_H
#define TD_METRICS_SETS_L2_REQUESTS_H

#include "lib/machine/uarch.h"
#include "metrics/sets/set.h"

/*
 * What asked the L2 cache, and what it got: the metric group L2Requests.  NULL:
 * this core does not count it that way.
 */
const struct td_metric_set *td_l2_requests_find(enum td_uarch uarch);

#endif
