// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

static uint64_t minus(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

void td_count_delta(const struct td_readings *now,
		    const struct td_readings *before, struct td_readings *delta)
{
	for (size_t i = 0; i < now->nr; i++) {
		const struct td_reading *n = &now->v[i], *b = &before->v[i];
		struct td_reading *d = &delta->v[i];

		*d = *n;
		d->value = minus(n->value, b->value);
		d->enabled_ns = minus(n->enabled_ns, b->enabled_ns);
		d->running_ns = minus(n->running_ns, b->running_ns);
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

double td_reading_scaled(const struct td_reading *reading)
{
	if (reading->running_ns == 0)
		return NAN;
	if (reading->running_ns == reading->enabled_ns)
		return (double)reading->value;
	return (double)reading->value * (double)reading->enabled_ns /
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

static void total_add(struct td_total *total, const struct td_reading *reading)
{
	double scaled = td_reading_scaled(reading);

	total->nr++;
	total->enabled_ns += reading->enabled_ns;
	total->running_ns += reading->running_ns;
	if (isnan(scaled))
		return;
	total->value = isnan(total->value) ? scaled : total->value + scaled;
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

/* The readings by CPU, or by task: those of one id side by side. */
static struct td_reading *sorted(const struct td_readings *delta,
				 enum td_aggregation how)
{
	struct td_reading *copy = calloc(delta->nr + 1, sizeof(*copy));

	if (!copy)
		return NULL;
	if (delta->nr)
		memcpy(copy, delta->v, delta->nr * sizeof(*copy));
	if (how == TD_AGGREGATE_CPU)
		qsort(copy, delta->nr, sizeof(*copy), by_cpu_tid);
	return copy;
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
	char **slot = td_array_add(&totals->ids, totals->nr_ids, sizeof(*slot));
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

int td_count_aggregate(const struct td_readings *delta, size_t nr_events,
		       enum td_aggregation how, struct td_totals *totals,
		       struct td_err *err)
{
	td_autofree struct td_reading *v = sorted(delta, how);
	struct td_total *row = NULL;

	*totals = (struct td_totals){ .nr_events = nr_events };
	if (!v)
		return td_err_nomem(err);
	totals->tasks = delta->nr && v[0].cpu < 0;
	for (size_t i = 0; i < delta->nr; i++) {
		if (!row || (how != TD_AGGREGATE_ALL &&
			     by_cpu_tid(&v[i - 1], &v[i]) != 0)) {
			char *id = id_of(&v[i], how);

			row = id ? add_id(totals, id) : NULL;
			if (!row)
				return td_err_nomem(err);
		}
		total_add(&row[v[i].event], &v[i]);
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
