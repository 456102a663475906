// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/*
 * The last sample of a thread or a CPU; and, as each CPU has events of its own, which
 * count a thread only there, what those of one CPU had counted of it then.
 */
struct td_window_last {
	int group, cpu, tid, spot;
	uint64_t time_ns;
	uint64_t *values; /* of one CPU; else NULL */
};

struct td_window_break {
	bool of_cpu;
	int number; /* of the CPU, or the thread */
	uint64_t time_ns;
	uint64_t resumed_ns; /* when its event went on that was stopped */
};

/* --- breaks ----------------------------------------------------------------- */

static struct td_window_break *find_break(const struct td_windows *windows,
					  bool of_cpu, int number)
{
	uint64_t hash = td_hash_more(td_hash((uint32_t)number), of_cpu);
	size_t at = td_index_find(&windows->by_broken, hash);

	return at == TD_NOT_FOUND ? NULL : &windows->breaks[at];
}

/* NULL: no memory. */
static struct td_window_break *add_break(struct td_windows *windows,
					 bool of_cpu, int number)
{
	uint64_t hash = td_hash_more(td_hash((uint32_t)number), of_cpu);
	struct td_window_break *found = find_break(windows, of_cpu, number);

	if (found)
		return found;
	found = td_array_add(&windows->breaks, windows->nr_breaks,
			     sizeof(*found));
	if (!found ||
	    td_index_add(&windows->by_broken, hash, windows->nr_breaks))
		return NULL;
	windows->nr_breaks++;
	found->of_cpu = of_cpu;
	found->number = number;
	return found;
}

int td_windows_break(struct td_windows *windows, bool of_cpu, int number,
		     uint64_t time_ns)
{
	struct td_window_break *found = add_break(windows, of_cpu, number);

	if (!found)
		return -ENOMEM;
	found->time_ns = time_ns;
	return 0;
}

int td_windows_resume(struct td_windows *windows, int cpu, int tid,
		      uint64_t time_ns)
{
	bool of_cpu = windows->of_cpus;
	struct td_window_break *found =
		add_break(windows, of_cpu, of_cpu ? cpu : tid);

	if (!found)
		return -ENOMEM;
	found->resumed_ns = time_ns;
	return 0;
}

/* Was it since then? */
static bool is_broken(const struct td_windows *windows, bool of_cpu, int number,
		      uint64_t since_ns)
{
	const struct td_window_break *found =
		find_break(windows, of_cpu, number);

	return found && found->time_ns >= since_ns;
}

/* Did the event that is sampled stand still, while the others of its group went on? */
static bool stood_still(const struct td_windows *windows,
			const struct td_window_end *end, uint64_t since_ns)
{
	bool of_cpu = windows->of_cpus;
	const struct td_window_break *found =
		find_break(windows, of_cpu, of_cpu ? end->cpu : end->tid);

	return found && found->resumed_ns >= since_ns;
}

/* --- the last samples ------------------------------------------------------- */

static uint64_t key_of(const struct td_windows *windows,
		       const struct td_window_end *end)
{
	int whose = windows->of_cpus ? end->cpu : end->tid;

	return td_hash_more(td_hash((uint32_t)whose), (uint32_t)end->group);
}

static uint64_t key_on_cpu(const struct td_windows *windows,
			   const struct td_window_end *end)
{
	return td_hash_more(key_of(windows, end), (uint32_t)end->cpu);
}

static struct td_window_last *find_last(const struct td_windows *windows,
					uint64_t key)
{
	size_t at = td_index_find(&windows->by_key, key);

	return at == TD_NOT_FOUND ? NULL : &windows->last[at];
}

static size_t nr_values(const struct td_windows *windows, int group)
{
	return windows->plan->groups[group].nr;
}

static void copy_values(const struct td_windows *windows, uint64_t *to,
			const struct td_window_end *end)
{
	for (size_t i = 0; i < nr_values(windows, end->group); i++)
		to[i] = end->pairs[2 * i];
}

static void set_last(struct td_window_last *last,
		     const struct td_window_end *end)
{
	last->group = end->group;
	last->cpu = end->cpu;
	last->tid = end->tid;
	last->spot = end->spot;
	last->time_ns = end->time_ns;
}

