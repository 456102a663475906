/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_JSON_MEMBER_H
#define TD_LIB_BASE_JSON_MEMBER_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* Where and why a text is not valid JSON. */
struct td_json_fault {
	size_t at;
	const char *why; /* json-c's own words */
};

/*
 * Parses text; flags are JSON_TOKENER_*.  The caller puts *out, whatever the
 * result.  Returns 0, -EINVAL (see fault) or -ENOMEM.
 */
int td_json_text(const char *text, int depth, int flags,
		 struct json_object **out, struct td_json_fault *fault);

/*
 * Get a member of the given type; the object keeps owning it.  NULL or false if
 * it does not exist or has another type.
 */
struct json_object *td_json_member(struct json_object *object, const char *key,
				   enum json_type type);
const char *td_json_string(struct json_object *object, const char *key);
bool td_json_int(struct json_object *object, const char *key, int64_t min,
		 int64_t max, int64_t *out);
/* A member that need not be there, and the type that its value has if it is. */
struct td_json_optional {
	const char *key;
	enum json_type type; /* double: whole numbers, too */
};

/*
 * The first key whose value has another type, or NULL.  The list ends with a key
 * that is NULL.
 */
const char *td_json_misfit(struct json_object *object,
			   const struct td_json_optional *members);
/* Seconds below 1e9 in nanoseconds, as exact as a double is. */
bool td_json_seconds(struct json_object *object, const char *key, uint64_t *ns);
/* Gets value itself as an integer from min to max. */
bool td_json_whole(struct json_object *value, int64_t min, int64_t max,
		   int64_t *out);

#endif
