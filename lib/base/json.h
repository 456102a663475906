/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_JSON_H
#define TD_LIB_BASE_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/util.h"

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

/*
 * Begins an object for a line of its own: sets errno to 0, since malloc(3) sets
 * it to ENOMEM, and json-c tells nothing else of a part that it left out.
 */
struct json_object *td_json_line(void);
/*
 * Add a value, which is theirs from then on, to an object or an array; NULL is
 * null.  What there was no memory for is null or missing.
 */
void td_json_add(struct json_object *to, const char *key,
		 struct json_object *value);
void td_json_append(struct json_object *to, struct json_object *value);
void td_json_put_string(struct json_object *to, const char *key,
			const char *value);
/* "a;b", with ";" between them, as an array of texts.  NULL: an empty one. */
struct json_object *td_json_words(const char *text, const char *between);
void td_json_put_int(struct json_object *to, const char *key, int64_t value);
/*
 * Seconds with all nine decimals; json-c's format of a double would lose some.
 */
void td_json_put_seconds(struct json_object *to, const char *key, uint64_t ns);
/* CLOCK_MONOTONIC and CLOCK_BOOTTIME, if they are known. */
void td_json_put_clocks(struct json_object *to, const struct td_clocks *clocks);
/*
 * Prints the object on a line of its own and frees it.  What is not printable is
 * escaped, and a byte that is not valid UTF-8 is printed as the text \xff.
 * Prints nothing and returns -ENOMEM if something of it is missing.
 */
int td_json_put_line(FILE *fp, struct json_object *line);

#endif