/* The one with the key; a new one has values of 0, and the time 0.  NULL: no memory. */
static struct td_window_last *need_last(struct td_windows *windows,
					uint64_t key,
					const struct td_window_end *end)
{
	struct td_window_last *last = find_last(windows, key);

	if (last)
		return last;
	last = td_array_add(&windows->last, windows->nr_last, sizeof(*last));
	if (!last)
		return NULL;
	last->values = calloc(nr_values(windows, end->group) + 1,
			      sizeof(*last->values));
	if (!last->values)
		return NULL;
	if (td_index_add(&windows->by_key, key, windows->nr_last)) {
		free(last->values);
		return NULL;
	}
	windows->nr_last++;
	set_last(last, end);
	last->time_ns = 0;
	return last;
}

/* What the CPU's events have counted, at the last sample there; NULL: no memory. */
static uint64_t *values_on_cpu(struct td_windows *windows,
			       const struct td_window_end *end)
{
	const struct td_window_last *last =
		need_last(windows, key_on_cpu(windows, end), end);

	return last ? last->values : NULL;
}

/* Another thread with the number of one that ended has counted nothing anywhere. */
static void begin_anew(struct td_windows *windows,
		       const struct td_window_end *end)
{
	for (size_t i = 0; i < windows->nr_last; i++) {
		struct td_window_last *last = &windows->last[i];

		if (last->group == end->group &&
		    (windows->of_cpus ? last->cpu == end->cpu
				      : last->tid == end->tid))
			memset(last->values, 0,
			       nr_values(windows, end->group) *
				       sizeof(*last->values));
	}
}

/* --- windows ---------------------------------------------------------------- */

static bool is_whole(const struct td_windows *windows,
		     const struct td_window_last *last,
		     const struct td_window_end *end)
{
	uint64_t length_ns = td_since(end->time_ns, last->time_ns);

	if (windows->longest_ns && length_ns > windows->longest_ns)
		return false;
	return last->tid == end->tid && last->cpu == end->cpu &&
	       !is_broken(windows, false, end->tid, last->time_ns) &&
	       !is_broken(windows, true, end->cpu, last->time_ns);
}

/* A window with the values at its end. */
static struct td_window *add_window(struct td_windows *windows,
				    const struct td_window_end *end)
{
	struct td_window *window =
		td_array_add(&windows->v, windows->nr, sizeof(*window));

	if (!window)
		return NULL;
	window->values = calloc(nr_values(windows, end->group) + 1,
				sizeof(*window->values));
	if (!window->values)
		return NULL;
	copy_values(windows, window->values, end);
	window->group = end->group;
	window->from = window->to = -1;
	windows->nr++;
	return window;
}

static void begin_at(const struct td_windows *windows, struct td_window *window,
		     const struct td_window_last *last,
		     const struct td_window_end *end)
{
	window->time_ns = td_since(end->time_ns, last->time_ns);
	if (!is_whole(windows, last, end))
		return;
	window->from = last->spot;
	window->to = end->spot;
}

/* before: what had been counted on this CPU; becomes what is now. */
static int add(struct td_windows *windows, const struct td_window_end *end,
	       const struct td_window_last *last, uint64_t *before)
{
	struct td_window *window = add_window(windows, end);

	if (!window)
		return -ENOMEM;
	window->stream = (size_t)(last - windows->last);
	if (end->pairs[0] < before[0])
		begin_anew(windows, end);
	else if (last->time_ns)
		begin_at(windows, window, last, end);
	for (size_t i = 0; i < nr_values(windows, end->group); i++)
		window->values[i] = td_since(window->values[i], before[i]);
	return 0;
}

int td_windows_add(struct td_windows *windows, const struct td_window_end *end)
{
	struct td_window_last *last =
		need_last(windows, key_of(windows, end), end);
	size_t at = last ? (size_t)(last - windows->last) : 0;
	uint64_t *before = last ? values_on_cpu(windows, end) : NULL;
	int rc = 0;

	if (!before)
		return -ENOMEM;
	last = &windows->last[at]; /* the array may have moved */
	if (!last->time_ns || !stood_still(windows, end, last->time_ns))
		rc = add(windows, end, last, before);
	copy_values(windows, before, end);
	set_last(last, end);
	return rc;
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
