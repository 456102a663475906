// SPDX-License-Identifier: GPL-2.0-only
/* Opens, switches, reads and closes all counters. */
#include "lib/counter/counter.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"
#include "lib/plan/fit.h"

void td_counter_close(struct td_counter *counter)
{
	struct td_affinity before;

	if (!counter)
		return;
	before = td_affinity_save(counter);
	while (counter->nr_sets)
		td_counter_drop_set(counter);
	td_affinity_restore(&before);
	free(counter->sets);
	free(counter->off);
	td_ints_free(&counter->enabled);
	td_ints_free(&counter->opened);
	td_index_free(&counter->by_tid);
	free(counter->split_to);
	td_group_reader_free(&counter->reader);
	free(counter);
}

int td_counter_enable(struct td_counter *counter, bool on, int event, struct td_err *err)
{
	struct td_affinity before = td_affinity_save(counter);
	int rc = 0;

	for (size_t i = 0; !rc && i < counter->nr_sets; i++)
		rc = td_switch_set(&counter->sets[i], &counter->enabled, on, event, err);
	td_affinity_restore(&before);
	for (size_t i = 0; !rc && i < counter->setup.plan->events.nr; i++) {
		if (event < 0 || (int)i == event)
			counter->off[i] = !on;
	}
	if (event < 0)
		counter->on = on;
	if (event < 0 && on)
		td_counter_note_off(counter);
	return rc;
}

/* Closes the descriptors of ended tasks; the reader keeps their last values. */
static void close_ended(struct td_counter *counter)
{
	td_autofree size_t *closed = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < counter->nr_sets; i++) {
		struct td_open_set *set = &counter->sets[i];

		if (!set->ended || !set->nr_groups)
			continue;
		td_array_push(&closed, &nr, &set->id, sizeof(set->id));
		td_close_set(set);
	}
	td_group_reader_end_sets(&counter->reader, closed, nr);
}

int td_counter_read(struct td_counter *counter, uint64_t retry_ns, struct td_readings *readings,
		    struct td_err *err)
{
	int rc = td_group_reader_read(&counter->reader, retry_ns, readings, err);

	if (!rc)
		close_ended(counter);
	return rc;
}

/* Opens a set for all tasks; groups that are opened late are tested, which settles the plan. */
static int open_all(struct td_counter *counter, int mode, struct td_err *err)
{
	struct td_open_set *set = td_counter_add_set(counter);

	td_ints_copy(&set->tids, &counter->setup.target->tids);
	set->tries = counter->setup.open_late;
	set->mode = mode;
	return td_counter_open_set(counter, set, err);
}

/*
 * Opens a set for each mode, without guests if the kernel cannot count them.  If the user
 * may not count the kernel, one set is for all modes, and a note gives the reason.
 */
static int open_modes(struct td_counter *counter, struct td_err *err)
{
	struct td_target *target = counter->setup.target;
	int rc = 0;

	for (int mode = TD_MODE_GUEST; !rc && mode <= TD_MODE_USER; mode++) {
		if (mode == TD_MODE_GUEST && target->exclude_guest)
			continue;
		rc = open_all(counter, mode, err);
		if (!rc && mode == TD_MODE_GUEST && target->exclude_guest)
			td_counter_drop_set(counter);
	}
	if (rc || !target->exclude_kernel)
		return rc;
	while (counter->nr_sets)
		td_counter_drop_set(counter);
	return open_all(counter, 0, err);
}

static struct td_counter *new_counter(const struct td_counter_setup *setup)
{
	struct td_counter *counter = td_calloc(1, sizeof(*counter));

	counter->setup = *setup;
	counter->late = *setup->target;
	counter->late.enable_on_exec = false;
	counter->reader.notes = setup->notes;
	return counter;
}

/* Allocates off after all groups were opened, because splitting them adds events. */
static void begin_off(struct td_counter *counter)
{
	size_t nr = counter->setup.plan->events.nr;

	counter->on = counter->setup.target->enable_on_exec;
	counter->off = td_calloc(nr + 1, sizeof(*counter->off));
	for (size_t i = 0; i < nr; i++)
		counter->off[i] = !counter->on;
	if (counter->on)
		td_counter_note_off(counter);
	counter->reader.off = counter->off;
}

static int open_sets(struct td_counter *counter, struct td_err *err)
{
	int rc = td_check_cgroups(&counter->setup, err);
	struct td_affinity before = td_affinity_save(counter);

	if (!rc)
		rc = counter->setup.target->per_thread ? td_counter_open_threads(counter, err)
		     : counter->setup.target->by_mode  ? open_modes(counter, err)
						       : open_all(counter, 0, err);
	td_affinity_restore(&before);
	if (!rc) {
		begin_off(counter);
		td_counter_read_sets(counter, 0);
	}
	return rc;
}

int td_counter_open(struct td_counter **out, const struct td_counter_setup *setup,
		    struct td_err *err)
{
	struct td_counter *counter = new_counter(setup);
	int rc;

	rc = open_sets(counter, err);
	td_plan_fill_at_once(setup->plan, setup->machine);
	/* sets of modes are also multiplexed */
	for (size_t i = 0;
	     setup->target->by_mode && counter->nr_sets > 1 && i < setup->plan->nr_groups; i++)
		setup->plan->groups[i].at_once /= (double)counter->nr_sets;
	counter->late.exclude_kernel = setup->target->exclude_kernel;
	counter->late.exclude_guest = setup->target->exclude_guest;
	counter->began = true;
	if (rc)
		td_counter_close(counter);
	else
		*out = counter;
	return rc;
}
