// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of perf stat -j, and of perf stat -x, whose columns are recognized by their
 * contents:
 *	[time] [summary] [id [CPUs]] value unit event [cgroup] [variance]
 *	run-time percentage [metric-value metric-unit]
 * Nothing is quoted, so an event or the name of a thread may contain the
 * separator.
 */
#include <ctype.h>
#include <json-c/json.h>
#include <limits.h>

#include "cmd/import/parts.h"
#include "lib/base/json.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/event/symbols.h"

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

/* Parse "12", "12.5" or "<not counted>".  Returns false for other texts. */
static bool perf_value_parse(const char *text, struct td_perf_line *line)
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

/* Parse a number without a sign, "2.01".  Returns false for other texts. */
static bool perf_number_parse(const char *text, double *out)
{
	uint64_t whole, micro;

	if (!take_decimal(text, 6, &whole, &micro))
		return false;
	*out = (double)whole + (double)micro / 1e6;
	return true;
}

/* Convert "0.100104518" to ns. */
static bool perf_time_parse(const char *text, uint64_t *ns)
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

/*
 * Parse an id; NULL means all.  Only the id of a CPU sets place.cpu.  Returns -EINVAL if perf does
 * not print such ids.
 */
static int perf_unit_parse(const char *id, struct td_perf_unit *unit)
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

static bool is_place(const struct td_perf_file *file, size_t i, const struct td_perf_line *line)
{
	return i < file->nr_places && td_same_text(file->places[i].id, line->id) &&
	       td_same_text(file->places[i].cgroup, line->cgroup);
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
		if (td_same_text(file->places[i].id, place->id))
			return file->places[i].unit.place.cpu;
		if (file->places[i].unit.place.cpu > most)
			most = file->places[i].unit.place.cpu;
	}
	return most + 1;
}

