// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the run was asked for, which a report shows by default, and whose it
 * was.
 */
#include "lib/recording/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/util.h"

/* --- events as they were typed -------------------------------------------- */

static void put_text(struct json_object *to, const char *key, const char *text)
{
	if (text)
		td_json_add(to, key, json_object_new_string(text));
}

static void put_flag(struct json_object *to, const char *key, bool flag)
{
	if (flag)
		td_json_add(to, key, json_object_new_boolean(true));
}

void td_typed_put(struct json_object *object, const struct td_event *event)
{
	td_json_add(object, "type", json_object_new_int64(event->type));
	td_json_add(object, "config", json_object_new_uint64(event->config[0]));
	td_json_add(object, "spec", json_object_new_int(event->spec));
	if (event->group >= 0)
		td_json_add(object, "braces",
			    json_object_new_int(event->group));
	if (event->tool)
		td_json_add(object, "tool",
			    json_object_new_int((int)event->tool));
	put_text(object, "unit", event->unit);
	put_text(object, "refused", event->refusal);
	put_flag(object, "hidden", event->hidden);
	put_flag(object, "merge", event->merge);
	put_flag(object, "user", event->mods.user);
	put_flag(object, "kernel", event->mods.kernel);
	put_flag(object, "hypervisor", event->mods.hypervisor);
	put_flag(object, "guest", event->mods.guest);
	put_flag(object, "host", event->mods.host);
	put_flag(object, "non_idle", event->mods.non_idle);
}

/* Returns -EINVAL if the value is no text; without the key, *out is unchanged. */
static int get_text(struct json_object *from, const char *key, char **out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value))
		return 0;
	if (!json_object_is_type(value, json_type_string))
		return -EINVAL;
	*out = strdup(json_object_get_string(value));
	return *out ? 0 : -ENOMEM;
}

static bool get_flag(struct json_object *from, const char *key, bool *out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value))
		return true;
	*out = json_object_get_boolean(value);
	return json_object_is_type(value, json_type_boolean);
}

static bool get_int(struct json_object *from, const char *key, int64_t min,
		    int64_t max, int64_t *out)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value))
		return true;
	return td_json_whole(value, min, max, out);
}

int td_typed_get(struct json_object *object, struct td_event *event)
{
	int64_t type = event->type, spec = -1, braces = -1, tool = TD_TOOL_NONE;
	struct json_object *config;
	int rc = get_text(object, "unit", &event->unit);

	if (!rc)
		rc = get_text(object, "refused", &event->refusal);
	if (rc)
		return rc;
	if (json_object_object_get_ex(object, "config", &config)) {
		if (!json_object_is_type(config, json_type_int) ||
		    json_object_get_int64(config) < 0)
			return -EINVAL;
		event->config[0] = json_object_get_uint64(config);
	}
	if (!get_int(object, "type", 0, UINT32_MAX, &type) ||
	    !get_int(object, "spec", -1, INT_MAX, &spec) ||
	    !get_int(object, "braces", -1, INT_MAX, &braces) ||
	    !get_int(object, "tool", 0, TD_TOOL_SYSTEM_TIME, &tool) ||
	    !get_flag(object, "hidden", &event->hidden) ||
	    !get_flag(object, "merge", &event->merge) ||
	    !get_flag(object, "user", &event->mods.user) ||
	    !get_flag(object, "kernel", &event->mods.kernel) ||
	    !get_flag(object, "hypervisor", &event->mods.hypervisor) ||
	    !get_flag(object, "guest", &event->mods.guest) ||
	    !get_flag(object, "host", &event->mods.host) ||
	    !get_flag(object, "non_idle", &event->mods.non_idle))
		return -EINVAL;
	event->type = (uint32_t)type;
	event->spec = (int)spec;
	event->group = (int)braces;
	event->tool = (enum td_tool)tool;
	return 0;
}

/* --- the request ---------------------------------------------------------- */

#define MAX_LEVEL 9

enum kind {
	FLAG,
	NUMBER, /* from 1 to max */
	TEXT,
	NAMES,
	LABELS, /* an object of texts */
	AGGREGATION,
};

/* A member of the first line, which is there only if it says something. */
struct row {
	const char *key;
	enum kind kind;
	size_t offset; /* in struct td_recording_info */
	size_t nr;     /* offset of the number of names */
	int max;
};

#define AT(member) offsetof(struct td_recording_info, member)

/* clang-format off */
static const struct row rows[] = {
	{ "version", TEXT, AT(identity.version) },
	{ "host", TEXT, AT(identity.host) },
	{ "kernel", TEXT, AT(identity.kernel) },
	{ "command", TEXT, AT(identity.command) },
	{ "labels", LABELS, AT(identity) },
	{ "level", NUMBER, AT(ask.level), .max = MAX_LEVEL },
	{ "drill", FLAG, AT(ask.drill) },
	{ "only_level", NUMBER, AT(ask.only_level), .max = MAX_LEVEL },
	{ "metrics", NAMES, AT(ask.names), .nr = AT(ask.nr_names) },
	{ "bottlenecks", FLAG, AT(ask.bottlenecks) },
	{ "energy", FLAG, AT(ask.energy) },
	{ "aggregation", AGGREGATION, AT(how) },
	{ "cache_level", NUMBER, AT(cache_level), .max = TD_MAX_CACHE },
	{ "cgroups", NAMES, AT(cgroups), .nr = AT(nr_cgroups) },
	{ "containers", NAMES, AT(containers), .nr = AT(nr_containers) },
};
/* clang-format on */

