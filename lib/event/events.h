/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_EVENTS_H
#define TD_LIB_EVENT_EVENTS_H

#include "lib/event/event.h"

/* A list of events, which it owns.  A zeroed struct is empty. */
struct td_events {
	struct td_event *v;
	size_t nr;
};

/*
 * Appends a zeroed event.  Pointers to the others become invalid; NULL means
 * out of memory.
 */
struct td_event *td_events_add(struct td_events *events);
/*
 * Appends a hidden SLOTS of the same PMU for a field of PERF_METRICS, with the
 * field's modifiers and group in the text.
 */
int td_events_add_slots(struct td_events *events, const struct td_pmu *pmu,
			size_t field, struct td_err *err);
/* Frees the events from index from on. */
void td_events_drop(struct td_events *events, size_t from);
void td_events_free(struct td_events *events);

#endif
