// SPDX-License-Identifier: GPL-2.0-only
/* Counts since the last row, and times since counting began. */

#include "cmd/run/parts.h"

static void add_same(struct td_readings *sum, const struct td_readings *delta)
{
	size_t nr = sum->nr;

	td_readings_add(sum, delta);
	if (delta->nr == nr)
		return;
	sum->v = td_reallocarray(sum->v, delta->nr + 1, sizeof(*sum->v));
	memcpy(sum->v + nr, delta->v + nr, (delta->nr - nr) * sizeof(*sum->v));
	sum->nr = delta->nr;
}

void td_tally_add(struct td_tally *tally, const struct td_readings *delta, bool per_thread)
{
	tally->nr_read = delta->nr;
	tally->fresh = true;
	tally->behind = delta->behind;
	tally->ever_enabled = tally->ever_enabled || td_readings_enabled(delta);
	tally->ever_ran = tally->ever_ran || td_readings_ran(delta);
	if (per_thread)
		td_readings_merge(&tally->sum, &tally->index, delta);
	else
		add_same(&tally->sum, delta);
}

static void begin_times(struct td_readings *all, size_t nr_events)
{
	all->v = td_calloc(nr_events + 1, sizeof(*all->v));
	all->nr = nr_events;
	for (size_t i = 0; i < nr_events; i++)
		all->v[i].event = (int)i;
}

void td_tally_add_times(struct td_tally *tally, size_t nr_events, const struct td_readings *delta)
{
	struct td_readings *all = &tally->all;

	if (!all->v)
		begin_times(all, nr_events);
	for (size_t i = 0; i < delta->nr; i++) {
		struct td_reading *to = &all->v[delta->v[i].event];

		to->enabled_ns += delta->v[i].enabled_ns;
		to->running_ns += delta->v[i].running_ns;
	}
}

void td_tally_clear_row(struct td_tally *tally, bool per_thread)
{
	tally->fresh = false;
	td_timeline_clear(&tally->timeline);
	if (!per_thread) {
		td_readings_clear(&tally->sum);
		return;
	}
	tally->sum.nr = 0;
	td_index_clear(&tally->index);
}

uint64_t td_tally_enabled_ns(const struct td_tally *tally)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < tally->all.nr; i++) {
		if (tally->all.v[i].enabled_ns > longest)
			longest = tally->all.v[i].enabled_ns;
	}
	return longest;
}

void td_tally_free(struct td_tally *tally)
{
	free(tally->sum.v);
	td_timeline_free(&tally->timeline);
	td_index_free(&tally->index);
	free(tally->all.v);
	*tally = (struct td_tally){ 0 };
}
