// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/windows.h"

#include <inttypes.h>
#include <libgen.h>
#include <math.h>

#include "lib/base/util.h"

/*
 * The last sample of a thread or CPU.  Each CPU has separate events, so the counts of a thread on
 * each CPU are further elements.
 */
struct td_window_last {
	int group, cpu, tid, location;
	uint64_t time_ns, *values;
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

/* Returns the last break; at time 0 if there was none. */
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

static size_t nr_values(const struct td_windows *windows, int group)
{
	return windows->plan->groups[group].nr;
}

static void set_last(struct td_window_last *last, const struct td_window_end *end)
{
	last->group = end->group;
	last->cpu = end->cpu;
	last->tid = end->tid;
	last->location = end->location;
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
	td_for_each(struct td_window_last, last, windows->last, windows->nr_last) {
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
			window->from = last->location;
			window->to = end->location;
		}
	}
	window->values = td_calloc(nr + 1, sizeof(*window->values));
	for (size_t i = 0; i < nr; i++)
		window->values[i] = td_since(end->pairs[2 * i], before[i]);
}

void td_windows_add(struct td_windows *windows, const struct td_window_end *end)
{
	uint64_t key = td_hash_more(td_hash((uint32_t)number_of(windows, end->cpu, end->tid)),
				    (uint32_t)end->group);
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

/* --- counts of functions ----------------------------------------------------- */

/*
 * Did a program stay in a function from one sample to the next?  If short functions alternate, both
 * samples can be in the same one by chance.  If a function has the share p of the samples, p^2 of
 * all windows start and end in it by chance, and their counts are those of all these functions.
 * Chance is estimated separately for each batch of consecutive windows.
 */

#define BATCH 32

/* The functions in which consecutive windows of a thread or CPU started and ended. */
struct batch {
	unsigned int nr;
	int from[BATCH], to[BATCH];
};

/* How often a function is at both ends of sample pairs. */
struct agreement {
	double ends;   /* samples in the function, half of each pair's two */
	double both;   /* pairs with both samples in the function */
	double chance; /* expected value of both if samples were independent */
};

/* Estimates whether a program stays in a function. */
struct stays {
	struct agreement windows;
	struct agreement twice; /* start of a window and end of the next one */
	double foreign;         /* part of windows.chance in which another function ran */
};

/* The sums of the windows of one function and group. */
struct td_function_count {
	int function; /* -1: windows that are not within one function */
	int group;
	struct td_group_parts parts;
	struct stays stays;
};

/* The last windows of a stream. */
struct td_function_stream {
	int group;
	struct batch batch;
};

/* --- chance --------------------------------------------------------------- */

/*
 * Adds pairs of the start of a window and the end of a window, distance windows later.  The
 * expected number of pairs by chance is that of a contingency table (J. Cohen, A Coefficient of
 * Agreement for Nominal Scales, 1960).  Returns this number, and sets *share to the function's
 * share of the samples.
 */
static double add_pairs(struct agreement *pairs, const struct batch *batch, unsigned int distance,
			int function, double *share)
{
	double from = 0, to = 0, both = 0, nr = batch->nr - distance;
	double chance;

	for (unsigned int i = 0; i + distance < batch->nr; i++) {
		bool begins = batch->from[i] == function;
		bool ends = batch->to[i + distance] == function;

		from += begins;
		to += ends;
		both += begins && ends;
	}
	chance = from * to / nr;
	*share = (from + to) / 2 / nr;
	pairs->ends += (from + to) / 2;
	pairs->both += both;
	pairs->chance += chance;
	return chance;
}

/*
 * Returns how much more often the function is at both ends than by chance: 1 if it always is
 * (kappa).
 */
static double kappa(const struct agreement *pairs)
{
	double max = pairs->ends - pairs->chance;

	return max > 0 ? (pairs->both - pairs->chance) / max : 1;
}

/*
 * Returns the share of the time that was within the function.  There may be two kinds of samples.
 * After some samples, the program stays in the function for times of any length, so the agreement
 * after two windows is the square of that after one.  After the others, it is in the function by
 * chance, whatever the number of windows.  If a part e^-x of the first kind is left after a window,
 * at least (1 + x) e^-x of the time was within the function.
 */
static double stayed(const struct stays *stays)
{
	double once = fmin(kappa(&stays->windows), 1);
	double twice = kappa(&stays->twice), part = 1;

	if (!(once > 0))
		return 0;
	if (twice > 0)
		part = fmin(fmax(once * once / twice, once), 1);
	return once * (1 - log(once / part));
}

/* Returns the minimum share of the windows' time in which the program was in the function. */
static double stays_within(const struct stays *stays)
{
	double by_chance;

	if (!(stays->windows.both > 0))
		return 0;
	by_chance = (1 - stayed(stays)) * stays->foreign / stays->windows.both;
	return fmin(fmax(1 - by_chance, 0), 1);
}

/* Name of the row for windows that are not, or may not be, within one function. */
#define BETWEEN "(between functions)"

/* --- sums ------------------------------------------------------------------- */

static uint64_t hash_function(int function, int group)
{
	return td_hash_more(td_hash((uint32_t)function), (uint32_t)group);
}

static struct td_function_count *find(const struct td_function_counts *counts, int function,
				      int group)
{
	size_t at = td_index_find(&counts->index, hash_function(function, group));

	return at == TD_NOT_FOUND ? NULL : &counts->v[at];
}

/* --- batches ---------------------------------------------------------------- */

static bool has(const int *functions, unsigned int nr, int function)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (functions[i] == function)
			return true;
	}
	return false;
}

