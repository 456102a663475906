/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The requested metrics.  A recording contains those that a report needs. */
struct td_ask {
	int level;      /* depth of the tree; 0: no tree */
	int only_level; /* the only level to show; 0: all levels */
	char **names;   /* "NAME", "GROUP", "tma_*", "NAME:u"; "tma_" may be omitted */
	size_t nr_names;
	bool bottlenecks;  /* sorted list of the causes of lost slots */
	bool energy;       /* metrics of whole packages */
	bool drill;        /* count deep levels only below nodes above their threshold */
	bool no_threshold; /* do not count events for thresholds */
	bool no_merge;     /* metrics do not share events */
	/* levels 1 and 2 from general counters, even if PERF_METRICS exist */
	bool no_perf_metrics;
};

/* Returns true if levels or metrics were requested, not the default level. */
static inline bool td_ask_is_made(const struct td_ask *ask)
{
	return ask->level || ask->only_level || ask->nr_names || ask->bottlenecks;
}
