/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_JSON_PUT_H
#define TD_LIB_BASE_JSON_PUT_H

#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Members of an object to be written.  json-c keeps no memory of failure: what
 * there was no memory for is null, which a reader refuses.
 */
void td_json_put_string(struct json_object *to, const char *key,
			const char *value);
void td_json_put_int(struct json_object *to, const char *key, int64_t value);
/* With all nine decimals: a double's own form would lose them. */
void td_json_put_seconds(struct json_object *to, const char *key, uint64_t ns);
/*
 * On a line of its own.  Takes the object.  Control characters are escaped,
 * all of them; a byte that is no UTF-8 would break it, and becomes the text
 * that stands for it everywhere: \xff.
 */
void td_json_put_line(FILE *fp, struct json_object *line);

#endif
