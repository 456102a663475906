// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/aggregate.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/*
 * The value, scaled up from the time it ran to whole_ns (unless that is 0), or
 * NaN if it never ran.  Some kernels (6.18) give wrong times for cgroups'
 * events, even 0 for one that has counted.
 */
static double scaled(const struct td_reading *reading, uint64_t whole_ns)
{
	if (reading->running_ns == 0)
		return reading->cgroup && reading->value
			       ? (double)reading->value
			       : NAN;
	if (reading->running_ns == whole_ns || !whole_ns)
		return (double)reading->value;
	return (double)reading->value * (double)whole_ns /
	       (double)reading->running_ns;
}

static void total_add(struct td_total *total, const struct td_reading *reading,
		      uint64_t whole_ns)
{
	double value = scaled(reading, whole_ns);

	total->nr++;
	total->enabled_ns += reading->enabled_ns;
	total->running_ns += reading->running_ns;
	if (isnan(value))
		return;
	total->covered_ns += whole_ns;
	total->value = isnan(total->value) ? value : total->value + value;
	total->where +=
		td_hash_more(td_hash((uint64_t)(uint32_t)reading->cpu << 32 |
				     (uint32_t)reading->tid),
			     (uint32_t)reading->life);
}

/*
 * How long tasks had the PMUs.  A task's groups are enabled on the PMUs of all
 * kinds of core, but run only on the one where the task is: at_once of them at
 * any moment, if they take turns.
 */
struct turns {
	const struct td_plan *plan;
	int *groups; /* for each event: the index of its group, -1 if none */
	/* For each PMU: how long a task's groups ran, in sum and at most. */
	uint64_t *all_ns, *most_ns;
};

static int begin_turns(struct turns *turns, const struct td_plan *plan)
{
	size_t nr_pmus = 1;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if ((size_t)plan->groups[g].pmu >= nr_pmus)
			nr_pmus = (size_t)plan->groups[g].pmu + 1;
	}
	*turns = (struct turns){
		.plan = plan,
		.groups = td_plan_groups(plan),
		.all_ns = calloc(nr_pmus, sizeof(*turns->all_ns)),
		.most_ns = calloc(nr_pmus, sizeof(*turns->most_ns)),
	};
	return turns->groups && turns->all_ns && turns->most_ns ? 0 : -ENOMEM;
}

static void free_turns(struct turns *turns)
{
	free(turns->groups);
	free(turns->all_ns);
	free(turns->most_ns);
}

/* The group of a task's reading, or NULL if it does not take turns. */
static const struct td_group *group_of(const struct turns *turns,
				       const struct td_reading *reading)
{
	int index = reading->cpu < 0 ? turns->groups[reading->event] : -1;
	const struct td_group *group =
		index < 0 ? NULL : &turns->plan->groups[index];

	return group && group->at_once > 0 ? group : NULL;
}

/* Adds up how long the groups of a task ran; v is all readings of the task. */
static void take_turns(struct turns *turns, const struct td_reading *v,
		       size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct td_group *group = group_of(turns, &v[i]);

		if (group)
			turns->all_ns[group->pmu] = turns->most_ns[group->pmu] =
				0;
	}
	for (size_t i = 0; i < nr; i++) {
		int index = turns->groups[v[i].event];
		const struct td_group *group =
			index < 0 ? NULL : &turns->plan->groups[index];

		if (!group || group->members[0] != v[i].event)
			continue;
		turns->all_ns[group->pmu] += v[i].running_ns;
		if (v[i].running_ns > turns->most_ns[group->pmu])
			turns->most_ns[group->pmu] = v[i].running_ns;
	}
}

/* How long the task had the PMU of one of its readings. */
static uint64_t time_on_pmu(const struct turns *turns,
			    const struct td_reading *reading)
{
	const struct td_group *group = group_of(turns, reading);
	uint64_t ns, most;

	if (!group)
		return reading->enabled_ns;
	ns = (uint64_t)((double)turns->all_ns[group->pmu] / group->at_once);
	most = turns->most_ns[group->pmu];
	ns = ns > most ? ns : most;
	return ns < reading->enabled_ns ? ns : reading->enabled_ns;
}

/* --- ids ------------------------------------------------------------------ */

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

