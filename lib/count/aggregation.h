/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/machine/cpu.h"

/*
 * Ways to sum counts into rows: indices of the table in aggregation.c.  Only an
 * aggregation that other code refers to needs a name here.  The order is that of perf
 * stat, which takes the first one of several.
 */
enum td_aggregation {
	TD_AGGREGATE_ALL,
	TD_AGGREGATE_CPU,
	TD_AGGREGATE_THREAD,
	TD_AGGREGATE_PROCESS, /* sums of the threads of each process */
	TD_AGGREGATE_USER,    /* sums of the processes of each user */
	TD_AGGREGATE_CORE,
	TD_AGGREGATE_CACHE,
	TD_AGGREGATE_CLUSTER,
	TD_AGGREGATE_DIE,
	TD_AGGREGATE_SOCKET,
	TD_AGGREGATE_NODE,
	TD_AGGREGATE_REGION,
	TD_AGGREGATE_MODE,
};

#define TD_NR_ID_PARTS 4

/* The parts of an id, from the outermost to the innermost. */
struct td_id_key {
	int part[TD_NR_ID_PARTS]; /* -1 if unknown */
};

/* An aggregation: a row of the table. */
struct td_aggregation_row {
	const char *name;            /* name in recordings, in JSON and above its column */
	const char *option, *letter; /* options "--no-aggr" and "-A", or NULL */
	const char *arg;             /* optional argument of the option, or NULL */
	const char *help;            /* help of the option */
	/*
	 * Returns the id of a CPU at a place; cache_level is for TD_AGGREGATE_CACHE, -1 if no cache
	 * is known.  NULL if ids do not depend on places.
	 */
	struct td_id_key (*key)(const struct td_place *place, int cache_level);
	/* prefix of each part in an id's name; "" if the part is only for sorting */
	const char *letters[TD_NR_ID_PARTS];
	int width;     /* width of the ids' column in perf stat; 0: no column */
	size_t prefix; /* length of the prefix that JSON omits: "CPU" */
	bool counted;  /* a column with the number of counters follows */
};

size_t td_nr_aggregations(void);
const struct td_aggregation_row *td_aggregation_row(enum td_aggregation how);
/* Finds an aggregation by its name in recordings, which do not contain modes. */
bool td_aggregation_find(const char *name, enum td_aggregation *how);
/* Returns true if ids depend on the places of CPUs. */
bool td_aggregation_wants_places(enum td_aggregation how);
/* Returns true if tasks, or parts of tasks, have separate rows. */
bool td_aggregation_by_task(enum td_aggregation how);
/* Returns true if the ids are names of threads, processes or users. */
bool td_aggregation_names_tasks(enum td_aggregation how);
/* Returns true if these names end with the number of a thread or process. */
bool td_aggregation_has_tids(enum td_aggregation how);
/* Returns true if rows are sums of the machine's tasks: of processes or users. */
bool td_aggregation_sums_tasks(enum td_aggregation how);
/* Returns the option as messages name it: "-A" or "--per-core". */
const char *td_aggregation_option(enum td_aggregation how);
