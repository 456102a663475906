// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/opts.h"

#include <stdlib.h>

#include "cmd/out/writers.h"
#include "lib/count/aggregation.h"

bool td_opts_want_events(const struct td_opts *opts)
{
	return opts->nr_events || opts->detail || opts->nothing;
}

bool td_opts_want_verdict(const struct td_opts *opts)
{
	/* these are sorted, so the first line says it */
	if (opts->ask.bottlenecks)
		return false;
	/* it would go by size where thresholds are known */
	if (opts->ask.no_threshold)
		return false;
	/* a row each */
	if (td_opts_exposes(opts))
		return false;
	/* for programs only if asked for, as it is a line of another kind */
	return opts->show.verdict || ((opts->show.format == TD_FORMAT_TEXT ||
				       td_out_find(opts->show.format)->whole) &&
				      !opts->show.no_verdict);
}

bool td_opts_exposes(const struct td_opts *opts)
{
	return opts->openmetrics || opts->does.exposes;
}

/* opt_aggr_mode_to_aggr_mode() in tools/perf/builtin-stat.c */
enum td_aggregation td_opts_aggregation(const struct td_opts *opts)
{
	for (size_t i = TD_AGGREGATE_ALL + 1; i < td_nr_aggregations(); i++) {
		if (opts->show.aggregations & 1U << i)
			return (enum td_aggregation)i;
	}
	return TD_AGGREGATE_ALL;
}

bool td_opts_system_wide(const struct td_opts *opts)
{
	return td_target_is_wide(&opts->target) &&
	       td_opts_aggregation(opts) != TD_AGGREGATE_THREAD;
}

void td_opts_free(struct td_opts *opts)
{
	td_ints_free(&opts->target.cpus);
	td_ints_free(&opts->target.pids);
	td_ints_free(&opts->target.tids);
	free(opts->target.cgroups);
	opts->target.cgroups = NULL;
	for (size_t i = 0; i < opts->nr_events; i++)
		free(opts->events[i].filter);
	free(opts->events);
	opts->nr_events = 0;
	for (size_t i = 0; i < opts->ask.nr_names; i++)
		free(opts->ask.names[i]);
	free(opts->ask.names);
	opts->ask.names = NULL;
	opts->ask.nr_names = 0;
	free(opts->patterns);
	free(opts->show.head.labels);
	opts->events = NULL;
	opts->patterns = NULL;
	opts->show.head = (struct td_head_ask){ 0 };
}
