/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_WATCHDOG_H
#define TD_WATCHDOG_H

#include "lib/count.h"
#include "lib/machine.h"
#include "lib/notes.h"
#include "lib/plan.h"

/*
 * A note for each group that was typed and never ran since the NMI watchdog has
 * a counter that it needs.  all: what was counted, one reading an event.
 * Returns how many there are.
 */
size_t td_note_watchdog(const struct td_plan *plan,
			const struct td_machine *machine,
			const struct td_readings *all, struct td_notes *notes);

#endif
