// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

void td_count_delta(const struct td_readings *now,
		    const struct td_readings *before, struct td_readings *delta)
{
	for (size_t i = 0; i < now->nr; i++) {
		const struct td_reading *n = &now->v[i], *b = &before->v[i];
		struct td_reading *d = &delta->v[i];

		*d = *n;
		d->value = td_since(n->value, b->value);
		d->enabled_ns = td_since(n->enabled_ns, b->enabled_ns);
		d->running_ns = td_since(n->running_ns, b->running_ns);
		if (n->value < b->value)
			d->running_ns = 0;
	}
}

void td_count_add(struct td_readings *sum, const struct td_readings *delta)
{
	for (size_t i = 0; i < sum->nr; i++) {
		sum->v[i].value += delta->v[i].value;
		sum->v[i].enabled_ns += delta->v[i].enabled_ns;
		sum->v[i].running_ns += delta->v[i].running_ns;
	}
}

void td_count_clear(struct td_readings *sum)
{
	for (size_t i = 0; i < sum->nr; i++) {
		struct td_reading *r = &sum->v[i];

		r->value = r->enabled_ns = r->running_ns = 0;
	}
}

bool td_count_enabled(const struct td_readings *delta)
{
	for (size_t i = 0; i < delta->nr; i++) {
		if (delta->v[i].enabled_ns)
			return true;
	}
	return false;
}

bool td_count_ran(const struct td_readings *delta)
{
	for (size_t i = 0; i < delta->nr; i++) {
		if (delta->v[i].running_ns)
			return true;
	}
	return false;
}

/* Those of pmu's CPUs with a reading that ran, or that was enabled. */
static int pmu_cpus(const struct td_readings *delta, const struct td_plan *plan,
		    int pmu, bool ran, struct td_ints *out)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < delta->nr; i++) {
		const struct td_reading *r = &delta->v[i];

		if (plan->events[r->event].pmu == pmu &&
		    (ran ? r->running_ns : r->enabled_ns))
			rc = td_ints_add(out, r->cpu);
	}
	return rc;
}

int td_count_held_cpus(const struct td_readings *delta,
		       const struct td_plan *plan, int pmu, struct td_ints *out)
{
	struct td_ints enabled = { 0 }, ran = { 0 };
	int rc = pmu_cpus(delta, plan, pmu, false, &enabled);

	*out = (struct td_ints){ 0 };
	if (!rc)
		rc = pmu_cpus(delta, plan, pmu, true, &ran);
	for (size_t i = 0; !rc && i < enabled.nr; i++) {
		if (!td_ints_has(&ran, enabled.v[i]))
			rc = td_ints_add(out, enabled.v[i]);
	}
	td_ints_free(&enabled);
	td_ints_free(&ran);
	return rc;
}

double td_count_share(const struct td_readings *sum,
		      const struct td_group *group)
{
	double enabled = 0, running = 0;

	for (size_t i = 0; group->nr && i < sum->nr; i++) {
		if (sum->v[i].event != group->members[0])
			continue;
		enabled += (double)sum->v[i].enabled_ns;
		running += (double)sum->v[i].running_ns;
	}
	return enabled > 0 ? 100 * running / enabled : NAN;
}

/* Scaled up from the time it ran to whole_ns; NaN: it never ran. */
static double scaled(const struct td_reading *reading, uint64_t whole_ns)
{
	if (reading->running_ns == 0)
		return NAN;
	if (reading->running_ns == whole_ns)
		return (double)reading->value;
	return (double)reading->value * (double)whole_ns /
	       (double)reading->running_ns;
}

/* splitmix64's finisher: spreads a CPU or thread number over 64 bits */
static uint64_t hash(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
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
	total->where += hash((uint64_t)(uint32_t)reading->cpu << 32 |
			     (uint32_t)reading->tid);
}

static int by_cpu_tid(const void *a, const void *b)
{
	const struct td_reading *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return 0;
}

/*
 * The readings of one CPU or task side by side, where they must be: CPUs whose
 * sum is wanted need no order.
 */
static struct td_reading *sorted(const struct td_readings *delta,
				 enum td_aggregation how)
{
	struct td_reading *copy = calloc(delta->nr + 1, sizeof(*copy));