static void add_stay(const struct td_function_counts *counts,
		     const struct td_function_stream *stream, int function)
{
	struct td_function_count *count = find(counts, function, stream->group);
	double share, chance;

	if (!count)
		return;
	chance = add_pairs(&count->stays.windows, &stream->batch, 0, function, &share);
	count->stays.foreign += chance * (1 - share);
	if (stream->batch.nr > 1)
		add_pairs(&count->stays.twice, &stream->batch, 1, function, &share);
}

/* Adds the batch to its functions, and starts a new one. */
static void end_batch(const struct td_function_counts *counts, struct td_function_stream *stream)
{
	struct batch *batch = &stream->batch;

	for (unsigned int i = 0; i < batch->nr; i++) {
		if (!has(batch->to, i, batch->to[i]))
			add_stay(counts, stream, batch->to[i]);
	}
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (!has(batch->from, i, batch->from[i]) &&
		    !has(batch->to, batch->nr, batch->from[i]))
			add_stay(counts, stream, batch->from[i]);
	}
	batch->nr = 0;
}

static void add_ends(struct td_function_counts *counts, const struct td_window *window,
		     const struct td_locations *locations)
{
	struct td_function_stream *stream;
	struct batch *batch;

	while (counts->nr_streams <= window->stream)
		td_array_add(&counts->streams, counts->nr_streams++, sizeof(*counts->streams));
	stream = &counts->streams[window->stream];
	stream->group = window->group;
	if (window->from < 0)
		return;
	batch = &stream->batch;
	batch->from[batch->nr] = locations->v[window->from].function;
	batch->to[batch->nr] = locations->v[window->to].function;
	if (++batch->nr == BATCH)
		end_batch(counts, stream);
}

/* --- windows ---------------------------------------------------------------- */

/* Returns the function at both ends, or -1. */
static int function_of(const struct td_window *window, const struct td_locations *locations)
{
	int from;

	if (window->from < 0)
		return -1;
	from = locations->v[window->from].function;
	return from == locations->v[window->to].function ? from : -1;
}

void td_function_counts_add(struct td_function_counts *counts, const struct td_windows *windows,
			    const struct td_locations *locations)
{
	td_for_each(const struct td_window, window, windows->v, windows->nr) {
		size_t nr = windows->plan->groups[window->group].nr;
		int function = function_of(window, locations);
		struct td_function_count *count = find(counts, function, window->group);
		size_t part;

		if (!count) {
			count = td_array_add(&counts->v, counts->nr, sizeof(*count));
			td_group_parts_begin(&count->parts, nr);
			td_index_add(&counts->index, hash_function(function, window->group),
				     counts->nr++);
			count->function = function;
			count->group = window->group;
		}
		part = td_group_parts_next(&count->parts, nr);
		count->parts.times_ns.v[part] += (double)window->time_ns;
		for (size_t i = 0; i < nr; i++)
			count->parts.values[i].v[part] += (double)window->values[i];
		add_ends(counts, window, locations);
	}
}

void td_function_counts_free(struct td_function_counts *counts)
{
	for (size_t i = 0; i < counts->nr; i++)
		free(counts->v[i].parts.values);
	free(counts->v);
	free(counts->streams);
	td_index_free(&counts->index);
	*counts = (struct td_function_counts){ 0 };
}

/* --- names ------------------------------------------------------------------ */

