/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_RESOLVE_H
#define TD_LIB_EVENT_RESOLVE_H

#include "lib/base/notes.h"
#include "lib/event/source.h"
#include "lib/event/text.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * What was typed -> events of this machine, appended to plan->events: one for
 * each PMU that a name is meant for, the core PMUs that are not skipped first.
 * Pure but for source.  1: a name is nothing of what machine holds, and it does
 * not hold all PMUs yet: read the others, and call again with an empty plan.
 * An error points at the word.
 */
int td_event_resolve(struct td_plan *plan, const struct td_event_text *text,
		     const struct td_machine *machine,
		     const struct td_event_source *source,
		     struct td_notes *notes, struct td_err *err);

#endif
