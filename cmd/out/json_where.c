// SPDX-License-Identifier: GPL-2.0-only
/* JSON Lines: an object for each function in which an event was sampled. */
#include <json-c/json.h>

#include "cmd/out/out.h"
#include "cmd/out/where.h"
#include "lib/base/json_put.h"
#include "lib/base/util.h"

static void put_text(struct json_object *o, const char *key, const char *text)
{
	td_json_add(o, key, text ? json_object_new_string(text) : NULL);
}

static void put_share(struct json_object *o, const struct td_share *share)
{
	td_json_add(o, "share", td_out_json_percent(share->percent));
	td_json_add(o, "error", td_out_json_percent(share->error));
	td_json_put_int(o, "samples", (int64_t)share->samples);
}

static void put_function(struct json_object *o, const struct td_spots *spots,
			 int function)
{
	const struct td_function *f = &spots->functions[function];
	char buf[32];

	put_text(o, "function", f->name);
	put_text(o, "object", spots->objects[f->object].path);
	put_text(o, "address", td_where_address(buf, f->address));
}

static struct json_object *lines_of(const struct td_spots *spots,
				    const struct td_details *lines)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < lines->nr; i++) {
		const struct td_detail *line = &lines->v[i];
		struct json_object *o = json_object_new_object();

		put_share(o, &line->share);
		put_text(o, "file",
			 line->file < 0 ? NULL : spots->files[line->file]);
		td_json_add(o, "line",
			    line->file < 0 ? NULL
					   : json_object_new_int(line->line));
		td_json_append(list, o);
	}
	return list;
}

static struct json_object *callers_of(const struct td_spots *spots,
				      const struct td_details *callers)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < callers->nr; i++) {
		const struct td_detail *caller = &callers->v[i];
		struct json_object *o = json_object_new_object();

		put_share(o, &caller->share);
		if (caller->function < 0)
			put_text(o, "function", NULL);
		else
			put_function(o, spots, caller->function);
		td_json_append(list, o);
	}
	return list;
}

static void put_location(struct td_writer *writer, const struct td_where *where,
			 const struct td_where_event *event,
			 const struct td_location *location)
{
	struct json_object *o = td_json_line();

	put_text(o, "pmu", event->pmu);
	put_text(o, "event", event->name);
	put_text(o, "node", where->node);
	put_share(o, &location->share);
	put_function(o, where->spots, location->function);
	if (where->lines)
		td_json_add(o, "lines",
			    lines_of(where->spots, &location->lines));
	if (where->callers)
		td_json_add(o, "callers",
			    callers_of(where->spots, &location->callers));
	td_out_json_line(writer, o);
}

void td_out_json_where(struct td_writer *writer, const struct td_where *where)
{
	for (size_t i = 0; i < where->nr; i++) {
		const struct td_where_event *event = &where->events[i];

		for (size_t j = 0; j < event->locations.nr; j++)
			put_location(writer, where, event,
				     &event->locations.v[j]);
	}
}
