// SPDX-License-Identifier: GPL-2.0-only
/* Which CPUs belong together, and what they are called: perf stat's names. */
#include "lib/count/aggregator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* What tells ids apart, from the outermost to the innermost. */
#define NR_PARTS 4

struct key {
	int part[NR_PARTS]; /* -1: does not matter, or is not known */
	int cpu;
};

static const char *const names[TD_NR_AGGREGATIONS] = {
	[TD_AGGREGATE_ALL] = "all",       [TD_AGGREGATE_CPU] = "cpu",
	[TD_AGGREGATE_CORE] = "core",     [TD_AGGREGATE_CLUSTER] = "cluster",
	[TD_AGGREGATE_CACHE] = "cache",   [TD_AGGREGATE_DIE] = "die",
	[TD_AGGREGATE_SOCKET] = "socket", [TD_AGGREGATE_NODE] = "node",
	[TD_AGGREGATE_THREAD] = "thread",
};

const char *td_aggregation_name(enum td_aggregation how)
{
	return names[how];
}

bool td_aggregation_find(const char *name, enum td_aggregation *how)
{
	for (int i = 0; i < TD_NR_AGGREGATIONS; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		*how = (enum td_aggregation)i;
		return true;
	}
	return false;
}

bool td_aggregation_wants_places(enum td_aggregation how)
{
	return how != TD_AGGREGATE_ALL && how != TD_AGGREGATE_CPU &&
	       how != TD_AGGREGATE_THREAD;
}

static bool has_cache(const struct td_place *places, size_t nr, int level)
{
	for (size_t i = 0; i < nr; i++) {
		if (places[i].cache[level - 1] >= 0)
			return true;
	}
	return false;
}

/* level, 0: the last one, if any CPU has it; else 0. */
static int find_cache(const struct td_place *places, size_t nr, int level)
{
	int last = level ? level : TD_MAX_CACHE;

	while (last && !has_cache(places, nr, last))
		last = level ? 0 : last - 1;
	return last;
}

static struct key key_of(const struct td_place *place, enum td_aggregation how,
			 int cache_level)
{
	struct key key = { { place->socket, place->die, -1, -1 }, place->cpu };

	switch (how) {
	case TD_AGGREGATE_CORE:
		key.part[2] = place->cluster;
		key.part[3] = place->core;
		break;
	case TD_AGGREGATE_CLUSTER:
		key.part[3] = place->cluster;
		break;
	case TD_AGGREGATE_CACHE:
		key.part[2] = cache_level;
		key.part[3] = place->cache[cache_level - 1];
		break;
	case TD_AGGREGATE_NODE:
		key.part[0] = key.part[1] = -1;
		key.part[3] = place->node;
		break;
	case TD_AGGREGATE_SOCKET:
		key.part[1] = -1;
		break;
	case TD_AGGREGATE_DIE:
	case TD_AGGREGATE_ALL:
	case TD_AGGREGATE_CPU:
	case TD_AGGREGATE_THREAD:
		break;
	}
	return key;
}

/* aggr_printout() in tools/perf/util/stat-display.c */
static char *name_of(const struct key *key, enum td_aggregation how)
{
	const int *p = key->part;
	char *name = NULL;
	int rc = -1;

	switch (how) {
	case TD_AGGREGATE_CORE:
		rc = asprintf(&name, "S%d-D%d-C%d", p[0], p[1], p[3]);
		break;
	case TD_AGGREGATE_CLUSTER:
		rc = asprintf(&name, "S%d-D%d-CLS%d", p[0], p[1], p[3]);
		break;
	case TD_AGGREGATE_CACHE:
		rc = asprintf(&name, "S%d-D%d-L%d-ID%d", p[0], p[1], p[2],
			      p[3]);
		break;
	case TD_AGGREGATE_DIE:
		rc = asprintf(&name, "S%d-D%d", p[0], p[1]);
		break;
	case TD_AGGREGATE_SOCKET:
		rc = asprintf(&name, "S%d", p[0]);
		break;
	case TD_AGGREGATE_NODE:
		rc = asprintf(&name, "N%d", p[3]);
		break;
	case TD_AGGREGATE_ALL:
	case TD_AGGREGATE_CPU:
	case TD_AGGREGATE_THREAD:
		break;
	}
	return rc < 0 ? NULL : name;
}

