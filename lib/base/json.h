/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <json-c/json.h>

#include "lib/base/util.h"

/* Location and reason of invalid JSON. */
struct td_json_fault {
	size_t at;
	const char *why; /* message of json-c */
};

/*
 * Parses text; flags are JSON_TOKENER_*.  Returns 0, or -EINVAL and sets *fault.  The
 * caller calls json_object_put(*out) in both cases.
 */
int td_json_text(const char *text, int depth, int flags, struct json_object **out,
		 struct td_json_fault *fault);

/*
 * Get a member of the given type, which the object still owns.  Return NULL or false if it
 * does not exist or has another type.
 */
struct json_object *td_json_member(struct json_object *object, const char *key,
				   enum json_type type);
const char *td_json_string(struct json_object *object, const char *key);
bool td_json_int(struct json_object *object, const char *key, int64_t min, int64_t max,
		 int64_t *out);
/* Returns the flag; false if the object has none. */
bool td_json_flag(struct json_object *object, const char *key);
/* An optional member of an object, and the type of its value. */
struct td_json_optional {
	const char *key;
	enum json_type type; /* json_type_double includes whole numbers */
};

/* Returns the first key whose value has another type, or NULL.  The list ends with key NULL. */
const char *td_json_misfit(struct json_object *object, const struct td_json_optional *members);
/* Gets seconds below 1e9 in nanoseconds, with the precision of a double. */
bool td_json_seconds(struct json_object *object, const char *key, uint64_t *ns);
/* Converts value to an integer from min to max.  Returns false if it is not one. */
bool td_json_integer(struct json_object *value, int64_t min, int64_t max, int64_t *out);

/*
 * Returns a new object for a line.  Sets errno to 0: if memory runs out, json-c omits parts
 * and malloc(3) sets ENOMEM, which td_json_put_line() checks.
 */
struct json_object *td_json_line(void);
/* Add a value to an object or an array, which then owns it.  A NULL value becomes null. */
void td_json_add(struct json_object *to, const char *key, struct json_object *value);
void td_json_append(struct json_object *to, struct json_object *value);
void td_json_put_string(struct json_object *to, const char *key, const char *value);
/* Returns an array of the strings in "a;b", separated by any of between; NULL is empty. */
struct json_object *td_json_words(const char *text, const char *between);
void td_json_put_int(struct json_object *to, const char *key, int64_t value);
/* Adds true, or nothing. */
void td_json_put_flag(struct json_object *to, const char *key, bool flag);
/* Adds seconds with nine decimals, because json-c would print a double with fewer. */
void td_json_put_seconds(struct json_object *to, const char *key, uint64_t ns);
/* Adds CLOCK_MONOTONIC and CLOCK_BOOTTIME, if they are known. */
void td_json_put_clocks(struct json_object *to, const struct td_clocks *clocks);
/*
 * Prints the object on a line and frees it.  Unprintable characters are escaped, and
 * a byte that is not valid UTF-8 is printed as the text \xff.
 */
void td_json_put_line(FILE *fp, struct json_object *line);
