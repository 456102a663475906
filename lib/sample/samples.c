// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <json-c/json.h>
#include <json-c/json_object_iterator.h>
#include <limits.h>

#include "lib/base/json.h"
#include "lib/recording/parts.h"
#include "lib/sample/samples.h"

static const char *const kinds[TD_OBJECT_NR] = {
	[TD_OBJECT_FILE] = "file",
	[TD_OBJECT_KERNEL] = "kernel",
	[TD_OBJECT_VDSO] = "vdso",
	[TD_OBJECT_MEMORY] = "memory",
};

/* --- writing ---------------------------------------------------------------- */

static void put_text(struct json_object *o, const char *key, const char *text)
{
	if (text)
		td_json_put_string(o, key, text);
	else
		td_json_add(o, key, NULL);
}

/* Writes a string, because not every reader of JSON supports numbers above INT64_MAX. */
static void put_address(struct json_object *o, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	td_json_put_string(o, "address", text);
}

void td_samples_write_head(struct td_samples_writer *writer, const char *node, uint64_t longest_ns)
{
	struct json_object *line, *of;

	if (!writer->fp)
		return;
	line = td_json_line();
	of = json_object_new_object();
	put_text(of, "node", node);
	if (longest_ns)
		td_json_put_seconds(of, "longest_window", longest_ns);
	td_json_add(line, "samples", of);
	td_json_put_line(writer->fp, line);
}

/* --- objects and locations -------------------------------------------------- */

static void write_object(FILE *fp, const struct td_object *object)
{
	struct json_object *line = td_json_line();
	struct json_object *of = json_object_new_object();
	char hex[TD_BUILD_ID_TEXT];

	td_build_id_text(hex, &object->build_id);
	td_json_put_string(of, "kind", kinds[object->kind]);
	td_json_put_string(of, "path", object->path);
	td_json_put_int(of, "pid", object->pid);
	if (hex[0])
		td_json_put_string(of, "build_id", hex);
	td_json_add(line, "object", of);
	td_json_put_line(fp, line);
}

static void write_location(FILE *fp, const struct td_location *location)
{
	struct json_object *line = td_json_line();
	struct json_object *of = json_object_new_object();

	td_json_put_int(of, "object", location->object);
	put_address(of, location->address);
	td_json_add(line, "spot", of);
	td_json_put_line(fp, line);
}

static void write_new(struct td_samples_writer *writer, const struct td_locations *locations)
{
	while (writer->nr_objects < locations->nr_objects)
		write_object(writer->fp, &locations->objects[writer->nr_objects++]);
	while (writer->nr_locations < locations->nr)
		write_location(writer->fp, &locations->v[writer->nr_locations++]);
	for (; writer->nr_calls < locations->nr_calls; writer->nr_calls++) {
		const struct td_call *call = &locations->calls[writer->nr_calls];

		fprintf(writer->fp, "{\"call\":[%d,%d]}\n", call->location, call->caller);
	}
}

/* --- records ---------------------------------------------------------------- */

static const struct td_group *group_of(const struct td_plan *plan, int event)
{
	for (size_t g = 0; g < plan->nr_groups; g++) {
		for (size_t i = 0; i < plan->groups[g].nr; i++) {
			if (plan->groups[g].members[i] == event)
				return &plan->groups[g];
		}
	}
	return NULL;
}

/*
 * Writes values in the order of the events in the first line, which contains the groups for
 * readers.
 */
static void write_values(const struct td_samples_writer *writer, const struct td_record *r,
			 int event)
{
	const struct td_group *group = group_of(writer->plan, event);

	if (!group || r->nr_values != group->nr)
		return;
	for (size_t e = 0; e < writer->plan->events.nr; e++) {
		for (size_t i = 0; i < group->nr; i++) {
			if (group->members[i] == (int)e)
				fprintf(writer->fp, ",%" PRIu64, r->values[2 * i]);
		}
	}
}

static void write_sample(const struct td_samples_writer *writer, const struct td_record *r,
			 int event, int location, int caller)
{
	FILE *fp = writer->fp;

	fprintf(fp, "{\"s\":[%" PRIu64 ",%d,%d,%d,%d,%" PRIu64 ",%d,%d", r->time_ns, r->cpu, r->pid,
		r->tid, event, r->period, location, caller);
	write_values(writer, r, event);
	fputs("]}\n", fp);
}

