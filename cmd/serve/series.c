// SPDX-License-Identifier: GPL-2.0-only
/* The series of each family, found by their labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/serve/counters.h"
#include "lib/base/util.h"

/* clang-format off */
static const struct td_family_row rows[TD_NR_FAMILIES] = {
	[TD_FAMILY_SLOTS] = {
		.name = "tdstat_slots",
		.help = "Pipeline slots of intervals with level 1; scaled up if multiplexed.",
		.counter = true,
	},
	[TD_FAMILY_LEVEL_1] = {
		.name = "tdstat_topdown_slots",
		.help = "Pipeline slots by what they were used for or lost to.",
		.label = "category",
		.counter = true,
	},
	[TD_FAMILY_L2_SLOTS] = {
		.name = "tdstat_l2_slots",
		.help = "Pipeline slots of intervals with level 2; scaled up if multiplexed.",
		.counter = true,
	},
	[TD_FAMILY_LEVEL_2] = {
		.name = "tdstat_topdown_l2_slots",
		.help = "Pipeline slots by category of level 2.",
		.label = "category",
		.counter = true,
	},
	[TD_FAMILY_CYCLES] = {
		.name = "tdstat_cycles",
		.help = "Core cycles in which CPUs were not halted.",
		.counter = true,
	},
	[TD_FAMILY_INSTRUCTIONS] = {
		.name = "tdstat_instructions",
		.help = "Instructions that were retired.",
		.counter = true,
	},
	[TD_FAMILY_CPU_SECONDS] = {
		.name = "tdstat_cpu_seconds",
		.help = "Time in which CPUs were not halted; of tasks, their CPU time.",
		.unit = "seconds",
		.counter = true,
		.decimals = 9,
	},
	[TD_FAMILY_COUNTED] = {
		.name = "tdstat_counted_seconds",
		.help = "Time in which a group of events had counters, over all CPUs.",
		.unit = "seconds",
		.label = "group",
		.counter = true,
		.decimals = 9,
	},
	[TD_FAMILY_ENABLED] = {
		.name = "tdstat_enabled_seconds",
		.help = "Time in which a group of events was to be counted.",
		.unit = "seconds",
		.label = "group",
		.counter = true,
		.decimals = 9,
	},
	[TD_FAMILY_MISSED] = {
		.name = "tdstat_intervals_missed",
		.help = "Intervals that came too late; their counts are in the next.",
		.counter = true,
	},
	[TD_FAMILY_CPUS] = {
		.name = "tdstat_cpus_counted",
		.help = "CPUs that were counted in the last interval.",
	},
	[TD_FAMILY_CGROUPS] = {
		.name = "tdstat_cgroups_counted",
		.help = "Number of counted cgroups that exist.",
	},
	[TD_FAMILY_NESTED] = {
		.name = "tdstat_cgroup_nested",
		.help = "1 for a cgroup inside another one with series.",
	},
	[TD_FAMILY_SERIES] = {
		.name = "tdstat_series",
		.help = "Series of PMUs, CPUs, cgroups and metrics.",
	},
	[TD_FAMILY_LEFT_OUT] = {
		.name = "tdstat_series_left_out",
		.help = "Series left out because of --max-series.",
	},
	[TD_FAMILY_LAST_READ] = {
		.name = "tdstat_last_read_timestamp_seconds",
		.help = "Time of the last reading of the counters, since 1970.",
		.unit = "seconds",
		.decimals = 3,
	},
	[TD_FAMILY_RATIO] = {
		.name = "tdstat_metric_ratio",
		.help = "A metric in the last interval that is a share; 1 is 100 %.",
		.unit = "ratio",
		.label = "metric",
		.decimals = 6,
	},
	[TD_FAMILY_VALUE] = {
		.name = "tdstat_metric_value",
		.help = "A metric in the last interval that is not a share, in its unit.",
		.label = "metric",
		.decimals = -1,
	},
	[TD_FAMILY_COUNTED_RATIO] = {
		.name = "tdstat_metric_counted_ratio",
		.help = "Share of the last interval in which a metric was counted.",
		.unit = "ratio",
		.label = "metric",
		.decimals = 6,
	},
};
/* clang-format on */

const struct td_family_row *td_family_row(enum td_family_kind kind)
{
	return &rows[kind];
}

static uint64_t hash_of(const struct td_series_key *key)
{
	const char *const texts[] = { key->pmu, key->id, key->parent, key->name, key->unit };
	uint64_t hash = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts); i++)
		hash = td_hash_more(hash, texts[i] ? td_hash_text(texts[i]) : i);
	return hash;
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool has_key(const struct td_series *series, const struct td_series_key *key)
{
	return same(series->pmu, key->pmu) && same(series->id, key->id) &&
	       same(series->parent, key->parent) && same(series->name, key->name) &&
	       same(series->unit, key->unit);
}

static void free_labels(struct td_series *series)
{
	free(series->pmu);
	free(series->id);
	free(series->parent);
	free(series->name);
	free(series->unit);
}

static char *copy_label(const char *text)
{
	return text ? td_strdup(text) : NULL;
}

/* Does the series describe the counting?  Such series are never left out. */
static bool is_own(const struct td_series_key *key)
{
	return !key->pmu;
}

size_t td_series_room(const struct td_counters *counters)
{
	return counters->max_series > counters->nr_series
		       ? counters->max_series - counters->nr_series
		       : 0;
}