/* Adds an id whose totals are not counted yet; takes ownership of name. */
static struct td_total *add_id(struct td_totals *totals, char *name,
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

/* --- tasks ---------------------------------------------------------------- */

static int by_task(const void *a, const void *b)
{
	const struct td_reading *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->life < y->life ? -1 : x->life > y->life;
}

/* "comm-tid", as in perf stat, or "comm-tid#2" for the second task of a tid. */
static char *thread_name(const struct td_aggregator *agg,
			 const struct td_reading *of)
{
	const char *comm =
		agg->names
			? td_task_names_find_life(agg->names, of->tid, of->life)
			: NULL;
	char *name = NULL;
	int len;

	comm = comm ? comm : "?";
	if (of->life)
		len = asprintf(&name, "%s-%d#%d", comm, of->tid, of->life + 1);
	else
		len = asprintf(&name, "%s-%d", comm, of->tid);
	return len < 0 ? NULL : name;
}

/* Adds all readings of one task to the row of its id. */
static void add_task(const struct td_aggregator *agg, struct td_total *row,
		     const struct td_reading *v, size_t nr, struct turns *turns)
{
	take_turns(turns, v, nr);
	for (size_t i = 0; i < nr; i++)
		total_add(&row[v[i].event], &v[i],
			  agg->raw ? 0 : time_on_pmu(turns, &v[i]));
}

static bool has_run(const struct td_reading *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (v[i].running_ns)
			return true;
	}
	return false;
}

/* Adds readings that are sorted by task. */
static int add_sorted(const struct td_aggregator *agg,
		      const struct td_reading *v, size_t nr,
		      struct turns *turns, struct td_totals *totals)
{
	struct td_total *row = NULL;
	size_t end;

	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr; end++) {
			if (by_task(&v[i], &v[end]) != 0)
				break;
		}
		if (agg->skip_idle && !has_run(v + i, end - i))
			continue;
		if (agg->how == TD_AGGREGATE_THREAD)
			row = add_id(totals, thread_name(agg, &v[i]), NULL);
		else if (!row)
			row = add_id(totals, strdup("all"), NULL);
		if (!row)
			return -ENOMEM;
		add_task(agg, row, v + i, end - i, turns);
	}
	return 0;
}

static int add_tasks(const struct td_aggregator *agg,
		     const struct td_readings *delta,
		     const struct td_plan *plan, struct td_totals *totals)
{
	td_autofree struct td_reading *v = calloc(delta->nr + 1, sizeof(*v));
	struct turns turns;
	int rc = begin_turns(&turns, plan);

	if (!rc && v) {
		memcpy(v, delta->v, delta->nr * sizeof(*v));
		qsort(v, delta->nr, sizeof(*v), by_task);
		rc = add_sorted(agg, v, delta->nr, &turns, totals);
	}
	free_turns(&turns);
	return v ? rc : -ENOMEM;
}

/* --- CPUs ----------------------------------------------------------------- */

/* Rows of the totals: a key is cgroup * nr_ids + id. */
struct rows {
	const struct td_aggregator *agg;
	size_t nr_ids;  /* of a cgroup, with those that have no readings */
	size_t *of_key; /* index in the totals; SIZE_MAX if no readings */
	size_t nr_keys;
};

static size_t key_of(const struct rows *rows, const struct td_reading *reading)
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

static char *name_of(const struct rows *rows, size_t id)
{
	char *name = NULL;

	if (rows->agg->how != TD_AGGREGATE_CPU)
		return strdup(rows->agg->nr_ids ? rows->agg->ids[id] : "all");
	return asprintf(&name, "CPU%zu", id) < 0 ? NULL : name;
}

/* Per CPU, the id is its number, so there are ids up to the largest one. */
static int begin_rows(struct rows *rows, const struct td_readings *delta)
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

static int number_rows(struct rows *rows, struct td_totals *totals)
{
	for (size_t key = 0; key < rows->nr_keys; key++) {
		size_t cgroup = key / rows->nr_ids;

		if (rows->of_key[key] == SIZE_MAX)
			continue;
		rows->of_key[key] = totals->nr_ids;
		if (!add_id(totals, name_of(rows, key % rows->nr_ids),
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
	struct rows rows = { .agg = agg };
	int rc = begin_rows(&rows, delta);

	if (!rc)
		rc = number_rows(&rows, totals);
	for (size_t i = 0; !rc && i < delta->nr; i++) {
		const struct td_reading *r = &delta->v[i];
		size_t row = rows.of_key[key_of(&rows, r)];

		total_add(
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
			      ? agg->how != TD_AGGREGATE_THREAD
			      : agg->how != TD_AGGREGATE_CPU && !agg->nr_ids;
	rc = totals->tasks ? add_tasks(agg, delta, plan, totals)
			   : add_cpus(agg, delta, totals);
	return rc ? td_err_nomem(err) : 0;
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
