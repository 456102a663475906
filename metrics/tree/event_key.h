/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TREE_EVENT_KEY_H
#define TD_METRICS_TREE_EVENT_KEY_H

#include "lib/event/resolve.h"

/*
 * A text that is the same for the same event, however it is written: the terms
 * behind its name where the model's files have it, in order, without zeros;
 * else the name in lower case.  That is how the events of a recording, which
 * has no bits, are found by formulas.  pmu: index of the PMU of a name that
 * says none.  *out to be freed, whatever the result.
 */
int td_event_key(const struct td_machine *machine,
		 const struct td_event_source *source, int pmu, const char *id,
		 char **out, struct td_err *err);

#endif