static int compare_parts(const struct key *a, const struct key *b)
{
	for (int i = 0; i < NR_PARTS; i++) {
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	}
	return 0;
}

static int by_key(const void *a, const void *b)
{
	return compare_parts(a, b);
}

static int add_id(struct td_aggregator *agg, const struct key *key)
{
	char **slot = td_array_add(&agg->ids, agg->nr_ids, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	*slot = name_of(key, agg->how);
	if (!*slot)
		return -ENOMEM;
	agg->nr_ids++;
	return 0;
}

/* Keys that are sorted: CPUs of the same id stand side by side. */
static int number_ids(struct td_aggregator *agg, const struct key *keys,
		      size_t nr)
{
	const struct key unknown = { { -1, -1, -1, -1 }, -1 };

	for (size_t i = 0; i < nr; i++) {
		if ((i == 0 || compare_parts(&keys[i - 1], &keys[i]) != 0) &&
		    add_id(agg, &keys[i]))
			return -ENOMEM;
		agg->id_of_cpu[keys[i].cpu] = agg->nr_ids - 1;
	}
	for (size_t cpu = 0; cpu < agg->nr_cpus; cpu++) {
		if (agg->id_of_cpu[cpu] == SIZE_MAX)
			agg->id_of_cpu[cpu] = agg->nr_ids;
	}
	return add_id(agg, &unknown);
}

static int build(struct td_aggregator *agg, const struct td_place *places,
		 size_t nr, int cache_level)
{
	td_autofree struct key *keys = calloc(nr + 1, sizeof(*keys));

	for (size_t i = 0; i < nr; i++) {
		if (agg->nr_cpus <= (size_t)places[i].cpu)
			agg->nr_cpus = (size_t)places[i].cpu + 1;
	}
	agg->id_of_cpu = calloc(agg->nr_cpus + 1, sizeof(*agg->id_of_cpu));
	if (!keys || !agg->id_of_cpu)
		return -ENOMEM;
	memset(agg->id_of_cpu, 0xff,
	       agg->nr_cpus * sizeof(*agg->id_of_cpu)); /* SIZE_MAX: none */
	for (size_t i = 0; i < nr; i++)
		keys[i] = key_of(&places[i], agg->how, cache_level);
	qsort(keys, nr, sizeof(*keys), by_key);
	return number_ids(agg, keys, nr);
}

/* What tells ids apart must be known of some CPU. */
static bool is_known(enum td_aggregation how, const struct td_place *places,
		     size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct td_place *place = &places[i];
		const int ids[TD_NR_AGGREGATIONS] = {
			[TD_AGGREGATE_CORE] = place->core,
			[TD_AGGREGATE_CLUSTER] = place->cluster,
			[TD_AGGREGATE_DIE] = place->die,
			[TD_AGGREGATE_SOCKET] = place->socket,
			[TD_AGGREGATE_NODE] = place->node,
		};

		if (ids[how] >= 0)
			return true;
	}
	return false;
}

int td_aggregator_build(struct td_aggregator *agg, enum td_aggregation how,
			int cache_level, const struct td_place *places,
			size_t nr, struct td_err *err)
{
	*agg = (struct td_aggregator){ .how = how };
	if (!td_aggregation_wants_places(how))
		return 0;
	if (how == TD_AGGREGATE_CACHE) {
		int found = find_cache(places, nr, cache_level);

		if (!found)
			return td_err_set(
				err, -ENODATA,
				cache_level && find_cache(places, nr, 0)
					? "--per-cache=L%d: the CPUs "
					  "have no such cache"
					: "--per-cache: what caches "
					  "the CPUs have is not "
					  "known",
				cache_level);
		cache_level = found;
	} else if (!is_known(how, places, nr)) {
		return td_err_set(
			err, -ENODATA,
			"--per-%s: what belongs together is not known",
			names[how]);
	}
	return build(agg, places, nr, cache_level) ? td_err_nomem(err) : 0;
}

void td_aggregator_free(struct td_aggregator *agg)
{
	for (size_t i = 0; i < agg->nr_ids; i++)
		free(agg->ids[i]);
	free(agg->ids);
	free(agg->id_of_cpu);
	*agg = (struct td_aggregator){ 0 };
}
