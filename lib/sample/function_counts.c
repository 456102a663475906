// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/function_counts.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* --- what is chance ------------------------------------------------------- */

/*
 * Adds the pairs of a window's begin with the end of the one that so many are behind.
 * How many would be in it at both if the two had nothing to do with each other is as
 * in a table of both (J. Cohen, A Coefficient of Agreement for Nominal Scales, 1960).
 * Returns the chance, and sets *share to the function's share of the samples.
 */
static double add_pairs(struct td_stays_pairs *pairs,
			const struct td_stretch *stretch, unsigned int behind,
			int function, double *share)
{
	double from = 0, to = 0, both = 0, nr = stretch->nr - behind;
	double chance;

	for (unsigned int i = 0; i + behind < stretch->nr; i++) {
		bool begins = stretch->from[i] == function;
		bool ends = stretch->to[i + behind] == function;

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

static void stays_add(struct td_stays *stays, const struct td_stretch *stretch,
		      int function)
{
	double share, chance;

	if (!stretch->nr)
		return;
	chance = add_pairs(&stays->windows, stretch, 0, function, &share);
	stays->foreign += chance * (1 - share);
	if (stretch->nr > 1)
		add_pairs(&stays->twice, stretch, 1, function, &share);
}

/* By how much more often it is at both than by chance: 1 if it always is. */
static double agreement(const struct td_stays_pairs *pairs)
{
	double least = pairs->ends - pairs->chance;

	return least > 0 ? (pairs->both - pairs->chance) / least : 1;
}

/*
 * There may be two kinds of samples: those after which the program stays for times of
 * all lengths, so that after two windows the agreement is the square of that after one,
 * and those after which it is in the function by chance, which is the same after both.
 * A part of the former that ends in the first window, as e^-x does, is whole to
 * (1 + x) e^-x at least.
 */
static double stayed(const struct td_stays *stays)
{
	double once = fmin(agreement(&stays->windows), 1);
	double twice = agreement(&stays->twice), part = 1;

	if (!(once > 0))
		return 0;
	if (twice > 0)
		part = fmin(fmax(once * once / twice, once), 1);
	return once * (1 - log(once / part));
}

/*
 * At least which part of the time of its windows the program was in the function: 0
 * to 1.
 */
static double stays_whole(const struct td_stays *stays)
{
	double by_chance;

	if (!(stays->windows.both > 0))
		return 0;
	by_chance = (1 - stayed(stays)) * stays->foreign / stays->windows.both;
	return fmin(fmax(1 - by_chance, 0), 1);
}

/* The name of the row that is in no function for sure. */
#define BETWEEN "(between functions)"

/* --- sums ------------------------------------------------------------------- */

static uint64_t hash_of(int function, int group)
{
	return td_hash_more(td_hash((uint32_t)function), (uint32_t)group);
}

static struct td_function_count *add(struct td_function_counts *counts,
				     int function, int group, size_t nr_values)
{
	struct td_function_count *count =
		td_array_add(&counts->v, counts->nr, sizeof(*count));

	if (!count)
		return NULL;
	if (td_group_parts_begin(&count->parts, nr_values))
		return NULL;
	if (td_index_add(&counts->index, hash_of(function, group),
			 counts->nr)) {
		free(count->parts.values);
		return NULL;
	}
	count->function = function;
	count->group = group;
	counts->nr++;
	return count;
}

static struct td_function_count *find(const struct td_function_counts *counts,
				      int function, int group)
{
	size_t at = td_index_find(&counts->index, hash_of(function, group));

	return at == TD_NOT_FOUND ? NULL : &counts->v[at];
}

/* --- stays ------------------------------------------------------------------ */

static struct td_function_stream *stream_of(struct td_function_counts *counts,
					    const struct td_window *window)
{
	while (counts->nr_streams <= window->stream) {
		struct td_function_stream *stream = td_array_add(
			&counts->streams, counts->nr_streams, sizeof(*stream));

		if (!stream)
			return NULL;
		counts->nr_streams++;
	}
	counts->streams[window->stream].group = window->group;
	return &counts->streams[window->stream];
}

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

	if (count)
		stays_add(&count->stays, &stream->stretch, function);
}

/* Adds the stretch to its functions, and begins a new one. */
static void end_stretch(const struct td_function_counts *counts,
			struct td_function_stream *stream)
{
	struct td_stretch *stretch = &stream->stretch;

	for (unsigned int i = 0; i < stretch->nr; i++) {
		if (!has(stretch->to, i, stretch->to[i]))
			add_stay(counts, stream, stretch->to[i]);
	}
	for (unsigned int i = 0; i < stretch->nr; i++) {
		if (!has(stretch->from, i, stretch->from[i]) &&
		    !has(stretch->to, stretch->nr, stretch->from[i]))
			add_stay(counts, stream, stretch->from[i]);
	}
	stretch->nr = 0;
}

/* Returns 0 or -ENOMEM. */
static int add_ends(struct td_function_counts *counts,
		    const struct td_window *window,
		    const struct td_spots *spots)
{
	struct td_function_stream *stream = stream_of(counts, window);
	struct td_stretch *stretch;

	if (!stream)
		return -ENOMEM;
	if (window->from < 0)
		return 0;
	stretch = &stream->stretch;
	stretch->from[stretch->nr] = spots->v[window->from].function;
	stretch->to[stretch->nr] = spots->v[window->to].function;
	if (++stretch->nr == TD_STRETCH)
		end_stretch(counts, stream);
	return 0;
}

/* --- windows ---------------------------------------------------------------- */

/* Both ends have to be in it. */
static int function_of(const struct td_window *window,
		       const struct td_spots *spots)
{
	int from;

	if (window->from < 0)
		return -1;
	from = spots->v[window->from].function;
	return from == spots->v[window->to].function ? from : -1;
}

static void add_window(struct td_function_count *count,
		       const struct td_window *window, size_t nr_values)
{
	size_t part = td_group_parts_next(&count->parts, nr_values);

	count->parts.times_ns.v[part] += (double)window->time_ns;
	for (size_t i = 0; i < nr_values; i++)
		count->parts.values[i].v[part] += (double)window->values[i];
}

int td_function_counts_add(struct td_function_counts *counts,
			   const struct td_windows *windows,
			   const struct td_spots *spots)
{
	for (size_t i = 0; i < windows->nr; i++) {
		const struct td_window *window = &windows->v[i];
		size_t nr = windows->plan->groups[window->group].nr;
		int function = function_of(window, spots);
		struct td_function_count *count =
			find(counts, function, window->group);

		if (!count)
			count = add(counts, function, window->group, nr);
		if (!count)
			return -ENOMEM;
		add_window(count, window, nr);
		if (add_ends(counts, window, spots))
			return -ENOMEM;
	}
	return 0;
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

/* "main", or "main (libx.so)" if there is one already; NULL: no memory. */
static char *make_name(const struct td_regions *regions,
		       const struct td_spots *spots, int function)
{
	const struct td_function *f = &spots->functions[function];
	const char *path = spots->objects[f->object].path;
	const char *slash = strrchr(path, '/');
	const char *base = slash && slash[1] ? slash + 1 : path;
	char *name = f->name ? strdup(f->name) : NULL;

	if (f->name && (!name || !td_regions_find(regions, name, true)))
		return name;
	free(name);
	if (f->name && asprintf(&name, "%s (%s)", f->name, base) < 0)
		return NULL;
	if (f->name && !td_regions_find(regions, name, true))
		return name;
	if (f->name)
		free(name);
	if (asprintf(&name, "%s%s0x%" PRIx64 " (%s)", f->name ? f->name : "",
		     f->name ? " at " : "", f->address, base) < 0)
		return NULL;
	return name;
}

/* --- regions ---------------------------------------------------------------- */

static int add_readings(struct td_batched *batched,
			const struct td_function_count *count,
			const struct td_plan *plan, int region)
{
	const struct td_group *group = &plan->groups[count->group];
	struct td_sums times =
		td_sums_of_parts(&count->parts.times_ns, count->parts.nr);
	int rc = 0;

	/* it was there, if only until the first sample */
	if (!td_sums_total(&times))
		times.v[0] = 1;
	for (size_t i = 0; !rc && i < group->nr; i++) {
		struct td_sums values = td_sums_of_parts(
			&count->parts.values[i], count->parts.nr);
		const struct td_reading reading = {
			.event = group->members[i],
			.cpu = -1,
			.region = region,
		};

		rc = td_batched_add(batched, &reading, &values, &times);
	}
	return rc;
}

/*
 * Less of the windows of a function whose metrics are shown must not be in it.  Where
 * there are too few windows for metrics, there are too few to tell.
 */
#define LEAST_WHOLE 0.9

static bool is_between(const struct td_function_count *count)
{
	return count->function < 0 ||
	       (count->parts.nr >= TD_LEAST_WINDOWS &&
		stays_whole(&count->stays) < LEAST_WHOLE);
}

/* The calls of a function's region are its windows. */
static void add_calls(struct td_region *region,
		      const struct td_function_count *count, int pmu)
{
	struct td_sums times =
		td_sums_of_parts(&count->parts.times_ns, count->parts.nr);
	double whole = (double)count->parts.nr * stays_whole(&count->stays);

	region->calls.counted += count->parts.nr;
	region->calls.time_ns += (uint64_t)td_sums_total(&times);
	if (pmu >= TD_REGION_PMUS)
		return;
	region->on[pmu] += count->parts.nr;
	if (!region->outside)
		region->whole[pmu] += (uint64_t)llround(whole);
}

static int add_to_region(struct td_regions *regions, struct td_batched *batched,
			 const struct td_function_count *count,
			 const struct td_plan *plan, const char *name, bool own)
{
	struct td_region *region = td_regions_find(regions, name, own);

	if (!region)
		region = td_regions_add(regions, name, own, is_between(count));
	if (!region)
		return -ENOMEM;
	add_calls(region, count, plan->groups[count->group].pmu);
	return add_readings(batched, count, plan,
			    1 + (int)(region - regions->v));
}

static int add_count(struct td_regions *regions, struct td_batched *batched,
		     const struct td_function_count *count,
		     const struct td_plan *plan, const char *name)
{
	if (is_between(count))
		return add_to_region(regions, batched, count, plan, BETWEEN,
				     true);
	/* as nothing is within it, it is only what adds up */
	if (add_to_region(regions, batched, count, plan, name, false))
		return -ENOMEM;
	return add_to_region(regions, batched, count, plan, name, true);
}

static int by_function(const void *a, const void *b)
{
	const struct td_function_count *const *x = a, *const *y = b;
	int rc = ((*x)->function > (*y)->function) -
		 ((*x)->function < (*y)->function);

	return rc ? rc : (*x)->group - (*y)->group;
}

/* A function's counts, of all groups, next to each other. */
static const struct td_function_count **
sort(const struct td_function_counts *counts)
{
	const struct td_function_count **list =
		calloc(counts->nr + 1, sizeof(const void *));

	for (size_t i = 0; list && i < counts->nr; i++)
		list[i] = &counts->v[i];
	if (list)
		qsort(list, counts->nr, sizeof(const void *), by_function);
	return list;
}

int td_function_counts_to_regions(struct td_function_counts *counts,
				  const struct td_plan *plan,
				  const struct td_spots *spots,
				  struct td_regions *regions,
				  struct td_batched *batched)
{
	td_autofree const struct td_function_count **list = sort(counts);
	char *name = NULL;
	int rc = list ? 0 : -ENOMEM;

	regions->functions = true;
	for (size_t i = 0; i < counts->nr_streams; i++)
		end_stretch(counts, &counts->streams[i]);
	for (size_t i = 0; !rc && i < counts->nr; i++) {
		int function = list[i]->function;

		if (!i || list[i - 1]->function != function) {
			free(name);
			name = function < 0
				       ? strdup(BETWEEN)
				       : make_name(regions, spots, function);
		}
		rc = name ? add_count(regions, batched, list[i], plan, name)
			  : -ENOMEM;
	}
	free(name);
	td_batched_end(batched);
	return rc;
}
