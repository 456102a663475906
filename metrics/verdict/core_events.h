/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_VERDICT_CORE_EVENTS_H
#define TD_METRICS_VERDICT_CORE_EVENTS_H

/*
 * The events to sample for a node of P-cores whose files name none, in the form of
 * td_verdict_atom_events(); NULL if there is none.
 */
const char *td_verdict_core_events(const char *node);

#endif