/* "what" stands for what the value should be. */
static int refuse(const struct td_recording *rec, const struct row *row,
		  const char *what, struct td_err *err)
{
	return td_err_set(err, -EINVAL, "%s:%zu: \"%s\"%s", rec->path,
			  rec->line, row->key, what);
}

static int read_names(const struct td_recording *rec, const struct row *row,
		      struct json_object *value, char ***names,
		      size_t *nr_names, struct td_err *err)
{
	if (!json_object_is_type(value, json_type_array))
		return refuse(rec, row, ": not a list", err);
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		struct json_object *name = json_object_array_get_idx(value, i);
		char **place = td_array_add(names, *nr_names, sizeof(*place));

		if (!place)
			return td_err_nomem(err);
		if (!json_object_is_type(name, json_type_string))
			return refuse(rec, row, ": not a list of names", err);
		*place = strdup(json_object_get_string(name));
		if (!*place)
			return td_err_nomem(err);
		(*nr_names)++;
	}
	return 0;
}

static int read_number(const struct td_recording *rec, const struct row *row,
		       struct json_object *value, int *out, struct td_err *err)
{
	int64_t number;

	if (!td_json_whole(value, 1, row->max, &number))
		return td_err_set(err, -EINVAL,
				  "%s:%zu: \"%s\": not a number from 1 to %d",
				  rec->path, rec->line, row->key, row->max);
	*out = (int)number;
	return 0;
}

static int read_text(const struct td_recording *rec, const struct row *row,
		     struct json_object *value, char **out, struct td_err *err)
{
	if (!json_object_is_type(value, json_type_string))
		return refuse(rec, row, " has the wrong type", err);
	return td_text_join(out, json_object_get_string(value), "", "")
		       ? td_err_nomem(err)
		       : 0;
}

static int read_label(struct td_identity *identity, const char *name,
		      struct json_object *value, struct td_err *err)
{
	td_autofree char *label = NULL;

	if (asprintf(&label, "%s=%s", name, json_object_get_string(value)) < 0)
		label = NULL;
	return label && !td_identity_label(identity, label) ? 0
							    : td_err_nomem(err);
}

static int read_labels(const struct td_recording *rec, const struct row *row,
		       struct json_object *labels, struct td_identity *identity,
		       struct td_err *err)
{
	int rc = 0;

	if (!json_object_is_type(labels, json_type_object))
		return refuse(rec, row, ": not an object of texts", err);
	json_object_object_foreach(labels, name, value)
	{
		if (!*name || strchr(name, '=') ||
		    !json_object_is_type(value, json_type_string))
			return refuse(rec, row, ": not an object of texts",
				      err);
		if (!rc)
			rc = read_label(identity, name, value, err);
	}
	return rc;
}

static int read_value(struct td_recording *rec, const struct row *row,
		      struct json_object *value, struct td_err *err)
{
	char *info = (char *)&rec->info;
	void *at = info + row->offset;

	switch (row->kind) {
	case FLAG:
		*(bool *)at = json_object_get_boolean(value);
		return json_object_is_type(value, json_type_boolean)
			       ? 0
			       : refuse(rec, row, " has the wrong type", err);
	case NUMBER:
		return read_number(rec, row, value, at, err);
	case TEXT:
		return read_text(rec, row, value, at, err);
	case LABELS:
		return read_labels(rec, row, value, at, err);
	case NAMES:
		return read_names(rec, row, value, at,
				  (size_t *)(void *)(info + row->nr), err);
	case AGGREGATION:
		return json_object_is_type(value, json_type_string) &&
				       td_aggregation_find(
					       json_object_get_string(value),
					       at)
			       ? 0
			       : refuse(rec, row, ": unknown", err);
	}
	return 0;
}

int td_recording_parse_request(struct td_recording *rec,
			       struct json_object *head, struct td_err *err)
{
	struct json_object *value;
	int rc = 0;

	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(rows); i++) {
		if (json_object_object_get_ex(head, rows[i].key, &value))
			rc = read_value(rec, &rows[i], value, err);
	}
	return rc;
}

static struct json_object *name_array(char *const *names, size_t nr)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < nr; i++)
		td_json_append(array, json_object_new_string(names[i] ? names[i]
								      : ""));
	return array;
}

static void put_labels(struct json_object *head, const struct row *row,
		       const struct td_identity *identity)
{
	if (identity->nr_labels)
		td_json_add(head, row->key, td_identity_labels(identity));
}

static void put_value(struct json_object *head, const struct row *row,
		      const struct td_recording_info *info)
{
	const char *from = (const char *)info;
	const void *at = from + row->offset;
	size_t nr =
		row->nr ? *(const size_t *)(const void *)(from + row->nr) : 0;

	switch (row->kind) {
	case FLAG:
		if (*(const bool *)at)
			td_json_add(head, row->key,
				    json_object_new_boolean(true));
		break;
	case NUMBER:
		if (*(const int *)at)
			td_json_put_int(head, row->key, *(const int *)at);
		break;
	case TEXT:
		if (*(const char *const *)at)
			td_json_put_string(head, row->key,
					   *(const char *const *)at);
		break;
	case LABELS:
		put_labels(head, row, at);
		break;
	case NAMES:
		if (nr)
			td_json_add(head, row->key,
				    name_array(*(char *const *const *)at, nr));
		break;
	case AGGREGATION:
		if (info->how != TD_AGGREGATE_ALL)
			td_json_put_string(head, row->key,
					   td_aggregation_row(info->how)->name);
	}
}

void td_recording_put_request(struct json_object *head,
			      const struct td_recording_info *info)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		put_value(head, &rows[i], info);
}
