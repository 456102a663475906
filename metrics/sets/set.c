// SPDX-License-Identifier: GPL-2.0-only
/* Finds the metrics of a set. */
#include "metrics/sets/set.h"

#include <strings.h>

static const struct td_metric_def *find_indexed(const struct td_metric_set *set,
						const char *name)
{
	uint64_t hash = td_hash_any_case(name);
	size_t step = 0, at;

	while ((at = td_index_next(&set->names, hash, &step)) != TD_NOT_FOUND) {
		if (strcasecmp(set->metrics[at].name, name) == 0)
			return &set->metrics[at];
	}
	return NULL;
}

const struct td_metric_def *td_set_find(const struct td_metric_set *set,
					const char *name)
{
	if (set->names.nr)
		return find_indexed(set, name);
	for (size_t i = 0; i < set->nr_metrics; i++) {
		if (strcasecmp(set->metrics[i].name, name) == 0)
			return &set->metrics[i];
	}
	return NULL;
}
