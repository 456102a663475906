// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/totals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

/* Where it ran: different CPUs and tasks have different ones. */
static uint64_t where(const struct td_reading *reading)
{
	uint64_t hash = td_hash((uint64_t)(uint32_t)reading->cpu << 32 |
				(uint32_t)reading->tid);

	return reading->life ? td_hash_more(hash, (uint32_t)reading->life)
			     : hash;
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
	total->where += where(reading);
}

static int fill_id(struct td_total_id *id, const char *name, const char *suffix,
		   const char *cgroup, bool all)
{
	id->cgroup = cgroup;
	if (td_text_join(&id->name, name, suffix, ""))
		return -ENOMEM;
	if (!cgroup)
		return td_text_join(&id->label, name, suffix, "");
	return all ? td_text_join(&id->label, cgroup, "", "")
		   : td_text_join(&id->label, id->name, " ", cgroup);
}

struct td_total *td_totals_add_id(struct td_totals *totals, const char *name,
				  const char *suffix, const char *cgroup)
{
	size_t row = totals->nr_events ? totals->nr_events : 1;
	struct td_total *v =
		td_array_add(&totals->v, totals->nr_ids, row * sizeof(*v));
	struct td_total_id *id =
		v ? td_array_next(&totals->ids, &totals->nr_ids,
				  &totals->nr_kept, sizeof(*id))
		  : NULL;

	if (!id || fill_id(id, name, suffix, cgroup, totals->all))
		return NULL;
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
