/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_RESOLVE_H
#define TD_LIB_EVENT_RESOLVE_H

#include "lib/base/err.h"
#include "lib/event/event.h"
#include "lib/event/source.h"
#include "lib/event/spec.h"
#include "lib/machine/machine.h"

/*
 * Appends the events of a text to events: one for each PMU that a name
 * means, in the machine's order, without skipped PMUs.  Pure except for
 * source, which may read more PMUs into the machine.  An error points at the
 * word.
 */
int td_event_resolve(struct td_events *events, const struct td_event_text *text,
		     const struct td_machine *machine,
		     const struct td_event_source *source,
		     struct td_notes *notes, struct td_err *err);

#endif
