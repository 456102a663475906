// SPDX-License-Identifier: GPL-2.0-only
/* The metrics of --energy, which are of whole packages. */
#include <string.h>

#include "lib/base/util.h"
#include "metrics/sets/sets.h"

#define MAIN_ENERGY "energy_pkg"
#define UNKNOWN     "td_memory_bandwidth" /* replaced by the formula of the files */
#define BANDWIDTH   "memory_bandwidth"

/* clang-format off */
#define DOMAIN(name_, event_, desc_)                                         \
	{ .name = "energy_" name_, .unit = "J", .factor = 1,                 \
	  .formula = "power@energy\\-" event_ "@",                           \
	  .package = true, .desc = "Energy of " desc_ },                     \
	{ .name = "power_" name_, .unit = "W", .factor = 1,                  \
	  .formula = "power@energy\\-" event_ "@ / duration_time",           \
	  .package = true, .desc = "Mean power of " desc_ }

const struct td_metric_def td_package_metrics[] = {
	DOMAIN("pkg", "pkg", "the package"),
	DOMAIN("cores", "cores", "all cores of the package"),
	DOMAIN("ram", "ram", "the memory"),
	{ .name = BANDWIDTH, .unit = "GB/s", .factor = 1,
	  .formula = UNKNOWN,
	  .package = true, .desc = "Reads and writes of the memory" },
};
/* clang-format on */

const size_t td_nr_package_metrics = TD_ARRAY_SIZE(td_package_metrics);

bool td_package_has(const char *name)
{
	for (size_t i = 0; i < td_nr_package_metrics; i++) {
		if (strcmp(td_package_metrics[i].name, name) == 0)
			return true;
	}
	return false;
}

bool td_package_is_main(const struct td_metric_def *def)
{
	return def->package &&
	       (strcmp(def->name, MAIN_ENERGY) == 0 || strcmp(def->name, BANDWIDTH) == 0);
}

bool td_package_lacks_formula(const struct td_metric_def *def)
{
	return strcmp(def->formula, UNKNOWN) == 0;
}

/* Names in Intel's files.  The second one is in MB/s, for servers without P-cores. */
static const struct {
	const char *name;
	double factor;
} bandwidths[] = {
	{ "tma_info_system_dram_bw_use", 1 },
	{ "memory_bandwidth_total", 1e-3 },
};

/* Replace the formula by that of the files, which may belong to another PMU. */
static void find_bandwidth(struct td_metric_def *def, const struct td_pmu_events *files)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(bandwidths); i++) {
		for (size_t j = 0; j < files->nr_metrics; j++) {
			const struct td_model_metric *metric = &files->metrics[j];

			if (strcmp(metric->name, bandwidths[i].name) != 0)
				continue;
			def->formula = metric->formula;
			def->factor = bandwidths[i].factor;
			return;
		}
	}
}

/* Add the metric for duration_time if the formula uses it and the set lacks it. */
static void add_time(struct td_made_set *made, const char *formula)
{
	static const struct td_metric_def time = {
		.name = "tma_info_system_time",
		.formula = "duration_time",
		.factor = 1,
	};

	if (!strstr(formula, time.name) || td_set_find(&made->set, time.name))
		return;
	td_made_set_add(made, &time);
}

/* Replace a PMU's set by a copy that can grow, if it is a built-in one. */
static void own(struct td_sets *sets, size_t pmu)
{
	struct td_made_set *made = &sets->made[pmu];
	const struct td_metric_set *builtin = sets->v[pmu];

	if (builtin == &made->set)
		return;
	sets->v[pmu] = &made->set;
	td_made_set_copy(made, builtin);
}

void td_sets_add_package(struct td_sets *sets, const struct td_pmu_events *files)
{
	size_t pmu = 0;

	while (pmu < sets->nr && !sets->v[pmu])
		pmu++;
	if (pmu == sets->nr)
		return;
	own(sets, pmu);
	for (size_t i = 0; i < td_nr_package_metrics; i++) {
		struct td_metric_def def = td_package_metrics[i];

		if (strcmp(def.name, BANDWIDTH) == 0)
			find_bandwidth(&def, files);
		add_time(&sets->made[pmu], def.formula);
		td_made_set_add(&sets->made[pmu], &def);
	}
}
