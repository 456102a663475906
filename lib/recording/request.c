// SPDX-License-Identifier: GPL-2.0-only
/* Writes and reads the identity of a recording, and the request, which reports use by default. */
#include "lib/recording/parts.h"

#include <limits.h>

#include "lib/base/json.h"

/* --- members that are both written and read ------------------------------- */

#define MAX_LEVEL 9

enum kind {
	FLAG,   /* bool, written if true */
	NUMBER, /* int from min to max, or unsigned int if min >= 0 */
	WORD,   /* uint64_t up to INT64_MAX */
	TEXT,
	NAMES,
	LABELS, /* an object of texts */
	AGGREGATION,
};

struct member {
	const char *key;
	enum kind kind;
	size_t offset;    /* offset of the member in the struct */
	size_t nr;        /* NAMES: offset of the number of names */
	int64_t min, max; /* NUMBER */
	bool always;      /* write it even if its value equals none */
	int none;         /* NUMBER, WORD: the default, which is not written */
};

#define AT(member) offsetof(struct td_event, member)

/* clang-format off */
static const struct member of_event[] = {
	{ "type", NUMBER, AT(type), .max = UINT32_MAX, .always = true },
	{ "config", WORD, AT(config[0]), .always = true },
	{ "spec", NUMBER, AT(spec), .min = -1, .max = INT_MAX, .always = true },
	{ "braces", NUMBER, AT(group), .min = -1, .max = INT_MAX, .none = -1 },
	{ "tool", NUMBER, AT(tool), .max = TD_TOOL_SYSTEM_TIME },
	{ "unit", TEXT, AT(unit) },
	{ "refused", TEXT, AT(refusal) },
	{ "hidden", FLAG, AT(hidden) },
	{ "merge", FLAG, AT(merge) },
	{ "user", FLAG, AT(mods.user) },
	{ "kernel", FLAG, AT(mods.kernel) },
	{ "hypervisor", FLAG, AT(mods.hypervisor) },
	{ "guest", FLAG, AT(mods.guest) },
	{ "host", FLAG, AT(mods.host) },
	{ "non_idle", FLAG, AT(mods.non_idle) },
};

#undef AT
#define AT(member) offsetof(struct td_recording_info, member)

static const struct member of_info[] = {
	{ "version", TEXT, AT(identity.version) },
	{ "host", TEXT, AT(identity.host) },
	{ "kernel", TEXT, AT(identity.kernel) },
	{ "command", TEXT, AT(identity.command) },
	{ "labels", LABELS, AT(identity) },
	{ "level", NUMBER, AT(ask.level), .min = 1, .max = MAX_LEVEL },
	{ "drill", FLAG, AT(ask.drill) },
	{ "only_level", NUMBER, AT(ask.only_level), .min = 1, .max = MAX_LEVEL },
	{ "metrics", NAMES, AT(ask.names), .nr = AT(ask.nr_names) },
	{ "bottlenecks", FLAG, AT(ask.bottlenecks) },
	{ "energy", FLAG, AT(ask.energy) },
	{ "aggregation", AGGREGATION, AT(how) },
	{ "cache_level", NUMBER, AT(cache_level), .min = 1, .max = TD_MAX_CACHE },
	{ "cgroups", NAMES, AT(cgroups), .nr = AT(nr_cgroups) },
	{ "containers", NAMES, AT(containers), .nr = AT(nr_containers) },
};
/* clang-format on */

/* --- writing ---------------------------------------------------------------- */

static struct json_object *name_array(char *const *names, size_t nr)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < nr; i++)
		td_json_append(array, json_object_new_string(names[i] ? names[i] : ""));
	return array;
}

static struct json_object *number_value(const struct member *m, const void *at)
{
	int64_t number = m->min < 0 ? *(const int *)at : (int64_t)(*(const unsigned int *)at);

	return m->always || number != m->none ? json_object_new_int64(number) : NULL;
}

/* Return the value of a member of the struct at base, or NULL to leave it out. */
static struct json_object *make_value(const struct member *m, const char *base)
{
	const void *at = base + m->offset;
	const char *text;
	size_t nr;

	switch (m->kind) {
	case FLAG:
		return *(const bool *)at ? json_object_new_boolean(true) : NULL;
	case NUMBER:
		return number_value(m, at);
	case WORD:
		return json_object_new_uint64(*(const uint64_t *)at);
	case TEXT:
		text = *(const char *const *)at;
		return text ? json_object_new_string(text) : NULL;
	case LABELS:
		return ((const struct td_identity *)at)->nr_labels ? td_identity_labels(at) : NULL;
	case NAMES:
		nr = *(const size_t *)(const void *)(base + m->nr);
		return nr ? name_array(*(char *const *const *)at, nr) : NULL;
	case AGGREGATION:
		text = td_aggregation_row(*(const enum td_aggregation *)at)->name;
		return *(const enum td_aggregation *)at != TD_AGGREGATE_ALL
			       ? json_object_new_string(text)
			       : NULL;
	}
	return NULL;
}

