/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_ASK_H
#define TD_METRICS_SETS_ASK_H

#include "lib/count/ask.h"
#include "metrics/sets/set.h"

/* Does ask need metrics that the built-in levels do not have? */
bool td_ask_wants_files(const struct td_ask *ask);

/* Is the metric a node of the tree on a level that ask has? */
bool td_ask_wants_level(const struct td_ask *ask,
			const struct td_metric_def *def);
/*
 * Does the name mean this metric: its own name, one of its groups, a glob, or
 * "all"?  Case is ignored, except where a glob is compared with a group.
 * Modifiers behind a colon are ignored.
 */
bool td_ask_matches(const char *name, const struct td_metric_def *def);
/*
 * Returns the modifiers of a name: "u" of "tma_retiring:u", "" if there are
 * none.
 */
const char *td_ask_modifiers(const char *name);

#endif
