/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_L2_REQUESTS_H
#define TD_L2_REQUESTS_H

#include "lib/uarch.h"
#include "metrics/set.h"

/*
 * What asked the L2 cache, and what it got: the metric group L2Requests.  NULL:
 * this core does not count it that way.
 */
const struct td_metric_set *td_l2_requests_find(enum td_uarch uarch);

#endif