	if (!copy)
		return NULL;
	if (delta->nr)
		memcpy(copy, delta->v, delta->nr * sizeof(*copy));
	if (how != TD_AGGREGATE_ALL || (delta->nr && delta->v[0].cpu < 0))
		qsort(copy, delta->nr, sizeof(*copy), by_cpu_tid);
	return copy;
}

static uint64_t running_ns(const struct td_reading *v, size_t nr, int event)
{
	for (size_t i = 0; i < nr; i++) {
		if (v[i].event == event)
			return v[i].running_ns;
	}
	return 0;
}

/*
 * How long a reading's CPU or task had its PMU; v: all of that one's.  A
 * task's groups are enabled on all kinds of core, and run on one: of those
 * that take turns, at_once at any moment.
 */
static uint64_t time_on_pmu(const struct td_reading *v, size_t nr,
			    const struct td_reading *reading,
			    const struct td_plan *plan)
{
	int index =
		reading->cpu < 0 ? td_plan_group_of(plan, reading->event) : -1;
	const struct td_group *group = index < 0 ? NULL : &plan->groups[index];
	uint64_t sum = 0, most = 0;

	if (!group || group->at_once <= 0)
		return reading->enabled_ns;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		uint64_t ns;

		if (plan->groups[g].pmu != group->pmu || !plan->groups[g].nr)
			continue;
		ns = running_ns(v, nr, plan->groups[g].members[0]);
		sum += ns;
		most = ns > most ? ns : most;
	}
	sum = (uint64_t)((double)sum / group->at_once);
	sum = sum > most ? sum : most;
	return sum < reading->enabled_ns ? sum : reading->enabled_ns;
}

static char *id_of(const struct td_reading *reading, enum td_aggregation how)
{
	char *id = NULL;
	int rc = 0;

	if (how == TD_AGGREGATE_ALL)
		return strdup("all");
	if (reading->cpu >= 0)
		rc = asprintf(&id, "CPU%d", reading->cpu);
	else
		rc = asprintf(&id, "%d", reading->tid);
	return rc < 0 ? NULL : id;
}

/* Room for one more id, its totals not yet counted. */
static struct td_total *add_id(struct td_totals *totals, char *id)
{
	char **slot =
		id ? td_array_add(&totals->ids, totals->nr_ids, sizeof(*slot))
		   : NULL;
	size_t row = totals->nr_events ? totals->nr_events : 1;
	struct td_total *v;

	v = slot ? td_array_add(&totals->v, totals->nr_ids,
				row * sizeof(*totals->v))
		 : NULL;
	if (!v) {
		free(id);
		return NULL;
	}
	for (size_t i = 0; i < totals->nr_events; i++)
		v[i].value = NAN;
	*slot = id;
	totals->nr_ids++;
	return v;
}

/* Adds all readings of one CPU or task to the row of their id. */
static void add_unit(struct td_total *row, const struct td_reading *v,
		     size_t nr, const struct td_plan *plan)
{
	for (size_t i = 0; i < nr; i++)
		total_add(&row[v[i].event], &v[i],
			  time_on_pmu(v, nr, &v[i], plan));
}

int td_count_aggregate(const struct td_readings *delta,
		       const struct td_plan *plan, enum td_aggregation how,
		       struct td_totals *totals, struct td_err *err)
{
	td_autofree struct td_reading *v = sorted(delta, how);
	struct td_total *row = NULL;
	size_t end;

	*totals = (struct td_totals){ .nr_events = plan->nr_events };
	if (!v)
		return td_err_nomem(err);
	totals->tasks = delta->nr && v[0].cpu < 0;
	for (size_t i = 0; i < delta->nr; i = end) {
		for (end = i + 1; end < delta->nr; end++) {
			if (by_cpu_tid(&v[i], &v[end]) != 0)
				break;
		}
		if (!row || how != TD_AGGREGATE_ALL)
			row = add_id(totals, id_of(&v[i], how));
		if (!row)
			return td_err_nomem(err);
		add_unit(row, v + i, end - i, plan);
	}
	return 0;
}

void td_totals_free(struct td_totals *totals)
{
	for (size_t i = 0; i < totals->nr_ids; i++)
		free(totals->ids[i]);
	free(totals->ids);
	free(totals->v);
	*totals = (struct td_totals){ 0 };
}