static struct td_series *add(struct td_counters *counters, struct td_family *family,
			     const struct td_series_key *key)
{
	struct td_series *series;

	if (!is_own(key) && !td_series_room(counters)) {
		counters->nr_left_out++;
		return NULL;
	}
	series = td_array_add(&family->v, family->nr, sizeof(*series));
	series->pmu = copy_label(key->pmu);
	series->id = copy_label(key->id);
	series->parent = copy_label(key->parent);
	series->name = copy_label(key->name);
	series->unit = copy_label(key->unit);
	td_index_add(&family->index, hash_of(key), family->nr);
	family->nr++;
	*(is_own(key) ? &counters->nr_own : &counters->nr_series) += 1;
	return series;
}

static struct td_series *find(const struct td_counters *counters, enum td_family_kind kind,
			      const struct td_series_key *key)
{
	const struct td_family *family = &counters->families[kind];
	size_t step = 0, at;

	do {
		at = td_index_next(&family->index, hash_of(key), &step);
		if (at != TD_NOT_FOUND && has_key(&family->v[at], key))
			return &family->v[at];
	} while (at != TD_NOT_FOUND);
	return NULL;
}

struct td_series *td_series_find(struct td_counters *counters, enum td_family_kind kind,
				 const struct td_series_key *key)
{
	struct td_series *series = find(counters, kind, key);

	return series ? series : add(counters, &counters->families[kind], key);
}

/* Add to a counter.  Negative parts are subtracted from later ones, so it never falls. */
static void grow(struct td_series *series, double part)
{
	series->owed += part;
	if (series->owed < 0)
		return;
	series->value += series->owed;
	series->owed = 0;
}

void td_series_put(struct td_counters *counters, enum td_family_kind kind,
		   const struct td_series_key *key, double value)
{
	struct td_series *series;

	if (!isfinite(value))
		return;
	if (counters->probing) {
		*(find(counters, kind, key) ? &counters->nr_found : &counters->nr_lacking) += 1;
		return;
	}
	series = td_series_find(counters, kind, key);
	if (!series)
		return;
	if (rows[kind].counter)
		grow(series, value);
	else
		series->value = value + 0.0; /* never -0 */
	series->interval = counters->intervals;
}

/* Was any CPU of the series counted in the last interval? */
static bool is_there(const struct td_counters *counters, const struct td_series *series)
{
	const struct td_series_key key = { .pmu = series->pmu, .id = series->id };
	const struct td_series *cpus = series->id ? find(counters, TD_FAMILY_CPUS, &key) : NULL;

	return !cpus || cpus->interval == counters->intervals;
}

bool td_counters_has_value(const struct td_counters *counters, enum td_family_kind kind,
			   const struct td_series *series)
{
	return rows[kind].counter ? is_there(counters, series)
				  : series->interval == counters->intervals;
}

void td_counters_free(struct td_counters *counters)
{
	for (size_t kind = 0; kind < TD_NR_FAMILIES; kind++) {
		struct td_family *family = &counters->families[kind];

		for (size_t i = 0; i < family->nr; i++)
			free_labels(&family->v[i]);
		free(family->v);
		td_index_free(&family->index);
	}
	*counters = (struct td_counters){ 0 };
}

/* --- series of cgroups, which come and go, and may be nested -------------- */

bool td_counters_is_gone(const struct td_counters *counters, const char *id)
{
	const struct td_cgroups *cgroups = counters->cgroups;
	size_t at;

	if (!cgroups || !id)
		return false;
	at = td_cgroups_find(cgroups, id);
	return at == cgroups->nr || cgroups->gone[at];
}

static bool is_counted(const struct td_cgroups *cgroups, const char *name)
{
	size_t at = td_cgroups_find(cgroups, name);

	return at < cgroups->nr && !cgroups->gone[at];
}

/* The root is named "/" and contains all other cgroups. */
bool td_counters_is_nested(const struct td_counters *counters, const char *id)
{
	td_autofree char *above = td_strdup(id);
	char *slash;

	if (strcmp(id, "/") == 0)
		return false;
	while ((slash = strrchr(above, '/'))) {
		*slash = '\0';
		if (is_counted(counters->cgroups, above))
			return true;
	}
	return is_counted(counters->cgroups, "/");
}

static uint64_t series_hash(const struct td_series *series)
{
	const struct td_series_key key = { series->pmu, series->id, series->parent, series->name,
					   series->unit };

	return hash_of(&key);
}

/* Drop the series of gone cgroups, and rebuild the index. */
static void drop_of(struct td_counters *counters, struct td_family *family)
{
	size_t kept = 0;

	for (size_t i = 0; i < family->nr; i++) {
		struct td_series *series = &family->v[i];

		if (!td_counters_is_gone(counters, series->id)) {
			family->v[kept++] = *series;
			continue;
		}
		*(series->pmu ? &counters->nr_series : &counters->nr_own) -= 1;
		free_labels(series);
	}
	if (kept == family->nr)
		return;
	family->nr = kept;
	td_index_clear(&family->index);
	for (size_t i = 0; i < kept; i++)
		td_index_add(&family->index, series_hash(&family->v[i]), i);
}

void td_counters_drop_gone(struct td_counters *counters)
{
	for (size_t kind = 0; counters->cgroups && kind < TD_NR_FAMILIES; kind++)
		drop_of(counters, &counters->families[kind]);
}
