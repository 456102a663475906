/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_JSON_PUT_H
#define TD_LIB_BASE_JSON_PUT_H

#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/util.h"

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
