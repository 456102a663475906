// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/sets/made.h"

#include <errno.h>

#include "lib/base/util.h"

int td_made_set_add(struct td_made_set *made, const struct td_metric_def *def)
{
	struct td_metric_def *new =
		td_array_add(&made->defs, made->nr, sizeof(*new));

	if (!new || td_index_add(&made->set.names, td_hash_any_case(def->name),
				 made->nr))
		return -ENOMEM;
	*new = *def;
	made->nr++;
	made->set.metrics = made->defs;
	made->set.nr_metrics = made->nr;
	return 0;
}

int td_made_set_copy(struct td_made_set *made, const struct td_metric_set *from)
{
	struct td_metric_set *set = &made->set;
	int rc = 0;

	for (size_t i = 0; !rc && i < from->nr_metrics; i++)
		rc = td_made_set_add(made, &from->metrics[i]);
	set->name = from->name;
	set->events = from->events;
	set->nr_events = from->nr_events;
	set->levels = from->levels;
	set->reference = from->reference;
	set->one_group = from->one_group;
	set->per_core = from->per_core;
	set->files = false;
	return rc;
}
