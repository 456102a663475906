/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_VERDICT_NODE_EVENTS_H
#define TD_METRICS_VERDICT_NODE_EVENTS_H

/*
 * The events to sample for a node whose metric files name none, the best ones
 * first: "A.B;C.D".  Not every core has all of them.  "C.D|C.E" are names of one
 * event: the first one that the core has is meant.  "PMU/TERMS/" is one of another PMU,
 * which the machine may lack.  NULL if there is none.
 */
const char *td_node_events_find(const char *node);

#endif