/* Returns "main", or "main (libx.so)" if the name is in use. */
static char *make_name(const struct td_regions *regions, const struct td_locations *locations,
		       int function)
{
	const struct td_function *f = &locations->functions[function];
	const char *path = locations->objects[f->object].path;
	const char *slash = strrchr(path, '/');
	const char *base = slash && slash[1] ? slash + 1 : path;
	char *name;

	if (!f->name)
		return td_aprintf("0x%" PRIx64 " (%s)", f->address, base);
	if (!td_regions_find(regions, f->name, true))
		return td_strdup(f->name);
	name = td_aprintf("%s (%s)", f->name, base);
	if (!td_regions_find(regions, name, true))
		return name;
	free(name);
	return td_aprintf("%s at 0x%" PRIx64 " (%s)", f->name, f->address, base);
}

/* --- regions ---------------------------------------------------------------- */

/* Minimum share of a function's windows that must be within it, to show its metrics. */
#define MIN_WITHIN 0.9

/*
 * Is it the time between functions?  If there are too few windows for metrics, there are too few to
 * estimate this share.
 */
static bool is_between(const struct td_function_count *count)
{
	return count->function < 0 ||
	       (count->parts.nr >= TD_MIN_WINDOWS && stays_within(&count->stays) < MIN_WITHIN);
}

/* The calls of a function's region are its windows. */
static void add_calls(struct td_region *region, const struct td_function_count *count, int pmu)
{
	struct td_sums times = td_sums_from_parts(&count->parts.times_ns, count->parts.nr);
	double whole = (double)count->parts.nr * stays_within(&count->stays);

	region->calls.counted += count->parts.nr;
	region->calls.time_ns += (uint64_t)td_sums_total(&times);
	if (pmu >= TD_REGION_PMUS)
		return;
	region->on[pmu] += count->parts.nr;
	if (!region->outside)
		region->whole[pmu] += (uint64_t)llround(whole);
}

static void add_to_region(struct td_regions *regions, struct td_batched *batched,
			  const struct td_function_count *count, const struct td_plan *plan,
			  const char *name, bool own)
{
	struct td_region *region = td_regions_find(regions, name, own);
	const struct td_group *group;
	struct td_sums times;

	if (!region)
		region = td_regions_add(regions, name, own, is_between(count));
	add_calls(region, count, plan->groups[count->group].pmu);
	group = &plan->groups[count->group];
	times = td_sums_from_parts(&count->parts.times_ns, count->parts.nr);
	/* the group ran, even if there is no previous sample */
	if (!td_sums_total(&times))
		times.v[0] = 1;
	for (size_t i = 0; i < group->nr; i++) {
		struct td_sums values =
			td_sums_from_parts(&count->parts.values[i], count->parts.nr);
		const struct td_reading reading = {
			.event = group->members[i],
			.cpu = -1,
			.region = 1 + (int)(region - regions->v),
		};

		td_batched_add(batched, &reading, &values, &times);
	}
}

static void add_count(struct td_regions *regions, struct td_batched *batched,
		      const struct td_function_count *count, const struct td_plan *plan,
		      const char *name)
{
	if (is_between(count)) {
		add_to_region(regions, batched, count, plan, BETWEEN, true);
		return;
	}
	/* there are no inner regions, so both sums are equal */
	add_to_region(regions, batched, count, plan, name, false);
	add_to_region(regions, batched, count, plan, name, true);
}

static int by_function(const void *a, const void *b)
{
	const struct td_function_count *const *x = a, *const *y = b;
	int rc = ((*x)->function > (*y)->function) - ((*x)->function < (*y)->function);

	return rc ?: (*x)->group - (*y)->group;
}

void td_function_counts_to_regions(struct td_function_counts *counts, const struct td_plan *plan,
				   const struct td_locations *locations, struct td_regions *regions,
				   struct td_batched *batched)
{
	td_autofree const struct td_function_count **list =
		td_calloc(counts->nr + 1, sizeof(const void *));
	td_autofree char *name = NULL;

	regions->functions = true;
	for (size_t i = 0; i < counts->nr_streams; i++)
		end_batch(counts, &counts->streams[i]);
	for (size_t i = 0; i < counts->nr; i++)
		list[i] = &counts->v[i];
	/* counts of a function have the same name in all groups */
	qsort(list, counts->nr, sizeof(const void *), by_function);
	for (size_t i = 0; i < counts->nr; i++) {
		int function = list[i]->function;

		if (!i || list[i - 1]->function != function) {
			free(name);
			name = function < 0 ? td_strdup(BETWEEN)
					    : make_name(regions, locations, function);
		}
		add_count(regions, batched, list[i], plan, name);
	}
	td_batched_end(batched);
}