static int add_place(struct td_perf_file *file, const struct td_perf_line *line, struct td_err *err)
{
	struct td_perf_unit unit;
	struct td_perf_place *place;
	int cpu;

	if (perf_unit_parse(line->id, &unit))
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

#define MAX_FIELDS 40

struct fields {
	char *v[MAX_FIELDS];
	size_t nr;
	char separator;
};

static int split(char *text, char separator, struct fields *f)
{
	*f = (struct fields){ .separator = separator };
	for (char *end = text; end; text = end + 1) {
		if (f->nr == MAX_FIELDS)
			return -EINVAL;
		f->v[f->nr++] = text;
		/* "<not counted>" contains a blank */
		end = *text == '<' ? strchr(text, '>') : text;
		end = end ? strchr(end, separator) : NULL;
		if (!end)
			break;
		*end = '\0';
	}
	return 0;
}

/* Join fields, with the separators between them. */
static void join(struct fields *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		f->v[i][strlen(f->v[i])] = f->separator;
}

static const char *field(const struct fields *f, size_t i)
{
	return i < f->nr ? f->v[i] : "";
}

static bool is_count(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static bool is_value(const char *text)
{
	struct td_perf_line line;

	return perf_value_parse(text, &line);
}

static bool is_time(const char *text)
{
	const char *point = strpbrk(text, ".,");
	uint64_t ns;

	return point && strlen(point + 1) == 9 && perf_time_parse(text, &ns);
}

/* Return true for a run time in ns and its percentage: "1234", "99.50". */
static bool is_run_time(const struct fields *f, size_t i)
{
	const char *pct = field(f, i + 1);
	double value;

	return is_count(field(f, i)) && strpbrk(pct, ".,") && perf_number_parse(pct, &value);
}

/* Return the end of the event's name: "cpu/cycles,percore/" is one name. */
static size_t event_end(const struct fields *f, size_t at, size_t run_time)
{
	size_t slashes = 0, end = at;

	do {
		for (const char *c = f->v[end++]; *c; c++)
			slashes += *c == '/';
	} while (slashes % 2 && end < run_time);
	/* a single slash is part of a name that the user gave */
	return slashes % 2 ? at + 1 : end;
}

static bool is_variance(const char *text)
{
	size_t len = strlen(text);

	return len > 1 && text[len - 1] == '%' && isdigit((unsigned char)*text);
}

static bool is_modifiers(const char *text)
{
	return *text && text[strspn(text, "ukhGHIpPSDWeRbM")] == '\0';
}

/*
 * Return the end of a name whose parts are separated like the columns: "cycles:u",
 * "sched:sched_switch", "duration_time".  With colons, a cgroup may follow.
 */
static size_t name_end(const struct fields *f, size_t at, size_t run_time)
{
	size_t end = event_end(f, at, run_time);
	uint64_t config;

	if (f->separator == '/' || f->separator == '_')
		return run_time;
	/* perf 6.12 writes "cpu-clock [software]" */
	if (f->separator == ' ' && end < run_time && *f->v[end] == '[')
		return end + 1;
	if (f->separator != ':')
		return end;
	if (end == at + 1 && end < run_time && !strchr(f->v[at], '/') &&
	    !td_symbol_find(f->v[at]) && td_cache_parse(f->v[at], &config))
		end++;
	return end < run_time && is_modifiers(f->v[end]) ? end + 1 : end;
}

/* A cgroup, a variance or both may precede the run time. */
static void take_cgroup(struct fields *f, size_t at, size_t run_time, struct td_perf_line *line)
{
	if (run_time > at && is_variance(f->v[run_time - 1]))
		run_time--;
	if (run_time == at)
		return;
	join(f, at, run_time - 1);
	line->cgroup = f->v[at];
}

/* "CPUs utilized" follows the percentage; perf 7.2 prints words before it. */
static void take_utilized(const struct fields *f, size_t at, struct td_perf_line *line)
{
	if (strstr(field(f, at + 1), "CPUs utilized") || strstr(field(f, at + 1), "CPUs_utilized"))
		perf_number_parse(field(f, at), &line->utilized);
}

/* Take value, unit, event and so on, beginning with field at. */
static int take_count(struct fields *f, size_t at, struct td_perf_line *line)
{
	size_t run_time = at + 3, end;

	if (!perf_value_parse(field(f, at), line))
		return -EINVAL;
	while (run_time < f->nr && !is_run_time(f, run_time))
		run_time++;
	if (run_time >= f->nr || !*f->v[at + 2])
		return -EINVAL;
	if (td_parse_u64(f->v[run_time], INT64_MAX - 1, &line->running_ns) ||
	    !perf_number_parse(f->v[run_time + 1], &line->pct))
		return -EINVAL;
	end = name_end(f, at + 2, run_time);
	take_cgroup(f, end, run_time, line);
	join(f, at + 2, end - 1);
	line->unit = f->v[at + 1];
	line->event = f->v[at + 2];
	take_utilized(f, run_time + 2, line);
	return TD_PERF_IS_COUNT;
}

/* Take an id.  Returns the next field.  A thread's name may contain separators. */
static size_t take_id(struct fields *f, size_t at, struct td_perf_line *line)
{
	struct td_perf_unit unit;

	for (size_t end = at; end + 1 < f->nr; end++) {
		if (perf_unit_parse(f->v[end], &unit) ||
		    (end > at && unit.how != TD_AGGREGATE_THREAD))
			continue;
		join(f, at, end);
		line->id = f->v[at];
		return end + 1;
	}
	return 0;
}

/* Most ids are followed by a number of CPUs and a value. */
static int take_after_id(struct fields *f, size_t at, struct td_perf_line *line)
{
	if (is_count(field(f, at)) && is_value(field(f, at + 1))) {
		line->has_nr = true;
		if (td_parse_u64(f->v[at], UINT32_MAX, &line->nr))
			return -EINVAL;
		return take_count(f, at + 1, line);
	}
	if (take_count(f, at, line) == TD_PERF_IS_COUNT)
		return TD_PERF_IS_COUNT;
	if (!*field(f, at) || (is_count(field(f, at)) && !*field(f, at + 1)))
		return TD_PERF_IS_METRIC;
	return -EINVAL;
}

static int parse_fields(struct fields *f, struct td_perf_line *line)
{
	size_t at = 0;

	if (is_time(f->v[0])) {
		line->has_time = perf_time_parse(f->v[0], &line->time_ns);
		at = 1;
	} else if (strcmp(f->v[0], "summary") == 0) {
		return TD_PERF_IS_SUMMARY;
	}
	if (!*field(f, at))
		return f->nr > at + 3 ? TD_PERF_IS_METRIC : -EINVAL;
	if (is_value(f->v[at]))
		return take_count(f, at, line);
	at = take_id(f, at, line);
	return at ? take_after_id(f, at, line) : -EINVAL;
}

int td_perf_csv_parse(char *text, char separator, struct td_perf_line *line)
{
	char *start = text + strspn(text, " ");
	struct fields f;

	*line = (struct td_perf_line){ 0 };
	text[strcspn(text, "\r")] = '\0';
	/* 6.1 aligns times with blanks; otherwise leading blanks are empty fields */
	if (separator == ' ' && !isdigit((unsigned char)*start) &&
	    strncmp(start, "summary", 7) != 0 && start != text)
		return TD_PERF_IS_METRIC;
	if (split(start, separator, &f))
		return -EINVAL;
	return parse_fields(&f, line);
}

/* Copy the separator before a number if it also precedes the number before: "::1234::100.00". */
static bool find_long(const char *text, const char *number, char out[TD_PERF_LONG_SEPARATOR])
{
	const char *start = number, *before;
	size_t length;

	while (start > text && !isdigit((unsigned char)start[-1]))
		start--;
	length = (size_t)(number - start);
	for (before = start; before > text && isdigit((unsigned char)before[-1]);)
		before--;
	if (length < 2 || length >= TD_PERF_LONG_SEPARATOR || before == start ||
	    (size_t)(before - text) < length || memcmp(before - length, start, length) != 0)
		return false;
	snprintf(out, TD_PERF_LONG_SEPARATOR, "%.*s", (int)length, start);
	return true;
}

void td_perf_csv_long_separator(const char *text, char out[TD_PERF_LONG_SEPARATOR])
{
	for (const char *at = text; (at = strpbrk(at, "0123456789"));
	     at += strspn(at, "0123456789")) {
		td_autofree char *copy = td_strdup(text);
		struct td_perf_line line;

		if (!find_long(text, at, out))
			continue;
		td_perf_csv_shorten(copy, out);
		if (td_perf_csv_parse(copy, TD_PERF_SHORT, &line) == TD_PERF_IS_COUNT)
			return;
	}
	*out = '\0';
}

void td_perf_csv_shorten(char *text, const char *separator)
{
	size_t length = strlen(separator);

	for (char *to = strstr(text, separator); to; to = strstr(to + 1, separator)) {
		*to = TD_PERF_SHORT;
		memmove(to + 1, to + length, strlen(to + length) + 1);
	}
}

/* --- lines of perf stat -j, which are JSON objects ------------------------ */

#define MAX_DEPTH 4

/* perf prints nan and inf as printf(3) does, which is not JSON. */
static void replace_no_numbers(char *text)
{
	static const char *const words[] = { "-nan", "nan", "-inf", "inf" };
	static const char key[] = "\"metric-value\" : ";

	for (text = strstr(text, key); text; text = strstr(text, key)) {
		text += sizeof(key) - 1;
		for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
			size_t len = strlen(words[i]);

			if (strncmp(text, words[i], len) != 0)
				continue;
			memset(text, ' ', len);
			*text = '0';
		}
	}
}

/* perf writes the decimal comma of the locale, and a blank after a comma between members. */
static void replace_decimal_commas(char *text)
{
	bool quoted = false;

	for (; *text; text++) {
		if (*text == '"')
			quoted = !quoted;
		else if (*text == '\\' && quoted && text[1])
			text++;
		else if (*text == ',' && !quoted && isdigit((unsigned char)text[1]))
			*text = '.';
	}
}

static int parse(struct json_object **object, const char *text)
{
	struct td_json_fault fault;
	int rc = td_json_text(text, MAX_DEPTH, JSON_TOKENER_STRICT, object, &fault);

	return !rc && json_object_is_type(*object, json_type_object) ? 0 : -EILSEQ;
}

static bool has(struct json_object *object, const char *key)
{
	return json_object_object_get_ex(object, key, NULL);
}

/* Return the text of a number or string; NULL for other types. */
static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(object, key, &value) ||
	    (!json_object_is_type(value, json_type_string) &&
	     !json_object_is_type(value, json_type_int) &&
	     !json_object_is_type(value, json_type_double)))
		return NULL;
	errno = 0; /* for td_memory_check(): json-c needs memory for the text of a number */
	text = json_object_get_string(value);
	td_memory_check();
	return text;
}

