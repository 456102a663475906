// SPDX-License-Identifier: GPL-2.0-only
/* Where the CPUs of a recording are. */
#include "lib/recording/places.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "lib/recording/fill.h"
#include "lib/recording/typed.h"

static const struct td_json_optional of_place[] = {
	{ "caches", json_type_array },
	{ NULL },
};

/* Reads "caches", the ids of levels 1, 2 ...; older recordings lack it. */
static int read_caches(struct td_recording *rec, struct json_object *object,
		       struct td_place *place, struct td_err *err)
{
	struct json_object *array =
		td_json_member(object, "caches", json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;

	for (size_t i = 0; i < nr; i++) {
		int64_t id;

		if (i == TD_MAX_CACHE ||
		    !td_json_whole(json_object_array_get_idx(array, i), -1,
				   TD_MAX_CPU, &id))
			return td_recording_bad(rec, err,
						"\"caches\": not a list of "
						"up to four numbers");
		place->cache[i] = (int)id;
	}
	return 0;
}

/* Reads the place of a CPU; unknown ids are -1. */
static int read_place(struct td_recording *rec, struct json_object *object,
		      struct td_err *err)
{
	struct td_place place = { .cache = { -1, -1, -1, -1 } };
	const struct {
		const char *key;
		int *to;
	} members[] = {
		{ "cpu", &place.cpu },         { "core", &place.core },
		{ "cluster", &place.cluster }, { "die", &place.die },
		{ "socket", &place.socket },   { "node", &place.node },
	};
	int rc;

	for (size_t i = 0; i < TD_ARRAY_SIZE(members); i++) {
		int64_t n;

		if (!td_json_int(object, members[i].key, i ? -1 : 0,
				 i ? INT_MAX : TD_MAX_CPU, &n))
			return td_recording_bad(rec, err,
						"\"topology\": needs cpu, "
						"core, cluster, die, socket "
						"and node");
		*members[i].to = (int)n;
	}
	if (td_recording_check_types(rec, object, of_place, err))
		return err->code;
	rc = td_recording_add_place(rec, &place);
	if (rc == -EINVAL)
		return td_recording_bad(rec, err,
					"\"topology\": CPUs are not in order");
	if (rc)
		return td_err_nomem(err);
	return read_caches(rec, object,
			   &rec->places[rec->machine.online.nr - 1], err);
}

int td_recording_read_places(struct td_recording *rec, struct json_object *head,
			     struct td_err *err)
{
	struct json_object *array =
		td_json_member(head, "topology", json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++)
		rc = read_place(rec, json_object_array_get_idx(array, i), err);
	return rc;
}

int td_recording_read_topology(struct td_recording *rec,
			       struct json_object *line, struct td_err *err)
{
	size_t nr = rec->machine.online.nr;
	int rc;

	free(rec->places);
	rec->places = NULL;
	td_ints_free(&rec->machine.online);
	rc = td_recording_read_places(rec, line, err);
	if (!rc && rec->machine.online.nr <= nr)
		rc = td_recording_bad(rec, err,
				      "\"topology\": no more CPUs than before");
	return rc;
}
