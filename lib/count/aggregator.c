// SPDX-License-Identifier: GPL-2.0-only
/* Gives each CPU an id, with perf stat's names. */
#include "lib/count/aggregator.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

struct cpu_key {
	struct td_id_key id;
	int cpu;
};

static bool has_cache(const struct td_place *places, size_t nr, int level)
{
	for (size_t i = 0; i < nr; i++) {
		if (places[i].cache[level - 1] >= 0)
			return true;
	}
	return false;
}

/* Returns level (or the last one if 0) if any CPU has it, else 0. */
static int find_cache(const struct td_place *places, size_t nr, int level)
{
	int last = level ? level : TD_MAX_CACHE;

	while (last && !has_cache(places, nr, last))
		last = level ? 0 : last - 1;
	return last;
}

/* Formats an id, such as "S0-D0-C3". */
static char *name_of(const struct td_id_key *key, const struct td_aggregation_row *row)
{
	char name[TD_NR_ID_PARTS * 20];
	int len = 0;

	for (int i = 0; i < TD_NR_ID_PARTS && row->letters[i]; i++) {
		if (*row->letters[i])
			len += snprintf(name + len, sizeof(name) - (size_t)len, "%s%d",
					row->letters[i], key->part[i]);
	}
	return td_strdup(name);
}

static int compare_ids(const struct td_id_key *a, const struct td_id_key *b)
{
	for (int i = 0; i < TD_NR_ID_PARTS; i++) {
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	}
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct cpu_key *x = a, *y = b;

	return compare_ids(&x->id, &y->id);
}

static void add_id(struct td_aggregator *agg, const struct td_id_key *key)
{
	char *name = name_of(key, td_aggregation_row(agg->how));

	td_array_push(&agg->ids, &agg->nr_ids, &name, sizeof(name));
}

/* Numbers the ids of sorted keys. */
static void number_ids(struct td_aggregator *agg, const struct cpu_key *keys, size_t nr)
{
	const struct td_id_key unknown = { { -1, -1, -1, -1 } };

	for (size_t i = 0; i < nr; i++) {
		if (i == 0 || compare_ids(&keys[i - 1].id, &keys[i].id) != 0)
			add_id(agg, &keys[i].id);
		agg->id_of_cpu[keys[i].cpu] = agg->nr_ids - 1;
	}
	for (size_t cpu = 0; cpu < agg->nr_cpus; cpu++) {
		if (agg->id_of_cpu[cpu] == SIZE_MAX)
			agg->id_of_cpu[cpu] = agg->nr_ids;
	}
	add_id(agg, &unknown);
}

static void build(struct td_aggregator *agg, const struct td_place *places, size_t nr,
		  int cache_level)
{
	const struct td_aggregation_row *row = td_aggregation_row(agg->how);
	td_autofree struct cpu_key *keys = td_calloc(nr + 1, sizeof(*keys));

	for (size_t i = 0; i < nr; i++) {
		if (agg->nr_cpus <= (size_t)places[i].cpu)
			agg->nr_cpus = (size_t)places[i].cpu + 1;
	}
	agg->id_of_cpu = td_calloc(agg->nr_cpus + 1, sizeof(*agg->id_of_cpu));
	memset(agg->id_of_cpu, 0xff, agg->nr_cpus * sizeof(*agg->id_of_cpu)); /* SIZE_MAX: none */
	for (size_t i = 0; i < nr; i++) {
		keys[i].id = row->key(&places[i], cache_level);
		keys[i].cpu = places[i].cpu;
	}
	qsort(keys, nr, sizeof(*keys), by_key);
	number_ids(agg, keys, nr);
}

/*
 * Returns the level of the caches; -1, as in perf stat's ids, if no cache is known; 0 if
 * only other levels are known.
 */
static int choose_cache(const struct td_place *places, size_t nr, int level)
{
	int last = find_cache(places, nr, 0);

	if (!last)
		return -1;
	return level ? find_cache(places, nr, level) : last;
}

/* Sets agg->unknown.  Returns an error if not even the sockets of the CPUs are known. */
static int check_known(struct td_aggregator *agg, const struct td_place *places, size_t nr,
		       int cache_level, struct td_err *err)
{
	const struct td_aggregation_row *row = td_aggregation_row(agg->how);
	int last = TD_NR_ID_PARTS - 1;
	bool known = false, has_sockets = false;

	while (last && !row->letters[last])
		last--;
	for (size_t i = 0; i < nr; i++) {
		known |= row->key(&places[i], cache_level).part[last] >= 0;
		has_sockets |= places[i].socket >= 0;
	}
	agg->unknown = !known;
	if (known || has_sockets)
		return 0;
	return td_err_set(err, -ENODATA, "%s: the topology of the CPUs is not known", row->option);
}

