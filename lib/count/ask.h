/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_ASK_H
#define TD_LIB_COUNT_ASK_H

#include <stdbool.h>
#include <stddef.h>

/* The metrics that are asked for.  A recording keeps what a report needs. */
struct td_ask {
	int level;      /* the tree down to this level; 0: no tree */
	int only_level; /* only this level of the tree; 0: not used */
	/* "NAME", "GROUP", "tma_*", "NAME:u"; "tma_" may be left out */
	char **names;
	size_t nr_names;
	bool bottlenecks;  /* a sorted list of what the slots were lost to */
	bool energy;       /* the metrics of whole packages */
	bool drill;        /* count the deep levels only below what is over */
	bool no_threshold; /* count no events for thresholds */
	bool no_merge;     /* metrics do not share events */
	/* levels 1 and 2 from general counters, even where there are others */
	bool no_perf_metrics;
};

/* True if levels or metrics are asked for, not the default level. */
static inline bool td_ask_is_made(const struct td_ask *ask)
{
	return ask->level || ask->only_level || ask->nr_names ||
	       ask->bottlenecks;
}

#endif
