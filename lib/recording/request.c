// SPDX-License-Identifier: GPL-2.0-only
/* Reads what the run was asked for, which a report shows by default. */
#include "lib/recording/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_member.h"
#include "lib/base/util.h"

#define MAX_LEVEL 9

/* Reads head[key], an array of names, if it exists. */
static int read_names(const struct td_recording *rec, struct json_object *head,
		      const char *key, char ***names, size_t *nr_names,
		      struct td_err *err)
{
	struct json_object *array = td_json_member(head, key, json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;

	if (!array && json_object_object_get_ex(head, key, NULL))
		return td_err_set(err, -EINVAL, "%s:%zu: \"%s\": not a list",
				  rec->path, rec->line, key);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *name = json_object_array_get_idx(array, i);
		char **place = td_array_add(names, *nr_names, sizeof(*place));

		if (!place)
			return td_err_nomem(err);
		if (!json_object_is_type(name, json_type_string))
			return td_err_set(err, -EINVAL,
					  "%s:%zu: \"%s\": not a list of "
					  "names",
					  rec->path, rec->line, key);
		*place = strdup(json_object_get_string(name));
		if (!*place)
			return td_err_nomem(err);
		(*nr_names)++;
	}
	return 0;
}

/* Reads head[key], a number from 1 to max, if it exists. */
static int read_number(const struct td_recording *rec, struct json_object *head,
		       const char *key, int max, int *out, struct td_err *err)
{
	int64_t value;

	if (!json_object_object_get_ex(head, key, NULL))
		return 0;
	if (!td_json_int(head, key, 1, max, &value))
		return td_err_set(err, -EINVAL,
				  "%s:%zu: \"%s\": not a number from 1 to %d",
				  rec->path, rec->line, key, max);
	*out = (int)value;
	return 0;
}

static int read_aggregation(struct td_recording *rec, struct json_object *head,
			    struct td_err *err)
{
	const char *name = td_json_string(head, "aggregation");

	if (!json_object_object_get_ex(head, "aggregation", NULL) ||
	    (name && td_aggregation_find(name, &rec->info.how)))
		return read_number(rec, head, "cache_level", TD_MAX_CACHE,
				   &rec->info.cache_level, err);
	return td_recording_bad(rec, err, "\"aggregation\": unknown");
}

int td_recording_parse_request(struct td_recording *rec,
			       struct json_object *head, struct td_err *err)
{
	struct td_recording_info *info = &rec->info;
	int rc = read_number(rec, head, "level", MAX_LEVEL, &info->level, err);

	if (!rc)
		rc = read_number(rec, head, "only_level", MAX_LEVEL,
				 &info->only_level, err);
	if (!rc)
		rc = read_names(rec, head, "metrics", &info->metrics,
				&info->nr_metrics, err);
	if (!rc)
		rc = read_names(rec, head, "cgroups", &info->cgroups,
				&info->nr_cgroups, err);
	return rc ? rc : read_aggregation(rec, head, err);
}