int td_aggregator_build(struct td_aggregator *agg, enum td_aggregation how, int cache_level,
			const struct td_place *places, size_t nr, struct td_err *err)
{
	*agg = (struct td_aggregator){ .how = how };
	if (!td_aggregation_wants_places(how))
		return 0;
	if (how == TD_AGGREGATE_CACHE) {
		int level = choose_cache(places, nr, cache_level);

		if (!level)
			return td_err_set(err, -ENODATA,
					  "--per-cache=L%d: the CPUs have no such cache",
					  cache_level);
		cache_level = level;
	}
	if (check_known(agg, places, nr, cache_level, err))
		return err->code;
	agg->nr_places = nr;
	build(agg, places, nr, cache_level);
	return 0;
}

int td_aggregator_follow(struct td_aggregator *agg, int cache_level, const struct td_place *places,
			 size_t nr, struct td_err *err)
{
	struct td_aggregator now = { 0 }, before;
	int rc;

	if (!td_aggregation_wants_places(agg->how) || agg->nr_places == nr)
		return 0;
	rc = td_aggregator_build(&now, agg->how, cache_level, places, nr, err);
	if (!rc) {
		before = *agg;
		agg->id_of_cpu = now.id_of_cpu;
		agg->nr_cpus = now.nr_cpus;
		agg->ids = now.ids;
		agg->nr_ids = now.nr_ids;
		agg->nr_places = nr;
		now = before;
	}
	td_aggregator_free(&now);
	return rc;
}

void td_aggregator_free(struct td_aggregator *agg)
{
	for (size_t i = 0; i < agg->nr_ids; i++)
		free(agg->ids[i]);
	free(agg->ids);
	free(agg->id_of_cpu);
	*agg = (struct td_aggregator){ 0 };
}

/* --- totals: a count per event and id ------------------------------------- */

/*
 * Returns the value, scaled up from the time it ran to full_ns (unless that is 0), or
 * NaN if it never ran.  Some kernels (6.18) give wrong times for events of cgroups, even
 * 0 for one that has counted.
 */
static double scaled(const struct td_reading *reading, uint64_t full_ns)
{
	if (reading->running_ns == 0)
		return reading->cgroup && reading->value ? (double)reading->value : NAN;
	if (reading->running_ns == full_ns || !full_ns)
		return (double)reading->value;
	return (double)reading->value * (double)full_ns / (double)reading->running_ns;
}

/* Returns a hash of the CPU and task. */
static uint64_t hash_place(const struct td_reading *reading)
{
	uint64_t hash = td_hash((uint64_t)(uint32_t)reading->cpu << 32 | (uint32_t)reading->tid);

	return reading->life ? td_hash_more(hash, (uint32_t)reading->life) : hash;
}

void td_total_add(struct td_total *total, const struct td_reading *reading, uint64_t full_ns)
{
	double value = scaled(reading, full_ns);
	unsigned int nr = reading->nr ? (unsigned int)reading->nr : 1;

	total->nr += nr;
	total->nr_enabled += reading->enabled_ns ? nr : 0;
	total->enabled_ns += reading->enabled_ns;
	total->running_ns += reading->running_ns;
	if (isnan(value))
		return;
	total->nr_ran += nr;
	total->covered_ns += full_ns;
	total->value = isnan(total->value) ? value : total->value + value;
	total->where += hash_place(reading);
}

static void fill_id(struct td_total_id *id, const char *name, const char *suffix,
		    const char *cgroup, bool all)
{
	id->cgroup = cgroup;
	td_text_join(&id->name, name, suffix, "");
	if (!cgroup)
		td_text_join(&id->label, name, suffix, "");
	else if (all)
		td_text_join(&id->label, cgroup, "", "");
	else
		td_text_join(&id->label, id->name, " ", cgroup);
}

struct td_total *td_totals_add_id(struct td_totals *totals, const char *name, const char *suffix,
				  const char *cgroup)
{
	size_t row = totals->nr_events ? totals->nr_events : 1;
	struct td_total *v = td_array_add(&totals->v, totals->nr_ids, row * sizeof(*v));
	struct td_total_id *id =
		td_array_next(&totals->ids, &totals->nr_ids, &totals->nr_kept, sizeof(*id));

	fill_id(id, name, suffix, cgroup, totals->all);
	for (size_t i = 0; i < totals->nr_events; i++)
		v[i].value = NAN;
	return v;
}

void td_totals_free(struct td_totals *totals)
{
	for (size_t i = 0; i < totals->nr_ids || i < totals->nr_kept; i++) {
		free(totals->ids[i].name);
		free(totals->ids[i].label);
	}
	free(totals->ids);
	free(totals->v);
	free(totals->room.tasks);
	free(totals->room.groups);
	free(totals->room.pmus);
	free(totals->room.rows);
	*totals = (struct td_totals){ 0 };
}