/* Each aggregation has its own key; ids are as in -x, except for CPUs. */
static bool read_id(struct json_object *object, struct td_perf_line *line)
{
	static const char *const keys[] = { "core",   "cache", "cluster", "die",
					    "socket", "node",  "thread" };
	const char *cpu = text_of(object, "cpu");
	int64_t nr;

	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++) {
		if (!has(object, keys[i]))
			continue;
		line->id = td_json_string(object, keys[i]);
		if (!line->id)
			return false;
	}
	if (has(object, "cpu")) {
		if (!cpu || strlen(cpu) > 20)
			return false;
		/* with -A, an event counted per core has S0-D0-C0 here */
		snprintf(line->cpu, sizeof(line->cpu), "%s%s",
			 *cpu == 'S' || *cpu == 'C' ? "" : "CPU", cpu);
		line->id = line->cpu;
	}
	line->has_nr = td_json_int(object, "counters", 0, UINT32_MAX, &nr) ||
		       td_json_int(object, "aggregate-number", 0, UINT32_MAX, &nr);
	line->nr = line->has_nr ? (uint64_t)nr : 0;
	return true;
}

static bool read_count(struct json_object *object, struct td_perf_line *line)
{
	const char *value = text_of(object, "counter-value");
	const char *pct = text_of(object, "pcnt-running");
	int64_t running;

	line->event = td_json_string(object, "event");
	line->unit = td_json_string(object, "unit");
	line->cgroup = td_json_string(object, "cgroup");
	if (!line->unit)
		line->unit = "";
	if (!value || !pct || !line->event || !*line->event ||
	    !td_json_int(object, "event-runtime", 0, INT64_MAX - 1, &running))
		return false;
	line->running_ns = (uint64_t)running;
	return perf_value_parse(value, line) && perf_number_parse(pct, &line->pct);
}

