// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <json-c/json.h>

#include "lib/base/json_put.h"
#include "lib/sample/samples.h"

static void put_text(struct json_object *o, const char *key, const char *text)
{
	if (text)
		td_json_put_string(o, key, text);
	else
		td_json_add(o, key, NULL);
}

/* Numbers above INT64_MAX are not what every reader of JSON knows. */
static void put_address(struct json_object *o, uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	td_json_put_string(o, "address", text);
}

void td_samples_write_head(struct td_samples_writer *writer, const char *node,
			   uint64_t longest_ns)
{
	struct json_object *line = json_object_new_object();
	struct json_object *of = json_object_new_object();

	if (writer->fp) {
		put_text(of, "node", node);
		if (longest_ns)
			td_json_put_seconds(of, "longest_window", longest_ns);
		td_json_add(line, "samples", of);
		td_json_put_line(writer->fp, line);
		return;
	}
	json_object_put(of);
	json_object_put(line);
}

/* --- objects and spots ------------------------------------------------------ */

static void put_line(FILE *fp, const char *key, struct json_object *of)
{
	struct json_object *line = json_object_new_object();

	td_json_add(line, key, of);
	td_json_put_line(fp, line);
}

static void write_object(FILE *fp, const struct td_object *object)
{
	struct json_object *of = json_object_new_object();
	char hex[2 * TD_BUILD_ID_SIZE + 1] = "";

	for (size_t i = 0; i < object->build_id.size; i++)
		snprintf(hex + 2 * i, 3, "%02x", object->build_id.v[i]);
	td_json_put_string(of, "kind", td_object_kind_name(object->kind));
	td_json_put_string(of, "path", object->path);
	td_json_put_int(of, "pid", object->pid);
	if (hex[0])
		td_json_put_string(of, "build_id", hex);
	put_line(fp, "object", of);
}

static void write_spot(FILE *fp, const struct td_spot *spot)
{
	struct json_object *of = json_object_new_object();

	td_json_put_int(of, "object", spot->object);
	put_address(of, spot->address);
	put_line(fp, "spot", of);
}

static void write_new(struct td_samples_writer *writer,
		      const struct td_spots *spots)
{
	while (writer->nr_objects < spots->nr_objects)
		write_object(writer->fp, &spots->objects[writer->nr_objects++]);
	while (writer->nr_spots < spots->nr)
		write_spot(writer->fp, &spots->v[writer->nr_spots++]);
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

/* In the order of the events in the first line, as a group is read from there. */
static void write_values(const struct td_samples_writer *writer,
			 const struct td_record *r, int event)
{
	const struct td_group *group = group_of(writer->plan, event);

	if (!group || r->nr_values != group->nr)
		return;
	for (size_t e = 0; e < writer->plan->events.nr; e++) {
		for (size_t i = 0; i < group->nr; i++) {
			if (group->members[i] == (int)e)
				fprintf(writer->fp, ",%" PRIu64,
					r->values[2 * i]);
		}
	}
}

static void write_sample(const struct td_samples_writer *writer,
			 const struct td_record *r, int event, int spot,
			 int caller)
{
	FILE *fp = writer->fp;

	fprintf(fp, "{\"s\":[%" PRIu64 ",%d,%d,%d,%d,%" PRIu64 ",%d,%d",
		r->time_ns, r->cpu, r->pid, r->tid, event, r->period, spot,
		caller);
	write_values(writer, r, event);
	fputs("]}\n", fp);
}

/* At some thousand lines a second, without objects of json-c. */
void td_samples_write(struct td_samples_writer *writer,
		      const struct td_spots *spots, const struct td_record *r,
		      int event, int spot, int caller)
{
	FILE *fp = writer->fp;

	if (!fp)
		return;
	write_new(writer, spots);
	if (r->kind == TD_RECORD_SAMPLE)
		write_sample(writer, r, event, spot, caller);
	else if (r->kind == TD_RECORD_SWITCH)
		fprintf(fp, "{\"switch\":[%" PRIu64 ",%d,%d]}\n", r->time_ns,
			r->cpu, r->tid);
	else if (r->kind == TD_RECORD_LOST)
		fprintf(fp, "{\"lost\":[%" PRIu64 ",%d,%" PRIu64 "]}\n",
			r->time_ns, r->cpu, r->lost);
	else if (r->kind == TD_RECORD_THROTTLE)
		fprintf(fp, "{\"throttled\":[%" PRIu64 ",%d]}\n", r->time_ns,
			r->cpu);
}

/* --- functions -------------------------------------------------------------- */

void td_samples_write_functions(struct td_samples_writer *writer,
				const struct td_spots *spots)
{
	FILE *fp = writer->fp;

	if (!fp)
		return;
	write_new(writer, spots);
	for (size_t i = 0; i < spots->nr_functions; i++) {
		const struct td_function *f = &spots->functions[i];
		struct json_object *of = json_object_new_object();

		td_json_put_int(of, "object", f->object);
		put_address(of, f->address);
		put_text(of, "name", f->name);
		put_line(fp, "function", of);
	}
	for (size_t i = 0; i < spots->nr_files; i++)
		put_line(fp, "file", json_object_new_string(spots->files[i]));
	for (size_t i = 0; i < spots->nr; i++)
		fprintf(fp, "{\"resolved\":[%zu,%d,%d,%d]}\n", i,
			spots->v[i].function, spots->v[i].file,
			spots->v[i].line);
}
