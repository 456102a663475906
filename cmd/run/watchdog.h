/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_WATCHDOG_H
#define TD_CMD_RUN_WATCHDOG_H

#include "lib/base/notes.h"
#include "lib/count/readings.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/*
 * Adds a note for each typed group that never ran because the NMI watchdog has
 * a counter that it needs. all has one reading for each event.  Returns the
 * number of notes.
 */
size_t td_note_watchdog(const struct td_plan *plan,
			const struct td_machine *machine,
			const struct td_readings *all, struct td_notes *notes);

#endif