static void read_utilized(struct json_object *object, struct td_perf_line *line)
{
	const char *unit = td_json_string(object, "metric-unit");
	const char *value = text_of(object, "metric-value");

	if (value && unit && (strstr(unit, "CPUs utilized") || strstr(unit, "CPUs_utilized")))
		perf_number_parse(value, &line->utilized);
}

/* A line without a count; --metric-only uses the metrics' names as keys. */
static bool is_metric(struct json_object *object)
{
	return has(object, "metric-value") || has(object, "metricgroup") ||
	       has(object, "interval") || has(object, "event-runtime") ||
	       json_object_object_length(object) == 0;
}

/* Are all members texts, as in a metric-only line without -I? */
static bool is_named_values(struct json_object *object)
{
	json_object_object_foreach(object, key, value)
	{
		if (*key && !json_object_is_type(value, json_type_string) &&
		    strcmp(key, "counters") != 0 && strcmp(key, "aggregate-number") != 0)
			return false;
	}
	return true;
}

static int take_line(struct json_object *object, struct td_perf_line *line)
{
	if (!has(object, "counter-value"))
		return is_metric(object) || is_named_values(object) ? TD_PERF_IS_METRIC : -EINVAL;
	if (has(object, "interval")) {
		const char *time = text_of(object, "interval");

		line->has_time = time && perf_time_parse(time, &line->time_ns);
		if (!line->has_time)
			return -EINVAL;
	}
	if (!read_id(object, line) || !read_count(object, line))
		return -EINVAL;
	read_utilized(object, line);
	return TD_PERF_IS_COUNT;
}

int td_perf_json_parse(struct json_object **object, char *text, struct td_perf_line *line)
{
	int rc;
	char *end;

	*line = (struct td_perf_line){ 0 };
	replace_no_numbers(text);
	end = strrchr(text, '}');
	/* perf 6.13 writes a comma after the last member if there is no metric. */
	while (end && end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end && end > text && end[-1] == ',')
		end[-1] = ' ';
	rc = parse(object, text);
	if (rc) {
		replace_decimal_commas(text);
		json_object_put(*object);
		rc = parse(object, text);
	}
	return rc ?: take_line(*object, line);
}
