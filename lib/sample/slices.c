// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/slices.h"

#include "lib/base/util.h"

#define MIN_RUN 0.99 /* minimum part of a slice that its group has to have counted */

struct td_slice_place {
	int cpu, group;
	bool lost; /* samples after the last slice were lost */
	uint64_t enabled_ns, running_ns;
	uint64_t *values; /* counts of the members at the end of the last slice */
	/* The look at the end of the interval. */
	struct td_slice_end look;
	uint64_t *pairs;     /* those of the look */
	bool has_look, ends; /* the look is to be added; it ends the interval */
	bool is_past;        /* such a look was added */
};

/* Returns a CPU's group, which has no counts yet if it is new. */
static struct td_slice_place *need_place(struct td_slices *slices, int cpu, int group)
{
	uint64_t key = td_hash_more(td_hash((uint32_t)cpu), (uint32_t)group);
	size_t at = td_index_find(&slices->by_place, key), nr = slices->plan->groups[group].nr;
	struct td_slice_place *place;

	if (at != TD_NOT_FOUND)
		return &slices->places[at];
	place = td_array_add(&slices->places, slices->nr_places, sizeof(*place));
	*place = (struct td_slice_place){
		.cpu = cpu,
		.group = group,
		.values = td_calloc(nr, sizeof(*place->values)),
		.pairs = td_calloc(2 * nr, sizeof(*place->pairs)),
	};
	td_index_add(&slices->by_place, key, slices->nr_places++);
	return place;
}

/* Begins at 0 if the events are new ones, because the CPU was offline. */
static void begin_again(const struct td_slices *slices, struct td_slice_place *place,
			const struct td_slice_end *end)
{
	if (end->enabled_ns >= place->enabled_ns)
		return;
	place->enabled_ns = place->running_ns = 0;
	memset(place->values, 0, slices->plan->groups[place->group].nr * sizeof(*place->values));
}

/* Did another group have the counters for a part of the time, so that a switch was missed? */
static bool was_displaced(const struct td_reading *slice)
{
	return (double)slice->running_ns < MIN_RUN * (double)slice->enabled_ns;
}

/*
 * The pseudo event for the time of a slice.  Groups of the same core type without counters have
 * this time, too: td_slices_end() adds it to the members of all of them.
 */
#define TIME_OF(pmu) (-1 - (pmu))

/* Adds a slice that begins where the last one ended. */
static void add_slice(struct td_slices *slices, struct td_slice_place *place,
		      const struct td_slice_end *end)
{
	struct td_slice_sums *to = place->is_past ? &slices->next : &slices->now;
	const struct td_group *group = &slices->plan->groups[end->group];
	struct td_reading slice = {
		.cpu = slices->by_cpu ? end->cpu : -1,
		.tid = end->task,
		.life = end->life,
		.enabled_ns = td_since(end->enabled_ns, place->enabled_ns),
		.running_ns = td_since(end->running_ns, place->running_ns),
	};
	const struct td_readings one = { .v = &slice, .nr = 1 };

	if (place->lost || was_displaced(&slice)) {
		slice.tid = TD_TASK_LOST;
		slice.life = 0;
	}
	slice.event = TIME_OF(group->pmu);
	td_readings_merge(&to->sum, &to->index, &one);
	slice.enabled_ns = 0;
	for (size_t i = 0; i < group->nr; i++) {
		slice.event = group->members[i];
		slice.value = td_since(end->pairs[2 * i], place->values[i]);
		place->values[i] = end->pairs[2 * i];
		td_readings_merge(&to->sum, &to->index, &one);
	}
	place->enabled_ns = end->enabled_ns;
	place->running_ns = end->running_ns;
	place->lost = false;
}

static void add_look(struct td_slices *slices, struct td_slice_place *place)
{
	begin_again(slices, place, &place->look);
	add_slice(slices, place, &place->look);
	place->has_look = false;
	place->is_past = place->ends;
}

void td_slices_add(struct td_slices *slices, const struct td_slice_end *end)
{
	struct td_slice_place *place = need_place(slices, end->cpu, end->group);

	if (place->has_look && end->enabled_ns > place->look.enabled_ns)
		add_look(slices, place);
	begin_again(slices, place, end);
	add_slice(slices, place, end);
}

void td_slices_look(struct td_slices *slices, const struct td_slice_end *end, bool ends)
{
	struct td_slice_place *place = need_place(slices, end->cpu, end->group);

	place->look = *end;
	place->look.pairs = memcpy(place->pairs, end->pairs,
				   2 * slices->plan->groups[end->group].nr * sizeof(*end->pairs));
	place->has_look = true;
	place->ends = ends;
}

void td_slices_lose(struct td_slices *slices, int cpu)
{
	for (size_t i = 0; i < slices->nr_places; i++)
		slices->places[i].lost |= slices->places[i].cpu == cpu;
}

void td_slices_settle(struct td_slices *slices)
{
	for (size_t i = 0; i < slices->nr_places; i++) {
		if (slices->places[i].has_look)
			add_look(slices, &slices->places[i]);
		slices->places[i].is_past = false;
	}
}

static void add_to_members(const struct td_plan *plan, struct td_slice_sums *sums,
			   struct td_reading time)
{
	const struct td_readings one = { .v = &time, .nr = 1 };
	int of = time.event;

	time.running_ns = 0;
	td_for_each(const struct td_group, group, plan->groups, plan->nr_groups) {
		for (size_t i = 0; of == TIME_OF(group->pmu) && i < group->nr; i++) {
			time.event = group->members[i];
			td_readings_merge(&sums->sum, &sums->index, &one);
		}
	}
}

/* Adds the times to the members, and removes them. */
static void add_times(const struct td_plan *plan, struct td_slice_sums *sums)
{
	struct td_readings *sum = &sums->sum;
	size_t nr = sum->nr, kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (sum->v[i].event < 0)
			add_to_members(plan, sums, sum->v[i]);
	}
	for (size_t i = 0; i < sum->nr; i++) {
		if (sum->v[i].event >= 0)
			sum->v[kept++] = sum->v[i];
	}
	sum->nr = kept;
}

const struct td_readings *td_slices_end(struct td_slices *slices)
{
	struct td_slice_sums past = slices->past;

	td_slices_settle(slices);
	add_times(slices->plan, &slices->now);
	past.sum.nr = 0;
	td_index_clear(&past.index);
	slices->past = slices->now;
	slices->now = slices->next;
	slices->next = past;
	return &slices->past.sum;
}

void td_slice_sums_free(struct td_slice_sums *sums)
{
	free(sums->sum.v);
	td_index_free(&sums->index);
}

void td_slices_free(struct td_slices *slices)
{
	for (size_t i = 0; i < slices->nr_places; i++) {
		free(slices->places[i].values);
		free(slices->places[i].pairs);
	}
	free(slices->places);
	td_index_free(&slices->by_place);
	td_slice_sums_free(&slices->now);
	td_slice_sums_free(&slices->next);
	td_slice_sums_free(&slices->past);
	*slices = (struct td_slices){ 0 };
}