static void put(struct json_object *object, const struct member *members, size_t nr,
		const void *base)
{
	for (size_t i = 0; i < nr; i++) {
		struct json_object *value = make_value(&members[i], base);

		if (value)
			td_json_add(object, members[i].key, value);
	}
}

void td_typed_put(struct json_object *object, const struct td_event *event)
{
	put(object, of_event, TD_ARRAY_SIZE(of_event), event);
}

void td_recording_put_request(struct json_object *head, const struct td_recording_info *info)
{
	put(head, of_info, TD_ARRAY_SIZE(of_info), info);
}

/* --- reading: the functions return NULL, or the end of an error message ----- */

static const char *read_number(const struct member *m, struct json_object *value, void *at)
{
	int64_t number;

	if (!td_json_integer(value, m->min, m->max, &number))
		return ": not a number from";
	*(unsigned int *)at = (unsigned int)number;
	return NULL;
}

static const char *read_word(struct json_object *value, uint64_t *word)
{
	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
		return " has the wrong type";
	*word = json_object_get_uint64(value);
	return NULL;
}

static const char *read_text(struct json_object *value, char **text)
{
	if (!json_object_is_type(value, json_type_string))
		return " has the wrong type";
	td_text_join(text, json_object_get_string(value), "", "");
	return NULL;
}

static const char *read_names(struct json_object *array, char ***names, size_t *nr_names)
{
	if (!json_object_is_type(array, json_type_array))
		return ": not a list";
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct json_object *name = json_object_array_get_idx(array, i);
		char *copy;

		if (!json_object_is_type(name, json_type_string))
			return ": not a list of names";
		copy = td_strdup(json_object_get_string(name));
		td_array_push(names, nr_names, &copy, sizeof(copy));
	}
	return NULL;
}

static const char *read_labels(struct json_object *labels, struct td_identity *identity)
{
	if (!json_object_is_type(labels, json_type_object))
		return ": not an object of texts";
	json_object_object_foreach(labels, name, value)
	{
		td_autofree char *label = NULL;

		if (!*name || strchr(name, '=') || !json_object_is_type(value, json_type_string))
			return ": not an object of texts";
		label = td_aprintf("%s=%s", name, json_object_get_string(value));
		td_identity_label(identity, label);
	}
	return NULL;
}

static const char *read_value(const struct member *m, struct json_object *value, char *base)
{
	void *at = base + m->offset;

	switch (m->kind) {
	case FLAG:
		*(bool *)at = json_object_get_boolean(value);
		return json_object_is_type(value, json_type_boolean) ? NULL : " has the wrong type";
	case NUMBER:
		return read_number(m, value, at);
	case WORD:
		return read_word(value, at);
	case TEXT:
		return read_text(value, at);
	case LABELS:
		return read_labels(value, at);
	case NAMES:
		return read_names(value, at, (size_t *)(void *)(base + m->nr));
	case AGGREGATION:
		return json_object_is_type(value, json_type_string) &&
				       td_aggregation_find(json_object_get_string(value), at)
			       ? NULL
			       : ": unknown";
	}
	return NULL;
}

int td_typed_get(struct json_object *object, struct td_event *event)
{
	struct json_object *value;

	for (size_t i = 0; i < TD_ARRAY_SIZE(of_event); i++) {
		if (json_object_object_get_ex(object, of_event[i].key, &value) &&
		    read_value(&of_event[i], value, (char *)event))
			return -EINVAL;
	}
	return 0;
}

int td_recording_parse_request(struct td_recording *rec, struct json_object *head,
			       struct td_err *err)
{
	td_for_each(const struct member, m, of_info, TD_ARRAY_SIZE(of_info)) {
		struct json_object *value;
		const char *wrong = json_object_object_get_ex(head, m->key, &value)
					    ? read_value(m, value, (char *)&rec->info)
					    : NULL;

		if (wrong && m->kind == NUMBER)
			return td_err_set(err, -EINVAL, "%s:%zu: \"%s\"%s %d to %d", rec->path,
					  rec->line, m->key, wrong, (int)m->min, (int)m->max);
		if (wrong)
			return td_err_set(err, -EINVAL, "%s:%zu: \"%s\"%s", rec->path, rec->line,
					  m->key, wrong);
	}
	return 0;
}
