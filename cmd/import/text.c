// SPDX-License-Identifier: GPL-2.0-only
/* The contents of perf's columns: numbers, ids, and their places. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/import/parts.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* --- numbers -------------------------------------------------------------- */

/*
 * Split "12" or "12.5" into an integer and a fraction with this number of digits.  perf
 * also writes the decimal comma of the locale.
 */
static bool take_decimal(const char *text, int digits, uint64_t *whole, uint64_t *fraction)
{
	size_t len = strspn(text, "0123456789");
	char number[24];

	if (!len || len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	if (td_parse_u64(number, INT64_MAX - 1, whole))
		return false;
	text += len;
	*fraction = 0;
	if (*text == '.' || *text == ',') {
		text++;
		if (!isdigit((unsigned char)*text))
			return false;
	} else if (*text) {
		return false;
	}
	for (; digits > 0; digits--)
		*fraction = *fraction * 10 +
			    (isdigit((unsigned char)*text) ? (uint64_t)(*text++ - '0') : 0);
	return text[strspn(text, "0123456789")] == '\0';
}

bool td_perf_value_parse(const char *text, struct td_perf_line *line)
{
	uint64_t micro;

	line->value = (struct td_perf_value){ 0 };
	line->status = TD_PERF_COUNTED;
	if (strcmp(text, "<not counted>") == 0)
		line->status = TD_PERF_NOT_COUNTED;
	else if (strcmp(text, "<not supported>") == 0)
		line->status = TD_PERF_NOT_SUPPORTED;
	else if (take_decimal(text, 6, &line->value.whole, &micro))
		line->value.micro = (uint32_t)micro;
	else
		return false;
	return true;
}

bool td_perf_number_parse(const char *text, double *out)
{
	uint64_t whole, micro;

	if (!take_decimal(text, 6, &whole, &micro))
		return false;
	*out = (double)whole + (double)micro / 1e6;
	return true;
}

bool td_perf_time_parse(const char *text, uint64_t *ns)
{
	uint64_t whole, nano;

	if (!take_decimal(text, 9, &whole, &nano) || whole > INT64_MAX / 1000000000 - 1)
		return false;
	*ns = whole * 1000000000 + nano;
	return true;
}

/* --- ids ------------------------------------------------------------------ */

/* Take a prefix and a number, at least -1, and advance *text. */
static bool take(const char **text, const char *prefix, int *out)
{
	size_t len = strlen(prefix);
	const char *at = *text + len;
	char *end;
	long value;

	if (strncmp(*text, prefix, len) != 0 ||
	    (!isdigit((unsigned char)*at) && strncmp(at, "-1", 2) != 0))
		return false;
	errno = 0;
	value = strtol(at, &end, 10);
	if (errno || value < -1 || value > INT_MAX)
		return false;
	*out = (int)value;
	*text = end;
	return true;
}

/* Parse "-L3-ID8", or "-L-1-ID-1" if sysfs has no caches. */
static int parse_cache(const char *text, struct td_perf_unit *unit)
{
	int level, id;

	if (!take(&text, "-L", &level) || !take(&text, "-ID", &id) || *text || level == 0 ||
	    level > TD_MAX_CACHE || id > TD_MAX_CPU || (level < 0 && id >= 0))
		return -EINVAL;
	unit->how = TD_AGGREGATE_CACHE;
	unit->cache_level = level < 0 ? 0 : level;
	if (level > 0)
		unit->place.cache[level - 1] = id;
	return 0;
}

/* Parse the remainder of an id, after the die. */
static int parse_in_die(const char *text, struct td_perf_unit *unit)
{
	if (strncmp(text, "-L", 2) == 0)
		return parse_cache(text, unit);
	if (take(&text, "-CLS", &unit->place.cluster))
		unit->how = TD_AGGREGATE_CLUSTER;
	else if (take(&text, "-C", &unit->place.core))
		unit->how = TD_AGGREGATE_CORE;
	else
		unit->how = TD_AGGREGATE_DIE;
	return *text ? -EINVAL : 0;
}

static int parse_place(const char *id, struct td_perf_unit *unit)
{
	if (take(&id, "CPU", &unit->place.cpu) && !*id) {
		unit->how = TD_AGGREGATE_CPU;
		return unit->place.cpu < 0 || unit->place.cpu > TD_MAX_CPU ? -EINVAL : 0;
	}
	if (take(&id, "N", &unit->place.node) && !*id) {
		unit->how = TD_AGGREGATE_NODE;
		return 0;
	}
	if (!take(&id, "S", &unit->place.socket))
		return -EINVAL;
	unit->how = TD_AGGREGATE_SOCKET;
	if (!*id)
		return 0;
	/* Linux before 5.3 knew one die per socket */
	if (take(&id, "-C", &unit->place.core) && !*id) {
		unit->how = TD_AGGREGATE_CORE;
		unit->place.die = 0;
		return 0;
	}
	return take(&id, "-D", &unit->place.die) ? parse_in_die(id, unit) : -EINVAL;
}

/* Parse "Web Content-1234". */
static int parse_thread(const char *id, struct td_perf_unit *unit)
{
	const char *dash = strrchr(id, '-');

	unit->how = TD_AGGREGATE_THREAD;
	if (!dash || td_parse_int(dash + 1, 0, INT_MAX, &unit->tid))
		return -EINVAL;
	unit->comm = (size_t)(dash - id);
	return 0;
}

static const struct td_perf_unit nothing = {
	.how = TD_AGGREGATE_ALL,
	.tid = -1,
	.place = { -1, -1, -1, -1, -1, -1, .cache = { -1, -1, -1, -1 } },
	.cache_level = -1,
};

/* "S-1-D-1-C-1": perf stat report --per-core of a command, which was not counted by CPU. */
static bool is_nowhere(const struct td_place *place)
{
	return place->cpu < 0 && place->core < 0 && place->cluster < 0 && place->die < 0 &&
	       place->socket < 0 && place->node < 0;
}

int td_perf_unit_parse(const char *id, struct td_perf_unit *unit)
{
	*unit = nothing;
	if (!id)
		return 0;
	if (parse_place(id, unit) == 0) {
		if (is_nowhere(&unit->place))
			*unit = nothing;
		return 0;
	}
	*unit = nothing;
	return parse_thread(id, unit);
}

/* --- the id and the cgroup that a count belongs to ------------------------ */

#define MAX_PLACES 1000000

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_place(const struct td_perf_file *file, size_t i, const struct td_perf_line *line)
{
	return i < file->nr_places && same(file->places[i].id, line->id) &&
	       same(file->places[i].cgroup, line->cgroup);
}

static uint64_t hash_place(const struct td_perf_line *line)
{
	return td_hash_more(line->id ? td_hash_text(line->id) : 0,
			    line->cgroup ? td_hash_text(line->cgroup) : 0);
}

static void add_cgroup(struct td_perf_file *file, struct td_perf_place *place)
{
	place->cgroup_index = -1;
	for (size_t i = 0; place->cgroup && i < file->nr_cgroups; i++) {
		if (strcmp(file->cgroups[i], place->cgroup) == 0)
			place->cgroup_index = (int)i;
	}
	if (!place->cgroup || place->cgroup_index >= 0)
		return;
	place->cgroup_index = (int)file->nr_cgroups;
	td_array_push(&file->cgroups, &file->nr_cgroups, &place->cgroup, sizeof(place->cgroup));
}

/* Return the CPU of a place.  Ids that are not CPUs get numbers as if they were. */
static int find_cpu(const struct td_perf_file *file, size_t index)
{
	const struct td_perf_place *place = &file->places[index];
	int most = -1;

	if (place->unit.how == TD_AGGREGATE_ALL || place->unit.how == TD_AGGREGATE_THREAD)
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

static int fill_place(struct td_perf_file *file, struct td_perf_place *place,
		      const struct td_perf_line *line, struct td_err *err)
{
	int cpu;

	/* ids and cgroups are printed as text and JSON */
	if ((line->id && !td_is_text(line->id)) || (line->cgroup && !td_is_text(line->cgroup)))
		return td_perf_file_bad(file, err,
					"the name of a thread or a cgroup is not printable text");
	place->id = line->id ? td_strdup(line->id) : NULL;
	place->cgroup = line->cgroup ? td_strdup(line->cgroup) : NULL;
	add_cgroup(file, place);
	cpu = find_cpu(file, file->nr_places - 1);
	if (cpu > TD_MAX_CPU)
		return td_perf_file_bad(file, err, "too many different ids");
	place->unit.place.cpu = cpu;
	return 0;
}

static int add_place(struct td_perf_file *file, const struct td_perf_line *line, struct td_err *err)
{
	struct td_perf_unit unit;
	struct td_perf_place *place;

	if (td_perf_unit_parse(line->id, &unit))
		return td_perf_file_bad(file, err,
					"not an id of perf, such as CPU0, S0-D0-C0 or bash-1234");
	if (file->nr_places && file->places[0].unit.how != unit.how)
		return td_perf_file_bad(file, err, "an id of another kind than those before");
	if (file->nr_places == MAX_PLACES)
		return td_perf_file_bad(file, err, "too many different ids");
	place = td_array_add(&file->places, file->nr_places, sizeof(*place));
	td_index_add(&file->by_place, hash_place(line), file->nr_places);
	file->nr_places++;
	place->unit = unit;
	file->place = file->nr_places - 1;
	return fill_place(file, place, line, err);
}

/* Try first the place of the last line and the next one, which are the usual ones. */
int td_perf_find_place(struct td_perf_file *file, const struct td_perf_line *line,
		       struct td_err *err)
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
	while ((at = td_index_next(&file->by_place, hash, &step)) != TD_NOT_FOUND) {
		if (!is_place(file, at, line))
			continue;
		file->place = at;
		return 0;
	}
	return add_place(file, line, err);
}
