/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TREE_EVENT_KEY_H
#define TD_METRICS_TREE_EVENT_KEY_H

#include "lib/event/resolve.h"

/*
 * Writes a key that is the same for each way to write an event: its terms from
 * the model's files, sorted and without zeros, or else its name in lower case.
 * Formulas find recorded events by it, as a recording does not have their bits.
 * pmu: the PMU of a name that has none.  *out is to be freed even after an
 * error.
 */
int td_event_key(const struct td_machine *machine,
		 const struct td_event_source *source, int pmu, const char *id,
		 char **out, struct td_err *err);

#endif
