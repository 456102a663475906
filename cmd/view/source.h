/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/base/identity.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"
#include "lib/count/latencies.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"
#include "lib/target/target.h"
#include "metrics/tree/tree.h"

#define TD_MAX_SAMPLED  2 /* more events would make a long command */
#define TD_SAMPLED_SIZE 64

/* Facts from the model's files about a metric of a PMU. */
struct td_metric_facts {
	int levels;     /* levels of the PMU's tree; 0: no tree in the files */
	bool has_group; /* NAME_group is a group of metrics */
	/* events to sample to find locations: of the PMU, or "PMU/TERMS/" */
	char events[TD_MAX_SAMPLED][TD_SAMPLED_SIZE];
	size_t nr_events;
};

/*
 * Description of counts: machine, events, target.  Live runs and recordings each make one, and all
 * later steps are the same for both.  Everything is borrowed.
 */
struct td_source {
	const struct td_machine *machine;
	const struct td_plan *plan;
	const struct td_tree *tree; /* NULL: show the plan's events */
	/*
	 * finds facts of the tree's metrics, only when they are needed, because reading files takes
	 * time; NULL: no facts
	 */
	void (*find_facts)(void *facts_ctx, const char *pmu, const char *metric,
			   struct td_metric_facts *facts);
	void *facts_ctx;
	const char *files_version; /* version of the metric files; NULL: unknown, or not read */
	const char *held; /* counters that other programs hold: td_held_text(); NULL: unknown */
	const struct td_target_name *target;
	const struct td_identity *identity; /* identity of the machine and tdstat that counted */
	bool interval;                      /* readings come in intervals */
	/* the source is a file of perf stat, which may lack times */
	bool of_perf;
	uint64_t start_ns;       /* ns since 1970; 0: unknown, or set later by td_view_start() */
	struct td_clocks clocks; /* start on other clocks */
	enum td_aggregation how;
	int cache_level; /* level for TD_AGGREGATE_CACHE; 0: the last one */
	/* show ids even if their topology is unknown, like perf stat; false: refuse them */
	bool as_counted;
	/* place of each online CPU, NULL unless how needs them; grows with the CPUs */
	struct td_place *const *places;
	bool skip_idle; /* leave out threads that did not run */
	const struct td_task_names *names;
	const struct td_latencies *latencies; /* sampled latencies, for events with R; or NULL */
	const struct td_regions *regions;     /* regions of the readings; or NULL */
	char *const *cgroups;                 /* cgroups of the readings */
	char *const *containers;              /* containers of the cgroups; NULL: unknown */
	size_t nr_cgroups;
	const struct td_cgroups *live_cgroups; /* current state; NULL: none, or a recording */
};
