/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REPLAY_IMPORTED_CORES_H
#define TD_CMD_REPLAY_IMPORTED_CORES_H

#include "lib/machine/machine.h"

/* "slots", "topdown-retiring", "TOPDOWN_RETIRING.ALL"; without PMU and modifiers. */
bool td_imported_is_topdown(const char *id);
/*
 * Sets the core of a PMU that knows the events that were counted: the model's, or
 * the one whose formulas use them.  UNKNOWN where the events are missing by which
 * its shares would be corrected.  Returns 0 or -ENOMEM.
 */
int td_imported_find_core(const struct td_machine *machine, struct td_pmu *pmu);
/* The event that such a core is corrected by, if it was not counted; else NULL. */
const char *td_imported_lacks(const struct td_pmu *pmu, enum td_uarch uarch);
/*
 * The first of SLOTS and the fields of level 1 that was not counted; NULL if all
 * were, or none.
 */
const char *td_imported_missing(const struct td_pmu *pmu);

#endif
