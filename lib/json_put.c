// SPDX-License-Identifier: GPL-2.0-only
#include "lib/json_put.h"

#include "lib/util.h"

void td_json_put_string(struct json_object *to, const char *key,
			const char *value)
{
	json_object_object_add(to, key, json_object_new_string(value));
}

void td_json_put_int(struct json_object *to, const char *key, int64_t value)
{
	json_object_object_add(to, key, json_object_new_int64(value));
}

void td_json_put_seconds(struct json_object *to, const char *key, uint64_t ns)
{
	char buf[40];

	json_object_object_add(
		to, key,
		json_object_new_double_s((double)ns / 1e9,
					 td_format_seconds(buf, ns)));
}

void td_json_put_line(FILE *fp, struct json_object *line)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;

	fputs(json_object_to_json_string_ext(line, flags), fp);
	fputc('\n', fp);
	json_object_put(line);
}