/* Does not use objects of json-c, because there are thousands of lines per second. */
void td_samples_write(struct td_samples_writer *writer, const struct td_locations *locations,
		      const struct td_record *r, int event, int location, int caller)
{
	FILE *fp = writer->fp;

	if (!fp)
		return;
	write_new(writer, locations);
	if (r->kind == TD_RECORD_SAMPLE)
		write_sample(writer, r, event, location, caller);
	else if (r->kind == TD_RECORD_SWITCH)
		fprintf(fp, "{\"switch\":[%" PRIu64 ",%d,%d]}\n", r->time_ns, r->cpu, r->tid);
	else if (r->kind == TD_RECORD_LOST)
		fprintf(fp, "{\"lost\":[%" PRIu64 ",%d,%" PRIu64 "]}\n", r->time_ns, r->cpu,
			r->lost);
	else if (r->kind == TD_RECORD_THROTTLE)
		fprintf(fp, "{\"throttled\":[%" PRIu64 ",%d]}\n", r->time_ns, r->cpu);
	else if (r->kind == TD_RECORD_UNTHROTTLE)
		fprintf(fp, "{\"resumed\":[%" PRIu64 ",%d,%d]}\n", r->time_ns, r->cpu, r->tid);
}

/* --- functions -------------------------------------------------------------- */

void td_samples_write_functions(struct td_samples_writer *writer,
				const struct td_locations *locations)
{
	FILE *fp = writer->fp;

	if (!fp)
		return;
	write_new(writer, locations);
	td_for_each(const struct td_function, function, locations->functions,
		    locations->nr_functions) {
		struct json_object *line = td_json_line();
		struct json_object *of = json_object_new_object();

		td_json_put_int(of, "object", function->object);
		put_address(of, function->address);
		put_text(of, "name", function->name);
		td_json_add(line, "function", of);
		td_json_put_line(fp, line);
	}
	for (size_t i = 0; i < locations->nr_files; i++) {
		struct json_object *line = td_json_line();

		td_json_put_string(line, "file", locations->files[i]);
		td_json_put_line(fp, line);
	}
	for (size_t i = 0; i < locations->nr; i++)
		fprintf(fp, "{\"resolved\":[%zu,%d,%d,%d]}\n", i, locations->v[i].function,
			locations->v[i].file, locations->v[i].line);
}

/* --- reading ---------------------------------------------------------------- */

#define MAX_VALUES 64
#define MAX_NUMBER (INT64_MAX - 1)

struct reader {
	struct td_samples *samples;
	struct td_recording *rec;
	td_take_sample *take;
	void *ctx;
	struct td_err *err;
};

static int bad(const struct reader *r, const char *what)
{
	return td_recording_bad(r->rec, r->err, what);
}

static bool number_of(struct json_object *of, const char *key, int64_t min, int64_t max, int *out)
{
	int64_t number;

	if (!td_json_int(of, key, min, max, &number))
		return false;
	*out = (int)number;
	return true;
}

static bool address_of(struct json_object *of, uint64_t *address)
{
	const char *text = td_json_string(of, "address");
	char *end;

	if (!text || strncmp(text, "0x", 2) != 0 || !text[2])
		return false;
	errno = 0;
	*address = strtoull(text, &end, 16);
	return !*end && !errno;
}

/* --- objects, locations, functions ------------------------------------------ */

