// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/function_counts.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

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
	count->values = calloc(nr_values + 1, sizeof(*count->values));
	if (!count->values)
		return NULL;
	if (td_index_add(&counts->index, hash_of(function, group),
			 counts->nr)) {
		free(count->values);
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
		size_t batch;

		if (!count)
			count = add(counts, function, window->group, nr);
		if (!count)
			return -ENOMEM;
		batch = count->nr++ % TD_BATCHES;
		count->times_ns[batch] += (double)window->time_ns;
		for (size_t j = 0; j < nr; j++)
			count->values[j][batch] += (double)window->values[j];
	}
	return 0;
}

void td_function_counts_free(struct td_function_counts *counts)
{
	for (size_t i = 0; i < counts->nr; i++)
		free(counts->v[i].values);
	free(counts->v);
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
	struct td_sums times = td_sums_round(count->times_ns);
	int rc = 0;

	/* it was there, if only until the first sample */
	if (!td_sums_total(&times))
		times.v[0] = 1;
	for (size_t i = 0; !rc && i < group->nr; i++) {
		struct td_sums values = td_sums_round(count->values[i]);
		const struct td_reading reading = {
			.event = group->members[i],
			.cpu = -1,
			.region = region,
		};

		rc = td_batched_add(batched, &reading, &values, &times);
	}
	return rc;
}

/* The calls of a function's region are its windows. */
static int add_to_region(struct td_regions *regions, struct td_batched *batched,
			 const struct td_function_count *count,
			 const struct td_plan *plan, const char *name, bool own)
{
	bool outside = count->function < 0;
	struct td_region *region = td_regions_find(regions, name, own);
	struct td_sums times = td_sums_round(count->times_ns);
	int pmu = plan->groups[count->group].pmu;

	if (!region)
		region = td_regions_add(regions, name, own, outside);
	if (!region)
		return -ENOMEM;
	region->calls.counted += count->nr;
	region->calls.time_ns += (uint64_t)td_sums_total(&times);
	if (pmu < TD_REGION_PMUS)
		region->on[pmu] += count->nr;
	return add_readings(batched, count, plan,
			    1 + (int)(region - regions->v));
}

static int add_count(struct td_regions *regions, struct td_batched *batched,
		     const struct td_function_count *count,
		     const struct td_plan *plan, const char *name)
{
	/* as nothing is within it, it is only what adds up */
	if (count->function >= 0 &&
	    add_to_region(regions, batched, count, plan, name, false))
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

int td_function_counts_to_regions(const struct td_function_counts *counts,
				  const struct td_plan *plan,
				  const struct td_spots *spots,
				  struct td_regions *regions,
				  struct td_batched *batched)
{
	td_autofree const struct td_function_count **list = sort(counts);
	char *name = NULL;
	int rc = list ? 0 : -ENOMEM;

	regions->functions = true;
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
