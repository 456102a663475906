// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/totals.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/*
 * The value, scaled up from the time it ran to full_ns (unless that is 0), or
 * NaN if it never ran.  Some kernels (6.18) give wrong times for cgroups'
 * events, even 0 for one that has counted.
 */
static double scaled(const struct td_reading *reading, uint64_t full_ns)
{
	if (reading->running_ns == 0)
		return reading->cgroup && reading->value
			       ? (double)reading->value
			       : NAN;
	if (reading->running_ns == full_ns || !full_ns)
		return (double)reading->value;
	return (double)reading->value * (double)full_ns /
	       (double)reading->running_ns;
}

void td_total_add(struct td_total *total, const struct td_reading *reading,
		  uint64_t full_ns)
{
	double value = scaled(reading, full_ns);

	total->nr++;
	total->nr_enabled += reading->enabled_ns > 0;
	total->enabled_ns += reading->enabled_ns;
	total->running_ns += reading->running_ns;
	if (isnan(value))
		return;
	total->covered_ns += full_ns;
	total->value = isnan(total->value) ? value : total->value + value;
	total->where +=
		td_hash_more(td_hash((uint64_t)(uint32_t)reading->cpu << 32 |
				     (uint32_t)reading->tid),
			     (uint32_t)reading->life);
}

static int fill_id(struct td_total_id *id, char *name, const char *cgroup,
		   bool all)
{
	int rc;

	*id = (struct td_total_id){ .name = name, .cgroup = cgroup };
	if (!name)
		return -ENOMEM;
	if (!cgroup)
		rc = asprintf(&id->label, "%s", name);
	else if (all)
		rc = asprintf(&id->label, "%s", cgroup);
	else
		rc = asprintf(&id->label, "%s %s", name, cgroup);
	if (rc >= 0)
		return 0;
	id->label = NULL;
	return -ENOMEM;
}

struct td_total *td_totals_add_id(struct td_totals *totals, char *name,
				  const char *cgroup)
{
	size_t row = totals->nr_events ? totals->nr_events : 1;
	struct td_total_id *id =
		td_array_add(&totals->ids, totals->nr_ids, sizeof(*id));
	struct td_total *v;

	if (!id) {
		free(name);
		return NULL;
	}
	v = td_array_add(&totals->v, totals->nr_ids, row * sizeof(*v));
	totals->nr_ids++;
	if (fill_id(id, name, cgroup, totals->all) || !v)
		return NULL;
	for (size_t i = 0; i < totals->nr_events; i++)
		v[i].value = NAN;
	return v;
}

void td_totals_free(struct td_totals *totals)
{
	for (size_t i = 0; i < totals->nr_ids; i++) {
		free(totals->ids[i].name);
		free(totals->ids[i].label);
	}
	free(totals->ids);
	free(totals->v);
	*totals = (struct td_totals){ 0 };
}