static bool read_build_id(const char *hex, struct td_build_id *id)
{
	size_t len = strlen(hex);

	if (len % 2 || len > 2 * sizeof(id->v) || strspn(hex, "0123456789abcdef") != len)
		return false;
	for (size_t i = 0; i < len / 2; i++) {
		const char byte[] = { hex[2 * i], hex[2 * i + 1], '\0' };

		id->v[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	id->size = (uint8_t)(len / 2);
	return true;
}

static int read_object(const struct reader *r, struct json_object *of)
{
	const char *kind = td_json_string(of, "kind"), *path = td_json_string(of, "path");
	const char *hex = td_json_string(of, "build_id");
	struct td_locations *locations = &r->samples->locations;
	struct td_object object = { 0 };
	size_t nr = locations->nr_objects;

	if (!kind || !path || !number_of(of, "pid", -1, INT_MAX, &object.pid) ||
	    (hex && !read_build_id(hex, &object.build_id)))
		return bad(r, "an object without kind, path or pid");
	while (object.kind < TD_OBJECT_NR && strcmp(kinds[object.kind], kind) != 0)
		object.kind++;
	if (object.kind == TD_OBJECT_NR)
		return bad(r, "an object of an unknown kind");
	object.path = td_strdup(path);
	td_locations_add_object(locations, &object);
	free(object.path);
	return locations->nr_objects == nr ? bad(r, "an object a second time") : 0;
}

static bool read_place(const struct reader *r, struct json_object *of, int *object,
		       uint64_t *address)
{
	int nr = (int)r->samples->locations.nr_objects;

	return number_of(of, "object", 0, nr - 1, object) && address_of(of, address);
}

static int read_location(const struct reader *r, struct json_object *of)
{
	struct td_locations *locations = &r->samples->locations;
	size_t nr = locations->nr;
	uint64_t address;
	int object;

	if (!read_place(r, of, &object, &address))
		return bad(r, "\"spot\" has no object or address");
	td_locations_add(locations, object, address);
	return locations->nr == nr ? bad(r, "a second \"spot\" with this object and address") : 0;
}

static int read_function(const struct reader *r, struct json_object *of)
{
	const char *name = td_json_string(of, "name");
	struct td_locations *locations = &r->samples->locations;
	struct td_function function = { 0 };
	size_t nr = locations->nr_functions;

	if (!read_place(r, of, &function.object, &function.address))
		return bad(r, "a function without object or address");
	function.name = name ? td_strdup(name) : NULL;
	td_locations_add_function(locations, &function);
	free(function.name);
	return locations->nr_functions == nr ? bad(r, "a function a second time") : 0;
}

/* Reads min_nr to max_nr whole numbers, each at least -1. */
static bool read_numbers(struct json_object *array, int64_t *out, size_t min_nr, size_t max_nr,
			 size_t *nr)
{
	*nr = json_object_array_length(array);
	if (*nr < min_nr || *nr > max_nr)
		return false;
	for (size_t i = 0; i < *nr; i++) {
		if (!td_json_integer(json_object_array_get_idx(array, i), -1, MAX_NUMBER, &out[i]))
			return false;
	}
	return true;
}

static int read_resolved(const struct reader *r, struct json_object *array)
{
	struct td_locations *locations = &r->samples->locations;
	struct td_location *location;
	int64_t n[4];
	size_t nr;

	if (!read_numbers(array, n, 4, 4, &nr) || n[0] < 0 || n[0] >= (int64_t)locations->nr ||
	    n[1] < 0 || n[1] >= (int64_t)locations->nr_functions ||
	    n[2] >= (int64_t)locations->nr_files || n[3] < 0 || n[3] > INT_MAX)
		return bad(r, "\"resolved\" is not [spot, function, file, line]");
	location = &locations->v[n[0]];
	location->function = (int)n[1];
	location->file = (int)n[2];
	location->line = (int)n[3];
	return 0;
}

/* Callers come first, so calls cannot form a circle. */
static int read_call(const struct reader *r, struct json_object *array)
{
	struct td_locations *locations = &r->samples->locations;
	size_t nr_calls = locations->nr_calls, nr;
	int64_t n[2];

	if (!read_numbers(array, n, 2, 2, &nr) || n[0] >= (int64_t)locations->nr ||
	    n[1] >= (int64_t)nr_calls)
		return bad(r, "\"call\" is not [spot, caller]");
	r->samples->calls = true;
	if (td_locations_add_call(locations, (int)n[0], (int)n[1]) < 0)
		return bad(r, "more calls than are read");
	return locations->nr_calls == nr_calls ? bad(r, "a call a second time") : 0;
}

/* --- records ---------------------------------------------------------------- */

/* Index of the first value.  Before it: time, CPU, PID, TID, event, period, location, caller. */
#define FIRST_VALUE 8

static bool is_sample(const struct reader *r, const int64_t *n)
{
	const struct td_samples *samples = r->samples;

	return n[0] >= 0 && n[1] <= TD_MAX_CPU && n[2] <= INT_MAX && n[3] <= INT_MAX && n[4] >= 0 &&
	       n[4] < (int64_t)r->rec->plan.events.nr && n[5] >= 0 && n[6] >= 0 &&
	       n[6] < (int64_t)samples->locations.nr &&
	       n[7] < (int64_t)(samples->calls ? samples->locations.nr_calls
					       : samples->locations.nr);
}

static int read_sample(const struct reader *r, struct json_object *array)
{
	int64_t n[FIRST_VALUE + MAX_VALUES];
	uint64_t pairs[2 * MAX_VALUES] = { 0 };
	struct td_record record = { .kind = TD_RECORD_SAMPLE };
	size_t nr;
	int call;

	if (!read_numbers(array, n, FIRST_VALUE, TD_ARRAY_SIZE(n), &nr) || !is_sample(r, n))
		return bad(r, "\"s\" is not [time, cpu, pid, tid, event, period, spot, caller, "
			      "value...]");
	record.time_ns = (uint64_t)n[0];
	record.cpu = (int)n[1];
	record.pid = (int)n[2];
	record.tid = (int)n[3];
	record.period = (uint64_t)n[5];
	record.values = pairs;
	record.nr_values = nr - FIRST_VALUE;
	for (size_t i = 0; i < record.nr_values; i++)
		pairs[2 * i] = (uint64_t)n[FIRST_VALUE + i];
	call = (int)n[7];
	/* without calls in the file, the caller is a location */
	if (call >= 0 && !r->samples->calls)
		call = td_locations_add_call(&r->samples->locations, call, -1);
	r->take(r->ctx, &record, (int)n[4], (int)n[6], call < 0 ? -1 : call);
	return 0;
}

static int read_other(const struct reader *r, struct json_object *array, enum td_record_kind kind)
{
	struct td_record record = { .kind = kind };
	int64_t n[3] = { 0 };
	size_t nr;

	if (!read_numbers(array, n, 2, 3, &nr) || n[0] < 0 || n[1] > TD_MAX_CPU)
		return bad(r, "not a time and a CPU");
	record.time_ns = (uint64_t)n[0];
	record.cpu = (int)n[1];
	if (kind != TD_RECORD_LOST)
		record.tid = (int)n[2];
	else
		record.lost = (uint64_t)n[2];
	r->take(r->ctx, &record, -1, -1, -1);
	return 0;
}

/* --- lines ------------------------------------------------------------------ */

static int read_head(const struct reader *r, struct json_object *of)
{
	const char *node = td_json_string(of, "node");

	if (r->samples->any)
		return bad(r, "\"samples\" a second time");
	r->samples->any = true;
	snprintf(r->samples->node, sizeof(r->samples->node), "%s", node ? node : "");
	if (json_object_object_get_ex(of, "longest_window", NULL) &&
	    !td_json_seconds(of, "longest_window", &r->samples->longest_ns))
		return bad(r, "\"longest_window\" is not a time");
	return 0;
}

static int read_array(const struct reader *r, const char *key, struct json_object *array)
{
	if (strcmp(key, "s") == 0)
		return read_sample(r, array);
	if (strcmp(key, "call") == 0)
		return read_call(r, array);
	if (strcmp(key, "switch") == 0)
		return read_other(r, array, TD_RECORD_SWITCH);
	if (strcmp(key, "lost") == 0)
		return read_other(r, array, TD_RECORD_LOST);
	if (strcmp(key, "throttled") == 0)
		return read_other(r, array, TD_RECORD_THROTTLE);
	if (strcmp(key, "resumed") == 0)
		return read_other(r, array, TD_RECORD_UNTHROTTLE);
	if (strcmp(key, "resolved") == 0)
		return read_resolved(r, array);
	return bad(r, "neither a sample nor an end line");
}

static int read_members(const struct reader *r, const char *key, struct json_object *of)
{
	if (strcmp(key, "object") == 0)
		return read_object(r, of);
	if (strcmp(key, "spot") == 0)
		return read_location(r, of);
	if (strcmp(key, "function") == 0)
		return read_function(r, of);
	if (strcmp(key, "samples") == 0)
		return read_head(r, of);
	if (strcmp(key, "end") == 0)
		return td_recording_read_end(r->rec, of, r->err);
	return bad(r, "neither a sample nor an end line");
}

static int read_value(const struct reader *r, const char *key, struct json_object *value)
{
	if (json_object_is_type(value, json_type_array))
		return read_array(r, key, value);
	if (json_object_is_type(value, json_type_object))
		return read_members(r, key, value);
	if (strcmp(key, "file") != 0 || !json_object_is_type(value, json_type_string))
		return bad(r, "neither a sample nor an end line");
	td_locations_add_file(&r->samples->locations, json_object_get_string(value));
	return 0;
}

static int read_only_member(const struct reader *r, struct json_object *line)
{
	struct json_object_iterator it = json_object_iter_begin(line);

	if (!r->samples->any && !json_object_object_get_ex(line, "samples", NULL))
		return bad(
			r,
			"has no samples: tdstat report shows it if neither --locate nor --profile "
			"is given");
	if (json_object_object_length(line) != 1)
		return bad(r, "not an object of one member");
	return read_value(r, json_object_iter_peek_name(&it), json_object_iter_peek_value(&it));
}

static int read_line(const struct reader *r)
{
	struct json_object *line;
	int rc = td_recording_next_line(r->rec, &line, r->err);

	if (rc)
		return rc;
	rc = read_only_member(r, line);
	json_object_put(line);
	return rc;
}

int td_samples_read(struct td_samples *samples, struct td_recording *rec, td_take_sample *take,
		    void *ctx, struct td_err *err)
{
	const struct reader r = { samples, rec, take, ctx, err };
	int rc = 0;

	*samples = (struct td_samples){ 0 };
	while (!rc)
		rc = read_line(&r);
	if (rc < 0)
		return rc;
	if (!samples->any)
		return bad(&r, "has no samples");
	/* a recording that was cut off has no functions */
	td_locations_add_nameless(&samples->locations);
	return 0;
}

void td_samples_free(struct td_samples *samples)
{
	td_locations_free(&samples->locations);
	*samples = (struct td_samples){ 0 };
}
