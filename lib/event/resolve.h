/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/event/event.h"
#include "lib/event/source.h"
#include "lib/event/spec.h"
#include "lib/machine/machine.h"

/*
 * Append the events of a text: one for each PMU that a name means, in the order of the
 * machine's PMUs, without skipped ones.  Pure, except that source may read more PMUs into the
 * machine.  An error points at the wrong word.
 */
int td_event_resolve(struct td_events *events, const struct td_event_text *text,
		     const struct td_machine *machine, const struct td_event_source *source,
		     struct td_notes *notes, struct td_err *err);
