// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/opts.h"

#include <stdlib.h>

#include "lib/base/util.h"

bool td_opts_want_events(const struct td_opts *opts)
{
	return opts->nr_events || opts->detail || opts->nothing;
}

/* opt_aggr_mode_to_aggr_mode() in tools/perf/builtin-stat.c */
enum td_aggregation td_opts_aggregation(const struct td_opts *opts)
{
	static const enum td_aggregation order[] = {
		TD_AGGREGATE_CPU,    TD_AGGREGATE_THREAD,  TD_AGGREGATE_CORE,
		TD_AGGREGATE_CACHE,  TD_AGGREGATE_CLUSTER, TD_AGGREGATE_DIE,
		TD_AGGREGATE_SOCKET, TD_AGGREGATE_NODE,
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(order); i++) {
		if (opts->aggregations & 1U << order[i])
			return order[i];
	}
	return TD_AGGREGATE_ALL;
}

const char *td_opts_aggregation_option(enum td_aggregation how)
{
	static const char *const options[TD_NR_AGGREGATIONS] = {
		[TD_AGGREGATE_ALL] = "",
		[TD_AGGREGATE_CPU] = "-A",
		[TD_AGGREGATE_CORE] = "--per-core",
		[TD_AGGREGATE_CLUSTER] = "--per-cluster",
		[TD_AGGREGATE_CACHE] = "--per-cache",
		[TD_AGGREGATE_DIE] = "--per-die",
		[TD_AGGREGATE_SOCKET] = "--per-socket",
		[TD_AGGREGATE_NODE] = "--per-node",
		[TD_AGGREGATE_THREAD] = "--per-thread",
	};

	return options[how];
}

bool td_opts_attaches(const struct td_opts *opts)
{
	return opts->pids.nr || opts->tids.nr;
}

bool td_opts_system_wide(const struct td_opts *opts)
{
	if (td_opts_attaches(opts) ||
	    td_opts_aggregation(opts) == TD_AGGREGATE_THREAD)
		return false;
	return opts->all_cpus || opts->has_cpus || !opts->command;
}

void td_opts_free(struct td_opts *opts)
{
	td_ints_free(&opts->cpus);
	td_ints_free(&opts->pids);
	td_ints_free(&opts->tids);
	free(opts->cgroups);
	opts->cgroups = NULL;
	for (size_t i = 0; i < opts->nr_events; i++)
		free(opts->events[i].filter);
	free(opts->events);
	opts->nr_events = 0;
	for (size_t i = 0; i < opts->nr_metrics; i++)
		free(opts->metrics[i]);
	free(opts->metrics);
	opts->metrics = NULL;
	opts->nr_metrics = 0;
	free(opts->patterns);
	opts->events = NULL;
	opts->patterns = NULL;
}
