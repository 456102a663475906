// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/request.h"

#include <stdlib.h>

#include "cmd/output/format.h"

bool td_request_has_events(const struct td_request *request)
{
	return request->nr_events || request->detail || request->nothing;
}

bool td_request_exposes(const struct td_request *request)
{
	return request->openmetrics || request->does.exposes;
}

bool td_request_follows_cgroups(const struct td_request *request)
{
	return td_request_exposes(request) || request->does.follows;
}

/*
 * Return the first aggregation in the order of opt_aggr_mode_to_aggr_mode() in
 * tools/perf/builtin-stat.c.
 */
enum td_aggregation td_request_aggregation(const struct td_request *request)
{
	for (size_t i = TD_AGGREGATE_ALL + 1; i < td_nr_aggregations(); i++) {
		if (request->show.aggregations & 1U << i)
			return (enum td_aggregation)i;
	}
	return TD_AGGREGATE_ALL;
}

bool td_request_is_wide(const struct td_request *request)
{
	return td_target_is_wide(&request->target) &&
	       !td_aggregation_names_tasks(td_request_aggregation(request));
}

bool td_request_by_switches(const struct td_request *request)
{
	const struct td_ask *ask = &request->ask;
	const struct td_target_ask *target = &request->target;
	bool tasks = td_aggregation_names_tasks(td_request_aggregation(request)) &&
		     td_target_is_wide(target) && !td_target_has_cgroups(target) &&
		     !td_request_exposes(request);
	bool cgroups = target->each_cgroup && td_request_is_wide(request);

	return (tasks || cgroups) && !target->by_events && !target->has_cpus &&
	       !td_target_attaches(target) && !td_request_has_events(request) && !ask->nr_names &&
	       !ask->bottlenecks && !ask->energy && !ask->drill && !request->no_multiplex &&
	       !request->no_group && !request->record_tpebs && request->when.repeat == 1 &&
	       !request->when.control && !request->show.metric_only && !request->show.print_perf &&
	       !request->does.samples;
}

void td_request_free(struct td_request *request)
{
	td_ints_free(&request->target.cpus);
	td_ints_free(&request->target.pids);
	td_ints_free(&request->target.tids);
	free(request->target.cgroups);
	request->target.cgroups = NULL;
	for (size_t i = 0; i < request->nr_events; i++)
		free(request->events[i].filter);
	free(request->events);
	request->nr_events = 0;
	for (size_t i = 0; i < request->ask.nr_names; i++)
		free(request->ask.names[i]);
	free(request->ask.names);
	request->ask.names = NULL;
	request->ask.nr_names = 0;
	free(request->show.head.labels);
	request->events = NULL;
	request->show.head = (struct td_head_ask){ 0 };
}
