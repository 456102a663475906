// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/*
 * The last sample of a thread or CPU.  Each CPU has separate events, so the counts of a thread on
 * each CPU are further elements.
 */
struct td_window_last {
	int group, cpu, tid, spot;
	uint64_t time_ns;
	uint64_t *values;
};

struct td_window_break {
	uint64_t time_ns;
	uint64_t resumed_ns; /* when its event was resumed */
};

/* --- breaks ----------------------------------------------------------------- */

static uint64_t hash_of(bool of_cpu, int number)
{
	return td_hash_more(td_hash((uint32_t)number), of_cpu);
}

/* Returns a break at time 0 if there was none. */
static struct td_window_break find_break(const struct td_windows *windows, bool of_cpu, int number)
{
	size_t at = td_index_find(&windows->by_broken, hash_of(of_cpu, number));

	if (at == TD_NOT_FOUND)
		return (struct td_window_break){ 0 };
	return windows->breaks[at];
}

static struct td_window_break *add_break(struct td_windows *windows, bool of_cpu, int number)
{
	size_t at = td_index_find(&windows->by_broken, hash_of(of_cpu, number));

	if (at != TD_NOT_FOUND)
		return &windows->breaks[at];
	td_index_add(&windows->by_broken, hash_of(of_cpu, number), windows->nr_breaks);
	return td_array_add(&windows->breaks, windows->nr_breaks++, sizeof(*windows->breaks));
}

void td_windows_break(struct td_windows *windows, bool of_cpu, int number, uint64_t time_ns)
{
	add_break(windows, of_cpu, number)->time_ns = time_ns;
}

/* Returns the number of the thread or CPU that is counted. */
static int number_of(const struct td_windows *windows, int cpu, int tid)
{
	return windows->of_cpus ? cpu : tid;
}

void td_windows_resume(struct td_windows *windows, int cpu, int tid, uint64_t time_ns)
{
	add_break(windows, windows->of_cpus, number_of(windows, cpu, tid))->resumed_ns = time_ns;
}

/* --- the last samples ------------------------------------------------------- */

static uint64_t key_of(const struct td_windows *windows, const struct td_window_end *end)
{
	return td_hash_more(td_hash((uint32_t)number_of(windows, end->cpu, end->tid)),
			    (uint32_t)end->group);
}

static size_t nr_values(const struct td_windows *windows, int group)
{
	return windows->plan->groups[group].nr;
}

static void set_last(struct td_window_last *last, const struct td_window_end *end)
{
	last->group = end->group;
	last->cpu = end->cpu;
	last->tid = end->tid;
	last->spot = end->spot;
	last->time_ns = end->time_ns;
}

/* Returns the index of the element with the key.  A new one has the time 0, and values of 0. */
static size_t need_last(struct td_windows *windows, uint64_t key, const struct td_window_end *end)
{
	size_t at = td_index_find(&windows->by_key, key);
	struct td_window_last *last;

	if (at != TD_NOT_FOUND)
		return at;
	last = td_array_add(&windows->last, windows->nr_last, sizeof(*last));
	last->values = td_calloc(nr_values(windows, end->group) + 1, sizeof(*last->values));
	td_index_add(&windows->by_key, key, windows->nr_last);
	set_last(last, end);
	last->time_ns = 0;
	return windows->nr_last++;
}

/* Resets the counts on all CPUs: a new thread has the number of one that has ended. */
static void restart(struct td_windows *windows, const struct td_window_end *end)
{
	for (size_t i = 0; i < windows->nr_last; i++) {
		struct td_window_last *last = &windows->last[i];

		if (last->group == end->group && number_of(windows, last->cpu, last->tid) ==
							 number_of(windows, end->cpu, end->tid))
			memset(last->values, 0,
			       nr_values(windows, end->group) * sizeof(*last->values));
	}
}

/* --- windows ---------------------------------------------------------------- */

/* Returns true if only this thread ran on its CPU since the last sample. */
static bool is_known(const struct td_windows *windows, const struct td_window_last *last,
		     const struct td_window_end *end)
{
	uint64_t length_ns = td_since(end->time_ns, last->time_ns);

	if (windows->longest_ns && length_ns > windows->longest_ns)
		return false;
	return last->tid == end->tid && last->cpu == end->cpu &&
	       find_break(windows, false, end->tid).time_ns < last->time_ns &&
	       find_break(windows, true, end->cpu).time_ns < last->time_ns;
}

/* Adds a window; before is the counts at the last sample on this CPU. */
static void add(struct td_windows *windows, const struct td_window_end *end, size_t stream,
		const uint64_t *before)
{
	const struct td_window_last *last = &windows->last[stream];
	struct td_window *window = td_array_add(&windows->v, windows->nr++, sizeof(*window));
	size_t nr = nr_values(windows, end->group);

	*window = (struct td_window){ .group = end->group, .stream = stream, .from = -1, .to = -1 };
	if (end->pairs[0] < before[0]) {
		restart(windows, end);
	} else if (last->time_ns) {
		window->time_ns = td_since(end->time_ns, last->time_ns);
		window->paired = find_break(windows, true, end->cpu).time_ns < last->time_ns;
		if (is_known(windows, last, end)) {
			window->from = last->spot;
			window->to = end->spot;
		}
	}
	window->values = td_calloc(nr + 1, sizeof(*window->values));
	for (size_t i = 0; i < nr; i++)
		window->values[i] = td_since(end->pairs[2 * i], before[i]);
}

void td_windows_add(struct td_windows *windows, const struct td_window_end *end)
{
	uint64_t key = key_of(windows, end);
	size_t stream = need_last(windows, key, end);
	size_t on_cpu = need_last(windows, td_hash_more(key, (uint32_t)end->cpu), end);
	uint64_t *before = windows->last[on_cpu].values;
	struct td_window_last *last = &windows->last[stream];
	int number = number_of(windows, end->cpu, end->tid);

	/* leave out a window in which the sampled event was stopped */
	if (!last->time_ns ||
	    find_break(windows, windows->of_cpus, number).resumed_ns < last->time_ns)
		add(windows, end, stream, before);
	for (size_t i = 0; i < nr_values(windows, end->group); i++)
		before[i] = end->pairs[2 * i];
	set_last(last, end);
}

void td_windows_clear(struct td_windows *windows)
{
	for (size_t i = 0; i < windows->nr; i++)
		free(windows->v[i].values);
	windows->nr = 0;
}

void td_windows_free(struct td_windows *windows)
{
	td_windows_clear(windows);
	for (size_t i = 0; i < windows->nr_last; i++)
		free(windows->last[i].values);
	free(windows->v);
	free(windows->last);
	free(windows->breaks);
	td_index_free(&windows->by_key);
	td_index_free(&windows->by_broken);
	*windows = (struct td_windows){ 0 };
}
