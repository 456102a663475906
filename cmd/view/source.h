/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_SOURCE_H
#define TD_CMD_VIEW_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/identity.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"
#include "lib/count/latencies.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"
#include "lib/target/tasks.h"
#include "metrics/tree/tree.h"

#define TD_MAX_SAMPLED  2 /* more events would make a long command */
#define TD_SAMPLED_SIZE 64

/* What the model's files say about a metric of a PMU. */
struct td_metric_facts {
	int levels;     /* of the PMU's tree; 0: it has none in the files */
	bool has_group; /* NAME_group is a group of metrics */
	/*
	 * the events to sample to find the places: the PMU has them, or the one of
	 * "PMU/TERMS/"
	 */
	char events[TD_MAX_SAMPLED][TD_SAMPLED_SIZE];
	size_t nr_events;
};

/*
 * What was counted, and on what.  A live run and a recording each make one;
 * from here on both are the same.  All of it is borrowed.
 */
struct td_source {
	const struct td_machine *machine;
	const struct td_plan *plan;
	const struct td_tree *tree; /* NULL: show the plan's events */
	/*
	 * Finds facts of the tree's metrics, when they are needed: files take time
	 * to read.  Returns 0 or -ENOMEM.  NULL: there are none.
	 */
	int (*find_facts)(void *facts_ctx, const char *pmu, const char *metric,
			  struct td_metric_facts *facts);
	void *facts_ctx;
	/* of the metric files, if the run has read them; NULL: unknown */
	const char *files_version;
	/* counters that other programs hold: td_held_text(); NULL: none known */
	const char *held;
	const struct td_target_name *target;
	const struct td_identity *identity; /* of who counted */
	bool interval;                      /* readings come in intervals */
	bool of_perf; /* a file of perf stat, which need not tell times */
	/* when, in ns since 1970; 0: unknown, or to be set by td_view_start() */
	uint64_t start_ns;
	struct td_clocks clocks; /* the same moment; unknown as well */
	enum td_aggregation how;
	int cache_level; /* of TD_AGGREGATE_CACHE; 0: the last one */
	/* show ids whose innermost part is not known of any CPU, as perf stat does */
	bool as_counted;
	/*
	 * One for each online CPU, or NULL if how does not want them.  Both grow
	 * when others come online.
	 */
	struct td_place *const *places;
	bool skip_idle; /* leave out threads that did not run */
	const struct td_task_names *names;
	/* that were sampled, for events with R; NULL: none */
	const struct td_latencies *latencies;
	const struct td_regions *regions; /* of the readings; NULL: none */
	char *const *cgroups;             /* of the readings */
	char *const *containers;          /* of these; NULL: unknown */
	size_t nr_cgroups;
	/* the same, as they are now; NULL: there are none, or it is a recording */
	const struct td_cgroups *live_cgroups;
};

#endif
