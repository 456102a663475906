// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of aggregations.  To add one, write a file with its row, name it in
 * aggregation_rows.h, and add a line here.
 */
#include "lib/count/aggregations.h"

#include <string.h>

#include "lib/base/util.h"
#include "lib/count/aggregation_rows.h"

static const struct td_aggregation_row all = {
	.name = "all",
	.option = "--total",
	.help = "report: the sum of all, whatever was recorded",
};

static const struct td_aggregation_row by_cpu = {
	.name = "cpu",
	.option = "--no-aggr",
	.letter = "-A",
	.help = "a row for each CPU",
	.width = 6,
	.prefix = 3,
};

static const struct td_aggregation_row by_thread = {
	.name = "thread",
	.option = "--per-thread",
	.help = "a row for each thread",
	.width = 24,
};

static const struct td_aggregation_row by_region = {
	.name = "region",
	.option = "--per-region",
	.help = "regions, report: a row for each region of the program",
	.width = 24,
};

/* clang-format off */
static const struct td_aggregation_row *const rows[] = {
	[TD_AGGREGATE_ALL] = &all,
	[TD_AGGREGATE_CPU] = &by_cpu,
	[TD_AGGREGATE_THREAD] = &by_thread,
	[TD_AGGREGATE_CORE] = &td_by_core,
	[TD_AGGREGATE_CACHE] = &td_by_cache,
	[TD_AGGREGATE_CLUSTER] = &td_by_cluster,
	[TD_AGGREGATE_DIE] = &td_by_die,
	[TD_AGGREGATE_SOCKET] = &td_by_socket,
	[TD_AGGREGATE_NODE] = &td_by_node,
	[TD_AGGREGATE_REGION] = &by_region,
};
/* clang-format on */

size_t td_nr_aggregations(void)
{
	return TD_ARRAY_SIZE(rows);
}

const struct td_aggregation_row *td_aggregation_row(enum td_aggregation how)
{
	return rows[how];
}

bool td_aggregation_find(const char *name, enum td_aggregation *how)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i]->name, name) != 0)
			continue;
		*how = (enum td_aggregation)i;
		return true;
	}
	return false;
}

bool td_aggregation_wants_places(enum td_aggregation how)
{
	return rows[how]->key != NULL;
}

bool td_aggregation_tells_tasks(enum td_aggregation how)
{
	return how == TD_AGGREGATE_THREAD || how == TD_AGGREGATE_REGION;
}

const char *td_aggregation_option(enum td_aggregation how)
{
	return rows[how]->letter ? rows[how]->letter : rows[how]->option;
}
