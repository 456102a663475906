// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>

#include "lib/base/json.h"
#include "lib/sample/samples.h"

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

/* --- objects and spots ------------------------------------------------------ */

static void write_object(FILE *fp, const struct td_object *object)
{
	struct json_object *line = td_json_line();
	struct json_object *of = json_object_new_object();
	char hex[TD_BUILD_ID_TEXT];

	td_build_id_text(hex, &object->build_id);
	td_json_put_string(of, "kind", td_object_kind_name(object->kind));
	td_json_put_string(of, "path", object->path);
	td_json_put_int(of, "pid", object->pid);
	if (hex[0])
		td_json_put_string(of, "build_id", hex);
	td_json_add(line, "object", of);
	td_json_put_line(fp, line);
}

static void write_spot(FILE *fp, const struct td_spot *spot)
{
	struct json_object *line = td_json_line();
	struct json_object *of = json_object_new_object();

	td_json_put_int(of, "object", spot->object);
	put_address(of, spot->address);
	td_json_add(line, "spot", of);
	td_json_put_line(fp, line);
}

static void write_call(FILE *fp, const struct td_call *call)
{
	fprintf(fp, "{\"call\":[%d,%d]}\n", call->spot, call->caller);
}

static void write_new(struct td_samples_writer *writer, const struct td_spots *spots)
{
	while (writer->nr_objects < spots->nr_objects)
		write_object(writer->fp, &spots->objects[writer->nr_objects++]);
	while (writer->nr_spots < spots->nr)
		write_spot(writer->fp, &spots->v[writer->nr_spots++]);
	while (writer->nr_calls < spots->nr_calls)
		write_call(writer->fp, &spots->calls[writer->nr_calls++]);
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

/* Writes values in the order of the first line's events, from which readers take the group. */
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
			 int event, int spot, int caller)
{
	FILE *fp = writer->fp;

	fprintf(fp, "{\"s\":[%" PRIu64 ",%d,%d,%d,%d,%" PRIu64 ",%d,%d", r->time_ns, r->cpu, r->pid,
		r->tid, event, r->period, spot, caller);
	write_values(writer, r, event);
	fputs("]}\n", fp);
}

/* Does not use objects of json-c, because there are thousands of lines per second. */
void td_samples_write(struct td_samples_writer *writer, const struct td_spots *spots,
		      const struct td_record *r, int event, int spot, int caller)
{
	FILE *fp = writer->fp;

	if (!fp)
		return;
	write_new(writer, spots);
	if (r->kind == TD_RECORD_SAMPLE)
		write_sample(writer, r, event, spot, caller);
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

static void write_function(FILE *fp, const struct td_function *function)
{
	struct json_object *line = td_json_line();
	struct json_object *of = json_object_new_object();

	td_json_put_int(of, "object", function->object);
	put_address(of, function->address);
	put_text(of, "name", function->name);
	td_json_add(line, "function", of);
	td_json_put_line(fp, line);
}

static void write_file(FILE *fp, const char *file)
{
	struct json_object *line = td_json_line();

	td_json_put_string(line, "file", file);
	td_json_put_line(fp, line);
}

void td_samples_write_functions(struct td_samples_writer *writer, const struct td_spots *spots)
{
	FILE *fp = writer->fp;

	if (fp)
		write_new(writer, spots);
	if (!fp)
		return;
	for (size_t i = 0; i < spots->nr_functions; i++)
		write_function(fp, &spots->functions[i]);
	for (size_t i = 0; i < spots->nr_files; i++)
		write_file(fp, spots->files[i]);
	for (size_t i = 0; i < spots->nr; i++)
		fprintf(fp, "{\"resolved\":[%zu,%d,%d,%d]}\n", i, spots->v[i].function,
			spots->v[i].file, spots->v[i].line);
}
