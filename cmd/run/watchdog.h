/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_WATCHDOG_H
#define TD_CMD_RUN_WATCHDOG_H

#include "lib/base/notes.h"
#include "lib/count/readings.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * A note for each group that was typed and never ran since the NMI watchdog has
 * a counter that it needs.  all: what was counted, one reading an event.
 * Returns how many there are.
 */
size_t td_note_watchdog(const struct td_plan *plan,
			const struct td_machine *machine,
			const struct td_readings *all, struct td_notes *notes);

#endif
