// SPDX-License-Identifier: GPL-2.0-only
/* Finds the id and the cgroup that a count belongs to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/recording/perf/parts.h"

#define MAX_PLACES 1000000

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_place(const struct td_perf_file *file, size_t i,
		     const struct td_perf_line *line)
{
	return i < file->nr_places && same(file->places[i].id, line->id) &&
	       same(file->places[i].cgroup, line->cgroup);
}

static uint64_t hash_place(const struct td_perf_line *line)
{
	return td_hash_more(line->id ? td_hash_text(line->id) : 0,
			    line->cgroup ? td_hash_text(line->cgroup) : 0);
}

static int add_cgroup(struct td_perf_file *file, struct td_perf_place *place)
{
	place->cgroup_index = -1;
	for (size_t i = 0; place->cgroup && i < file->nr_cgroups; i++) {
		if (strcmp(file->cgroups[i], place->cgroup) == 0)
			place->cgroup_index = (int)i;
	}
	if (!place->cgroup || place->cgroup_index >= 0)
		return 0;
	place->cgroup_index = (int)file->nr_cgroups;
	return td_array_push(&file->cgroups, &file->nr_cgroups, &place->cgroup,
			     sizeof(place->cgroup));
}

/* An id that is not a CPU gets a number as if it were one. */
static int find_cpu(const struct td_perf_file *file, size_t index)
{
	const struct td_perf_place *place = &file->places[index];
	int most = -1;

	if (place->unit.how == TD_AGGREGATE_ALL ||
	    place->unit.how == TD_AGGREGATE_THREAD)
		return -1;
	if (place->unit.how == TD_AGGREGATE_CPU)
		return place->unit.place.cpu;
	for (size_t i = 0; i < index; i++) {
		if (same(file->places[i].id, place->id))
			return file->places[i].unit.place.cpu;
		if (file->places[i].unit.place.cpu > most)
			most = file->places[i].unit.place.cpu;
	}
	return most + 1;
}

/* A copy of NULL is NULL. */
static int copy(char **to, const char *text)
{
	if (!text)
		return 0;
	*to = strdup(text);
	return *to ? 0 : -ENOMEM;
}

static int fill_place(struct td_perf_file *file, struct td_perf_place *place,
		      const struct td_perf_line *line, struct td_err *err)
{
	int cpu;

	/* both are printed, also as JSON */
	if ((line->id && !td_is_text(line->id)) ||
	    (line->cgroup && !td_is_text(line->cgroup)))
		return td_perf_file_bad(file, err,
					"the name of a thread or a cgroup is "
					"not printable text");
	if (copy(&place->id, line->id) || copy(&place->cgroup, line->cgroup) ||
	    add_cgroup(file, place))
		return td_err_nomem(err);
	cpu = find_cpu(file, file->nr_places - 1);
	if (cpu > TD_MAX_CPU)
		return td_perf_file_bad(file, err, "too many different ids");
	place->unit.place.cpu = cpu;
	return 0;
}

static int add_place(struct td_perf_file *file, const struct td_perf_line *line,
		     struct td_err *err)
{
	struct td_perf_unit unit;
	struct td_perf_place *place;

	if (td_perf_unit_parse(line->id, &unit))
		return td_perf_file_bad(file, err,
					"not an id of perf, such as CPU0, "
					"S0-D0-C0 or bash-1234");
	if (file->nr_places && file->places[0].unit.how != unit.how)
		return td_perf_file_bad(file, err,
					"an id of another kind than those "
					"before");
	if (file->nr_places == MAX_PLACES)
		return td_perf_file_bad(file, err, "too many different ids");
	place = td_array_add(&file->places, file->nr_places, sizeof(*place));
	if (!place ||
	    td_index_add(&file->by_place, hash_place(line), file->nr_places))
		return td_err_nomem(err);
	file->nr_places++;
	place->unit = unit;
	file->place = file->nr_places - 1;
	return fill_place(file, place, line, err);
}

/* Mostly it is the last line's or the next one, so these are tried first. */
int td_perf_find_place(struct td_perf_file *file,
		       const struct td_perf_line *line, struct td_err *err)
{
	const size_t near[] = { file->place, file->place + 1, 0 };
	uint64_t hash = hash_place(line);
	size_t step = 0, at;

	for (size_t i = 0; i < TD_ARRAY_SIZE(near); i++) {
		if (!is_place(file, near[i], line))
			continue;
		file->place = near[i];
		return 0;
	}
	while ((at = td_index_next(&file->by_place, hash, &step)) !=
	       TD_NOT_FOUND) {
		if (!is_place(file, at, line))
			continue;
		file->place = at;
		return 0;
	}
	return add_place(file, line, err);
}
