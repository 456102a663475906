// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/sets/bottlenecks.h"

#include <string.h>
#include <strings.h>

#include "lib/base/util.h"

/* The metric that is what the others leave of 100 %. */
#define REST "other_bottlenecks"

/* The second one since version 5 of Intel's TMA. */
static const char *const prefixes[] = { "tma_info_bottleneck_",
					"tma_bottleneck_" };

/* The name behind the prefix; NULL if it is another kind of metric. */
static const char *without_prefix(const char *name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (strncasecmp(name, prefixes[i], len) == 0)
			return name + len;
	}
	return NULL;
}

bool td_is_bottleneck(const char *name)
{
	return without_prefix(name);
}

bool td_is_useful_work(const char *name)
{
	const char *rest = without_prefix(name);

	return rest && strcasecmp(rest, "useful_work") == 0;
}

bool td_set_has_bottlenecks(const struct td_metric_set *set)
{
	for (size_t i = 0; i < set->nr_metrics; i++) {
		const char *rest = without_prefix(set->metrics[i].name);

		if (rest && strcasecmp(rest, REST) == 0)
			return true;
	}
	return false;
}

static bool has_child(const struct td_metric_set *set,
		      const struct td_metric_def *def)
{
	for (size_t i = 0; i < set->nr_metrics; i++) {
		const char *parent = set->metrics[i].parent;

		if (parent && set->metrics[i].level == def->level + 1 &&
		    strcmp(parent, def->name) == 0)
			return true;
	}
	return false;
}

bool td_set_is_bottleneck(const struct td_metric_set *set,
			  const struct td_metric_def *def)
{
	if (def->part)
		return false;
	if (td_set_has_bottlenecks(set))
		return without_prefix(def->name);
	return def->level == 2 || (def->level == 1 && !has_child(set, def));
}
