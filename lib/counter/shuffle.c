// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes the order in which groups take turns.  The kernel puts a group that had its
 * turn behind all others (rotate_ctx() in kernel/events/core.c), so their order is
 * always the same, and a program whose period is that of the turns would show each of
 * them always the same part of itself.  A group that pauses misses its turns, and has
 * the next one when it goes on.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"
#include "lib/counter/shuffle.h"

/* A turn where the kernel's timer has 250 Hz. */
#define TURN_NS (4 * TD_NS_A_MS)

/*
 * A pause takes this, and up to so many turns less a half as there are groups: then each
 * of them may have any place afterwards.  Of two, turns are exchanged in 5 of 8 cases:
 * more often than not, so that each soon has the other half of such a program, and less
 * than always, which might be a period, too.
 */
#define LEAST_NS (TURN_NS * 5 / 4)

/*
 * Three of four pause, so that the others' turns are soon elsewhere; where half of them
 * did, one of four groups would keep its place in 2 of 5 cases.
 */
void td_pause_choose(uint64_t *random, bool *paused, size_t nr)
{
	size_t chosen = 0;

	while (!chosen || chosen == nr) {
		chosen = 0;
		for (size_t i = 0; i < nr; i++) {
			*random = td_next_random(*random);
			paused[i] = *random >> 32 & 3;
			chosen += paused[i];
		}
	}
}

uint64_t td_pause_ns(uint64_t *random, size_t nr)
{
	*random = td_next_random(*random);
	return LEAST_NS + (*random >> 16) % (nr * TURN_NS - TURN_NS / 2);
}

/* What counts for less of the time takes turns, and was not just late. */
#define WHOLE_PART 0.95

/* Has it taken turns so far? */
static bool takes_turns(const struct td_counter *counter, size_t g)
{
	const struct td_group *group = &counter->setup.plan->groups[g];
	const struct td_group_reader *reader = &counter->reader;
	double enabled = 0, running = 0;

	if (group->pinned || counter->off[group->members[0]])
		return false;
	for (size_t s = 0; s < reader->nr_steps; s++) {
		const struct td_read_step *step = &reader->steps[s];
		const struct td_reading *sum = &reader->before.v[step->first];

		if (step->group != (int)g || step->fd < 0 || step->ended)
			continue;
		enabled += (double)sum->enabled_ns;
		running += (double)sum->running_ns;
	}
	return running < WHOLE_PART * enabled;
}

static int list_turns(const struct td_counter *counter, int pmu,
		      struct td_ints *turns)
{
	const struct td_plan *plan = counter->setup.plan;
	int rc = 0;

	for (size_t g = 0; !rc && g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu == pmu && plan->groups[g].nr &&
		    takes_turns(counter, g))
			rc = td_ints_add(turns, (int)g);
	}
	return rc;
}

/* Adds some of these, which are two or more. */
static int choose(struct td_counter *counter, const struct td_ints *turns)
{
	td_autofree bool *paused = calloc(turns->nr, sizeof(*paused));
	int rc = paused ? 0 : -ENOMEM;

	if (paused)
		td_pause_choose(&counter->random, paused, turns->nr);
	for (size_t i = 0; !rc && i < turns->nr; i++) {
		if (paused[i])
			rc = td_ints_add(&counter->paused, turns->v[i]);
	}
	return rc;
}

/* Sets the largest number of groups that take turns with each other. */
static int choose_all(struct td_counter *counter, size_t *most)
{
	size_t nr = counter->setup.machine->nr_pmus;
	int rc = 0;

	*most = 0;
	for (size_t pmu = 0; !rc && pmu < nr; pmu++) {
		struct td_ints turns = { 0 };

		rc = list_turns(counter, (int)pmu, &turns);
		if (!rc && turns.nr > 1)
			rc = choose(counter, &turns);
		*most = turns.nr > *most ? turns.nr : *most;
		td_ints_free(&turns);
	}
	return rc;
}

/* What has ended meanwhile need not be switched. */
static void switch_paused(struct td_counter *counter, bool on)
{
	for (size_t i = 0; i < counter->nr_sets; i++) {
		const struct td_open_set *set = &counter->sets[i];

		for (size_t g = 0; g < set->nr_groups; g++) {
			if (td_ints_has(&counter->paused, (int)g))
				td_switch_group(&set->groups[g], on, -1);
		}
	}
}

/* The time of the pause is time in which others had their turns. */
static void note_paused(struct td_counter *counter)
{
	struct td_group_reader *reader = &counter->reader;

	for (size_t s = 0; s < reader->nr_steps; s++)
		reader->steps[s].paused |=
			td_ints_has(&counter->paused, reader->steps[s].group);
}

uint64_t td_counter_pause_some(struct td_counter *counter)
{
	size_t most = 0;

	td_counter_resume(counter);
	if (counter->setup.target->cgroups.nr || choose_all(counter, &most) ||
	    !counter->paused.nr) {
		counter->paused.nr = 0;
		return 0;
	}
	note_paused(counter);
	switch_paused(counter, false);
	return td_pause_ns(&counter->random, most);
}

void td_counter_resume(struct td_counter *counter)
{
	if (!counter->paused.nr)
		return;
	switch_paused(counter, true);
	counter->paused.nr = 0;
}
