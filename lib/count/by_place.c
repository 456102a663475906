// SPDX-License-Identifier: GPL-2.0-only
/*
 * Aggregations by the place of CPUs.  Letters, widths and counted are those of
 * aggr_printout(), aggr_header_lens and aggr_header_names in
 * tools/perf/util/stat-display.c.
 */
#include "lib/count/aggregation_rows.h"

static struct td_id_key core_key(const struct td_place *place, int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->socket, place->die, place->cluster,
				     place->core } };
}

static struct td_id_key cluster_key(const struct td_place *place,
				    int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->socket, place->die,
				     place->cluster } };
}

static struct td_id_key cache_key(const struct td_place *place, int cache_level)
{
	return (struct td_id_key){ { place->socket, place->die, cache_level,
				     place->cache[cache_level - 1] } };
}

static struct td_id_key die_key(const struct td_place *place, int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->socket, place->die } };
}

static struct td_id_key socket_key(const struct td_place *place,
				   int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->socket } };
}

static struct td_id_key node_key(const struct td_place *place, int cache_level)
{
	(void)cache_level;
	return (struct td_id_key){ { place->node } };
}

const struct td_aggregation_row td_by_core = {
	.name = "core",
	.option = "--per-core",
	.help = "a row for each core",
	.key = core_key,
	.letters = { "S", "-D", "", "-C" },
	.width = 18,
	.counted = true,
};

const struct td_aggregation_row td_by_cluster = {
	.name = "cluster",
	.option = "--per-cluster",
	.help = "a row for each cluster (cores that share an L2 cache)",
	.key = cluster_key,
	.letters = { "S", "-D", "-CLS" },
	.width = 20,
	.counted = true,
};

const struct td_aggregation_row td_by_cache = {
	.name = "cache",
	.option = "--per-cache",
	.arg = "LEVEL",
	.help = "a row for each cache of the last level, or of L1 to L4",
	.key = cache_key,
	.letters = { "S", "-D", "-L", "-ID" },
	.width = 22,
	.counted = true,
};

const struct td_aggregation_row td_by_die = {
	.name = "die",
	.option = "--per-die",
	.help = "a row for each die",
	.key = die_key,
	.letters = { "S", "-D" },
	.width = 12,
	.counted = true,
};

const struct td_aggregation_row td_by_socket = {
	.name = "socket",
	.option = "--per-socket",
	.help = "a row for each socket",
	.key = socket_key,
	.letters = { "S" },
	.width = 6,
	.counted = true,
};

const struct td_aggregation_row td_by_node = {
	.name = "node",
	.option = "--per-node",
	.help = "a row for each NUMA node",
	.key = node_key,
	.letters = { "N" },
	.width = 6,
	.counted = true,
};
