/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_ASK_H
#define TD_METRICS_SETS_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "metrics/sets/set.h"

/* Which metrics are wanted. */
struct td_ask {
	int level;                /* the tree down to it; 0: none of it */
	int only_level;           /* this one alone; 0: none */
	const char *const *names; /* "NAME", "GROUP", "tma_*", "NAME:u" */
	size_t nr_names;
	bool no_threshold; /* nothing is counted for thresholds */
	bool no_merge;     /* each metric has its events for itself */
};

/* Is anything wanted that the built-in levels do not have? */
bool td_ask_wants_files(const struct td_ask *ask);

/* Is a metric of the tree wanted for its level? */
bool td_ask_wants_level(const struct td_ask *ask,
			const struct td_metric_def *def);
/*
 * Is it what a name means, in any case?  Globs mean groups only as these are
 * written.  "all" is everything.  The modifiers
 * behind a colon do not count.
 */
bool td_ask_matches(const char *name, const struct td_metric_def *def);
/* "u" of "tma_retiring:u", "" without. */
const char *td_ask_modifiers(const char *name);

#endif
