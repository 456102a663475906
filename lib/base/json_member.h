/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_JSON_MEMBER_H
#define TD_LIB_BASE_JSON_MEMBER_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a text is not JSON, and why. */
struct td_json_fault {
	size_t at;
	const char *why; /* json-c's */
};

/*
 * *out to be put, whatever the result; flags: JSON_TOKENER_*.  -EINVAL: fault
 * says more; -ENOMEM.
 */
int td_json_text(const char *text, int depth, int flags,
		 struct json_object **out, struct td_json_fault *fault);

/*
 * Members of an object that must be of a type; all of them borrowed.  NULL or
 * false: there is none, or it is something else.
 */
struct json_object *td_json_member(struct json_object *object, const char *key,
				   enum json_type type);
const char *td_json_string(struct json_object *object, const char *key);
bool td_json_int(struct json_object *object, const char *key, int64_t min,
		 int64_t max, int64_t *out);
/* To the nanosecond: the text has them all. */
bool td_json_seconds(struct json_object *object, const char *key, uint64_t *ns);
/* A whole number from min to max itself. */
bool td_json_whole(struct json_object *value, int64_t min, int64_t max,
		   int64_t *out);

#endif
