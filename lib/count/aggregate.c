// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/aggregate.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/count/aggregate_tasks.h"

/* Rows of the totals: a key is cgroup * nr_ids + id. */
struct row_keys {
	const struct td_aggregator *agg;
	size_t nr_ids;  /* of a cgroup, with those that have no readings */
	size_t *of_key; /* index in the totals; SIZE_MAX if no readings */
	size_t nr_keys;
};

static size_t key_of(const struct row_keys *rows,
		     const struct td_reading *reading)
{
	const struct td_aggregator *agg = rows->agg;
	/* a reading of neither a CPU nor a task is a sum already */
	size_t cpu = reading->cpu < 0 ? 0 : (size_t)reading->cpu, id = 0;

	if (agg->how == TD_AGGREGATE_CPU)
		id = cpu;
	else if (agg->nr_ids)
		id = cpu < agg->nr_cpus ? agg->id_of_cpu[cpu] : agg->nr_ids - 1;
	return (size_t)reading->cgroup * rows->nr_ids + id;
}

static char *name_of(const struct row_keys *rows, size_t id)
{
	char *name = NULL;

	if (rows->agg->how != TD_AGGREGATE_CPU)
		return strdup(rows->agg->nr_ids ? rows->agg->ids[id] : "all");
	return asprintf(&name, "CPU%zu", id) < 0 ? NULL : name;
}

/* Per CPU, the id is its number, so there are ids up to the largest one. */
static int begin_rows(struct row_keys *rows, const struct td_readings *delta)
{
	const struct td_aggregator *agg = rows->agg;
	int cpu = 0, cgroup = 0;

	for (size_t i = 0; i < delta->nr; i++) {
		cpu = delta->v[i].cpu > cpu ? delta->v[i].cpu : cpu;
		cgroup = delta->v[i].cgroup > cgroup ? delta->v[i].cgroup
						     : cgroup;
	}
	rows->nr_ids = agg->how == TD_AGGREGATE_CPU ? (size_t)cpu + 1
		       : agg->nr_ids                ? agg->nr_ids
						    : 1;
	rows->nr_keys = rows->nr_ids * ((size_t)cgroup + 1);
	rows->of_key = malloc((rows->nr_keys + 1) * sizeof(*rows->of_key));
	if (!rows->of_key)
		return -ENOMEM;
	memset(rows->of_key, 0xff, rows->nr_keys * sizeof(*rows->of_key));
	for (size_t i = 0; i < delta->nr; i++)
		rows->of_key[key_of(rows, &delta->v[i])] = 0;
	return 0;
}

static int number_rows(struct row_keys *rows, struct td_totals *totals)
{
	for (size_t key = 0; key < rows->nr_keys; key++) {
		size_t cgroup = key / rows->nr_ids;

		if (rows->of_key[key] == SIZE_MAX)
			continue;
		rows->of_key[key] = totals->nr_ids;
		if (!td_totals_add_id(totals, name_of(rows, key % rows->nr_ids),
				      cgroup && cgroup <= rows->agg->nr_cgroups
					      ? rows->agg->cgroups[cgroup - 1]
					      : NULL))
			return -ENOMEM;
	}
	return 0;
}

static int add_cpus(const struct td_aggregator *agg,
		    const struct td_readings *delta, struct td_totals *totals)
{
	struct row_keys rows = { .agg = agg };
	int rc = begin_rows(&rows, delta);

	if (!rc)
		rc = number_rows(&rows, totals);
	for (size_t i = 0; !rc && i < delta->nr; i++) {
		const struct td_reading *r = &delta->v[i];
		size_t row = rows.of_key[key_of(&rows, r)];

		td_total_add(
			&totals->v[row * totals->nr_events + (size_t)r->event],
			r, agg->raw ? 0 : r->enabled_ns);
	}
	free(rows.of_key);
	return rc;
}

int td_aggregate(const struct td_aggregator *agg,
		 const struct td_readings *delta, const struct td_plan *plan,
		 struct td_totals *totals, struct td_err *err)
{
	int rc = 0;

	*totals = (struct td_totals){
		.nr_events = plan->events.nr,
		.by_id = td_aggregation_wants_places(agg->how),
	};
	if (!delta->nr)
		return 0;
	totals->tasks = delta->v[0].cpu < 0 && delta->v[0].tid >= 0;
	totals->all = totals->tasks
			      ? !td_aggregation_by_task(agg->how)
			      : agg->how != TD_AGGREGATE_CPU && !agg->nr_ids;
	rc = totals->tasks ? td_totals_add_tasks(agg, delta, plan, totals)
			   : add_cpus(agg, delta, totals);
	return rc ? td_err_nomem(err) : 0;
}
