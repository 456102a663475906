/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_REPLAY_IMPORTED_PMUS_H
#define TD_CMD_REPLAY_IMPORTED_PMUS_H

#include "cmd/plan/catalog.h"
#include "lib/recording/perf/spell.h"

/*
 * Gives each event of a core without a PMU in its name the only PMU of the model
 * that has an event of that name.  made: a machine of the model.  Those of others
 * stay on "cpu".  The machine of rec then has the model's PMUs that have events.
 */
int td_import_pmus(struct td_recording *rec,
		   const struct td_perf_spelling *spellings,
		   const struct td_machine *made, struct td_catalog *catalog,
		   struct td_err *err);

#endif
