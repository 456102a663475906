/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_AGGREGATION_H
#define TD_LIB_COUNT_AGGREGATION_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/machine/cpu.h"

/*
 * What the counts of a row are the sum of: an index of the table in
 * aggregations.c.  Only those that the code asks for have a name here.  The
 * order is perf stat's: of several that are asked for, it takes the first one.
 */
enum td_aggregation {
	TD_AGGREGATE_ALL,
	TD_AGGREGATE_CPU,
	TD_AGGREGATE_THREAD,
	TD_AGGREGATE_CORE,
	TD_AGGREGATE_CACHE,
	TD_AGGREGATE_CLUSTER,
	TD_AGGREGATE_DIE,
	TD_AGGREGATE_SOCKET,
	TD_AGGREGATE_NODE,
};

#define TD_NR_ID_PARTS 4

/* What tells ids apart, from the outermost to the innermost. */
struct td_id_key {
	int part[TD_NR_ID_PARTS]; /* -1: not known */
};

/* All that there is to know of one aggregation. */
struct td_aggregation_row {
	const char *name; /* in recordings and JSON, and over its column */
	/* Of the command line: */
	const char *option, *letter; /* "--no-aggr", "-A"; NULL: none */
	const char *arg;             /* that may follow; NULL: none */
	const char *help;
	/*
	 * The id of a CPU by its place; cache_level: of TD_AGGREGATE_CACHE.
	 * NULL: places are not needed.
	 */
	struct td_id_key (*key)(const struct td_place *place, int cache_level);
	/* Before each part in an id's name; "": not shown, it only sorts. */
	const char *letters[TD_NR_ID_PARTS];
	/* How ids are shown, perf stat's way: */
	int width;     /* of their column; 0: there are no ids */
	size_t prefix; /* JSON leaves so much of an id out: "CPU" */
	bool counted;  /* the number of counters stands behind it */
};

#endif
