/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_AGGREGATOR_H
#define TD_LIB_COUNT_AGGREGATOR_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/count/aggregations.h"
#include "lib/machine/cpu.h"
#include "lib/target/task_names.h"

/* Which readings belong together.  Built once a run.  Zeroed: all of them. */
struct td_aggregator {
	enum td_aggregation how;
	bool raw;       /* counts are not scaled up to the whole time */
	bool skip_idle; /* threads that did not run are left out */
	/* of places: an index of ids a CPU; the last id is for other CPUs */
	size_t *id_of_cpu, nr_cpus;
	char **ids;
	size_t nr_ids;
	const struct td_task_names *names; /* borrowed; NULL: not known */
	char *const *cgroups;              /* borrowed: the readings' */
	size_t nr_cgroups;
};

/*
 * places: where the CPUs are, of which only some kinds of aggregation want to
 * know; cache_level: of TD_AGGREGATE_CACHE, 0: the last one.  -ENODATA: places
 * do not say it.  Free with td_aggregator_free(), whatever the result.
 */
int td_aggregator_build(struct td_aggregator *agg, enum td_aggregation how,
			int cache_level, const struct td_place *places,
			size_t nr, struct td_err *err);
void td_aggregator_free(struct td_aggregator *agg);

#endif
