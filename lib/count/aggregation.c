// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of aggregations.  To add one, write a file with its row, and declare it and name it in
 * the table here.  Letters, widths and counted are those of aggr_printout(), aggr_header_lens and
 * aggr_header_names in tools/perf/util/stat-display.c.
 */
#include "lib/count/aggregation.h"

#include "lib/base/util.h"

static struct td_id_key core_key(const struct td_place *place, int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->socket, place->die, place->cluster, place->core } };
}

static struct td_id_key cluster_key(const struct td_place *place, int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->socket, place->die, place->cluster } };
}

static struct td_id_key cache_key(const struct td_place *place, int cache_level)
{
	int id = cache_level > 0 ? place->cache[cache_level - 1] : -1;

	return (struct td_id_key){ { place->socket, place->die, cache_level, id } };
}

static struct td_id_key die_key(const struct td_place *place, int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->socket, place->die } };
}

static struct td_id_key socket_key(const struct td_place *place, int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->socket } };
}

static struct td_id_key node_key(const struct td_place *place, int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->node } };
}

static const struct td_aggregation_row by_core = {
	.name = "core",
	.option = "--per-core",
	.help = "a row for each core",
	.key = core_key,
	.letters = { "S", "-D", "", "-C" },
	.width = 18,
	.counted = true,
};

static const struct td_aggregation_row by_cluster = {
	.name = "cluster",
	.option = "--per-cluster",
	.help = "a row for each cluster (cores that share an L2 cache)",
	.key = cluster_key,
	.letters = { "S", "-D", "-CLS" },
	.width = 20,
	.counted = true,
};

static const struct td_aggregation_row by_cache = {
	.name = "cache",
	.option = "--per-cache",
	.arg = "LEVEL",
	.help = "a row for each cache of the last level, or of L1 to L4",
	.key = cache_key,
	.letters = { "S", "-D", "-L", "-ID" },
	.width = 22,
	.counted = true,
};

static const struct td_aggregation_row by_die = {
	.name = "die",
	.option = "--per-die",
	.help = "a row for each die",
	.key = die_key,
	.letters = { "S", "-D" },
	.width = 12,
	.counted = true,
};

static const struct td_aggregation_row by_socket = {
	.name = "socket",
	.option = "--per-socket",
	.help = "a row for each socket",
	.key = socket_key,
	.letters = { "S" },
	.width = 6,
	.counted = true,
};

static const struct td_aggregation_row by_node = {
	.name = "node",
	.option = "--per-node",
	.help = "a row for each NUMA node",
	.key = node_key,
	.letters = { "N" },
	.width = 6,
	.counted = true,
};

static const struct td_aggregation_row all = {
	.name = "all",
	.option = "--total",
	.help = "report: show the sum of all CPUs or threads",
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

static const struct td_aggregation_row by_process = {
	.name = "process",
	.option = "--per-process",
	.help = "with -a: a row for each process, including short ones",
	.width = 24,
};

static const struct td_aggregation_row by_user = {
	.name = "user",
	.option = "--per-user",
	.help = "with -a: a row for each user, the sum of the processes",
	.width = 16,
};

static const struct td_aggregation_row by_region = {
	.name = "region",
	.option = "--per-region",
	.help = "regions, report: a row for each region of the program",
	.width = 24,
};

/* Modes of virtual machine monitors, without an option. */
static const struct td_aggregation_row by_mode = {
	.name = "mode",
	.width = 11,
};

/* clang-format off */
static const struct td_aggregation_row *const rows[] = {
	[TD_AGGREGATE_ALL] = &all,
	[TD_AGGREGATE_CPU] = &by_cpu,
	[TD_AGGREGATE_THREAD] = &by_thread,
	[TD_AGGREGATE_PROCESS] = &by_process,
	[TD_AGGREGATE_USER] = &by_user,
	[TD_AGGREGATE_CORE] = &by_core,
	[TD_AGGREGATE_CACHE] = &by_cache,
	[TD_AGGREGATE_CLUSTER] = &by_cluster,
	[TD_AGGREGATE_DIE] = &by_die,
	[TD_AGGREGATE_SOCKET] = &by_socket,
	[TD_AGGREGATE_NODE] = &by_node,
	[TD_AGGREGATE_REGION] = &by_region,
	[TD_AGGREGATE_MODE] = &by_mode,
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
		if (!rows[i]->option || strcmp(rows[i]->name, name) != 0)
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

bool td_aggregation_by_task(enum td_aggregation how)
{
	return td_aggregation_names_tasks(how) || how == TD_AGGREGATE_REGION ||
	       how == TD_AGGREGATE_MODE;
}

bool td_aggregation_names_tasks(enum td_aggregation how)
{
	return td_aggregation_has_tids(how) || how == TD_AGGREGATE_USER;
}

bool td_aggregation_has_tids(enum td_aggregation how)
{
	return how == TD_AGGREGATE_THREAD || how == TD_AGGREGATE_PROCESS;
}

bool td_aggregation_sums_tasks(enum td_aggregation how)
{
	return how == TD_AGGREGATE_PROCESS || how == TD_AGGREGATE_USER;
}

const char *td_aggregation_option(enum td_aggregation how)
{
	return rows[how]->letter ? rows[how]->letter : rows[how]->option;
}
