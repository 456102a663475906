/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_BOTTLENECKS_H
#define TD_METRICS_SETS_BOTTLENECKS_H

#include "metrics/sets/set.h"

/* By the name of a metric: is it one of Intel's bottlenecks, a share? */
bool td_is_bottleneck(const char *name);
/*
 * Is it the bottleneck metric that is no loss?  Intel gives it a threshold, but
 * however large it is, nothing is wrong.
 */
bool td_is_useful_work(const char *name);
/*
 * Does the set have Intel's bottleneck metrics, which share out all slots?
 * Atom cores have metrics with such a name, too, but those are shares of cycles
 * that overlap.
 */
bool td_set_has_bottlenecks(const struct td_metric_set *set);
/*
 * Is the metric one of those that --bottlenecks shows: a bottleneck metric, or
 * if the set has none, a node of level 2, or of level 1 without children?  All
 * of them add up to 100 %, unless the files err.
 */
bool td_set_is_bottleneck(const struct td_metric_set *set,
			  const struct td_metric_def *def);

#endif
