/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_AGGREGATOR_H
#define TD_LIB_COUNT_AGGREGATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/count/aggregation.h"
#include "lib/count/regions.h"
#include "lib/machine/cpu.h"
#include "lib/target/task_names.h"

/* Which readings are summed.  If zeroed, all of them. */
struct td_aggregator {
	enum td_aggregation how;
	bool raw;       /* do not scale counts up */
	bool skip_idle; /* leave out threads that did not run */
	/* For each CPU, its index in ids; the last id is for unknown CPUs. */
	size_t *id_of_cpu, nr_cpus;
	char **ids;
	size_t nr_ids;
	size_t nr_places;                  /* that the ids are made of */
	const struct td_task_names *names; /* borrowed; NULL: unknown */
	char *const *cgroups;              /* borrowed; of the readings */
	char *const *containers;           /* of these, or NULL; borrowed */
	size_t nr_cgroups;
	/* borrowed, of the readings; NULL: they are of no regions */
	const struct td_regions *regions;
	bool own; /* of each region, what was not in others within */
};

/*
 * places is needed if td_aggregation_wants_places().  cache_level is for
 * TD_AGGREGATE_CACHE; 0 means the last level.  -ENODATA if places lacks what
 * the aggregation needs.  Free with td_aggregator_free(), also after an error.
 */
int td_aggregator_build(struct td_aggregator *agg, enum td_aggregation how,
			int cache_level, const struct td_place *places,
			size_t nr, struct td_err *err);
/* Makes the ids anew if there are more places than they were made of. */
int td_aggregator_follow(struct td_aggregator *agg, int cache_level,
			 const struct td_place *places, size_t nr,
			 struct td_err *err);
void td_aggregator_free(struct td_aggregator *agg);

#endif
