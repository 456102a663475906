// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/readings.h"

#include <math.h>

#include "lib/base/util.h"

void td_readings_delta(const struct td_readings *now, const struct td_readings *before,
		       struct td_readings *delta)
{
	for (size_t i = 0; i < now->nr; i++) {
		const struct td_reading *n = &now->v[i], *b = &before->v[i];
		struct td_reading *d = &delta->v[i];

		*d = *n;
		d->value = n->value - b->value;
		d->enabled_ns = td_since(n->enabled_ns, b->enabled_ns);
		d->running_ns = td_since(n->running_ns, b->running_ns);
		if (td_count_is_backwards(n->value, b->value))
			d->value = d->running_ns = 0;
	}
}

static void add_to(struct td_reading *to, const struct td_reading *delta)
{
	to->value += delta->value;
	to->enabled_ns += delta->enabled_ns;
	to->running_ns += delta->running_ns;
}

void td_readings_copy(struct td_readings *to, const struct td_readings *from)
{
	to->v = td_reallocarray(to->v, from->nr + 1, sizeof(*to->v));
	to->nr = from->nr;
	to->behind = from->behind;
	for (size_t i = 0; i < from->nr; i++)
		to->v[i] = from->v[i];
}

void td_readings_add(struct td_readings *sum, const struct td_readings *delta)
{
	for (size_t i = 0; i < sum->nr; i++)
		add_to(&sum->v[i], &delta->v[i]);
}

static bool same_counter(const struct td_reading *a, const struct td_reading *b)
{
	return a->event == b->event && a->cpu == b->cpu && a->tid == b->tid &&
	       a->cgroup == b->cgroup && a->life == b->life && a->region == b->region;
}

static uint64_t hash_counter(const struct td_reading *r)
{
	uint64_t hash = td_hash((uint64_t)(uint32_t)r->event << 32 | (uint32_t)r->cpu);

	hash = td_hash_more(hash, (uint64_t)(uint32_t)r->tid << 32 | (uint32_t)r->life);
	return td_hash_more(hash, (uint64_t)(uint32_t)r->cgroup << 32 | (uint32_t)r->region);
}

/* Tries the position hint first, because both usually have the same order. */
static size_t find_counter(const struct td_readings *sum, const struct td_index *index,
			   const struct td_reading *reading, size_t hint)
{
	size_t step = 0, at = hint;
	uint64_t hash;

	if (hint < sum->nr && same_counter(&sum->v[hint], reading))
		return hint;
	hash = hash_counter(reading);
	do {
		at = td_index_next(index, hash, &step);
	} while (at != TD_NOT_FOUND && !same_counter(&sum->v[at], reading));
	return at;
}

void td_readings_merge(struct td_readings *sum, struct td_index *index,
		       const struct td_readings *delta)
{
	size_t hint = 0;

	for (size_t i = 0; i < delta->nr; i++) {
		size_t at = find_counter(sum, index, &delta->v[i], hint);

		if (at != TD_NOT_FOUND) {
			add_to(&sum->v[at], &delta->v[i]);
		} else {
			td_index_add(index, hash_counter(&delta->v[i]), sum->nr);
			td_array_push(&sum->v, &sum->nr, &delta->v[i], sizeof(*sum->v));
		}
		hint = at == TD_NOT_FOUND ? sum->nr : at + 1;
	}
}

void td_readings_clear(struct td_readings *sum)
{
	for (size_t i = 0; i < sum->nr; i++) {
		struct td_reading *r = &sum->v[i];

		r->value = r->enabled_ns = r->running_ns = 0;
	}
}

bool td_readings_enabled(const struct td_readings *delta)
{
	for (size_t i = 0; i < delta->nr; i++) {
		if (delta->v[i].enabled_ns)
			return true;
	}
	return false;
}

bool td_readings_ran(const struct td_readings *delta)
{
	for (size_t i = 0; i < delta->nr; i++) {
		const struct td_reading *r = &delta->v[i];

		/* some kernels give no times for cgroups' events */
		if (r->running_ns || (r->cgroup && r->value))
			return true;
	}
	return false;
}

/* Lists the CPUs where any of these events ran or, if ran is false, was enabled. */
static void find_cpus(const struct td_readings *delta, const bool *events, bool ran,
		      struct td_ints *out)
{
	for (size_t i = 0; i < delta->nr; i++) {
		const struct td_reading *r = &delta->v[i];

		if (events[r->event] && (ran ? r->running_ns : r->enabled_ns))
			td_ints_add(out, r->cpu);
	}
}

void td_readings_held_cpus(const struct td_readings *delta, const bool *events, struct td_ints *out)
{
	struct td_ints ran = { 0 };

	*out = (struct td_ints){ 0 };
	find_cpus(delta, events, false, out);
	find_cpus(delta, events, true, &ran);
	td_ints_remove(out, &ran);
	td_ints_free(&ran);
}

double td_readings_value(const struct td_readings *sum, int event)
{
	double value = 0;

	for (size_t i = 0; i < sum->nr; i++) {
		if (sum->v[i].event == event)
			value += (double)sum->v[i].value;
	}
	return value;
}

double td_readings_share(const struct td_readings *sum, const struct td_group *group)
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
