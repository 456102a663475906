// SPDX-License-Identifier: GPL-2.0-only
/* The steps of a reader: adds, sorts and removes them, and assigns their readings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/counter/read.h"

struct td_read_step *td_group_reader_add(struct td_group_reader *reader)
{
	struct td_read_step *step = td_array_add(&reader->steps, reader->nr_steps, sizeof(*step));

	reader->nr_steps++;
	return step;
}

static int by_cpu_thread_group(const void *a, const void *b)
{
	const struct td_read_step *x = a, *y = b;

	if (x->mode != y->mode)
		return x->mode < y->mode ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/*
 * Sorts by CPU, then thread, so that events of one ratio are read at nearly the
 * same time.
 */
static void order_steps(struct td_group_reader *reader)
{
	struct td_read_step *steps = reader->steps;
	size_t ready = reader->nr_ready;

	if (reader->nr_steps > ready)
		qsort(steps + ready, reader->nr_steps - ready, sizeof(*steps), by_cpu_thread_group);
	for (size_t s = ready ? ready : 1; s < reader->nr_steps; s++)
		steps[s].first = steps[s - 1].first + steps[s - 1].nr;
}

/* Sets the event, CPU and task of new readings in a buffer; these never change. */
static void label_readings(const struct td_group_reader *reader, struct td_reading *out)
{
	for (size_t s = reader->nr_ready; s < reader->nr_steps; s++) {
		const struct td_read_step *step = &reader->steps[s];

		for (size_t i = 0; i < step->nr; i++)
			out[step->first + i] = (struct td_reading){
				.event = step->members[i],
				.cpu = step->cpu,
				.tid = step->tid,
				.cgroup = step->cgroup,
				.life = step->life,
				.region = step->mode,
			};
	}
}

static void grow_one(struct td_readings *readings, size_t room)
{
	struct td_reading *v = td_reallocarray(readings->v, room, sizeof(*v));

	readings->v = v;
}

/* Makes room for nr readings and keeps the existing ones. */
static void grow_readings(struct td_group_reader *reader, size_t nr)
{
	size_t room = reader->room * 2 > nr ? reader->room * 2 : nr + 1;

	if (reader->room > nr)
		return;
	grow_one(&reader->now, room);
	grow_one(&reader->before, room);
	grow_one(&reader->delta, room);
	reader->room = room;
}

static void grow_buffer(struct td_group_reader *reader, size_t largest)
{
	uint64_t *buf;

	if (reader->buf && largest <= reader->largest)
		return;
	buf = td_realloc(reader->buf, td_group_read_size(largest));
	reader->buf = buf;
	reader->largest = largest;
}

void td_group_reader_begin(struct td_group_reader *reader)
{
	struct td_readings *sets[] = { &reader->now, &reader->before, &reader->delta };
	size_t nr = reader->now.nr, largest = 0;

	order_steps(reader);
	for (size_t s = reader->nr_ready; s < reader->nr_steps; s++) {
		nr += reader->steps[s].nr;
		if (reader->steps[s].nr > largest)
			largest = reader->steps[s].nr;
	}
	grow_readings(reader, nr);
	for (size_t i = 0; i < TD_ARRAY_SIZE(sets); i++) {
		sets[i]->nr = nr;
		label_readings(reader, sets[i]->v);
	}
	if (!reader->nr_ready)
		reader->nr_first = reader->nr_steps;
	reader->nr_ready = reader->nr_steps;
	grow_buffer(reader, largest);
}

static int by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void td_group_reader_end_sets(struct td_group_reader *reader, const size_t *sets, size_t nr)
{
	for (size_t s = 0; nr && s < reader->nr_steps; s++) {
		struct td_read_step *step = &reader->steps[s];

		if (bsearch(&step->set, sets, nr, sizeof(*sets), by_number))
			step->ended = true;
	}
}

static void move_readings(struct td_readings *readings, size_t to, size_t from, size_t nr)
{
	memmove(readings->v + to, readings->v + from, nr * sizeof(*readings->v));
}

void td_group_reader_forget_ended(struct td_group_reader *reader)
{
	size_t kept = 0, first = 0;

	for (size_t s = 0; s < reader->nr_steps; s++) {
		struct td_read_step step = reader->steps[s];

		if (step.ended) {
			free(step.fds);
			continue;
		}
		move_readings(&reader->now, first, step.first, step.nr);
		move_readings(&reader->before, first, step.first, step.nr);
		move_readings(&reader->delta, first, step.first, step.nr);
		step.first = first;
		first += step.nr;
		reader->steps[kept++] = step;
	}
	reader->nr_steps = reader->nr_ready = kept;
	reader->now.nr = reader->before.nr = reader->delta.nr = first;
}

void td_group_reader_free(struct td_group_reader *reader)
{
	free(reader->now.v);
	free(reader->before.v);
	free(reader->delta.v);
	free(reader->buf);
	for (size_t s = 0; s < reader->nr_steps; s++)
		free(reader->steps[s].fds);
	free(reader->steps);
	*reader = (struct td_group_reader){ 0 };
}
