/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_JSON_LINES_H
#define TD_TEST_JSON_LINES_H

#include <json-c/json.h>
#include <string.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

/* The text of a member; numbers as they were written. */
static inline const char *plain(struct json_object *o, const char *otherwise)
{
	return o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN) : otherwise;
}

/* Compares JSON line by line; name is what the checks are called. */
static inline void check_json(const char *name, const char *all, char *got)
{
	td_autofree char *copy = strdup(all);
	char *rest = copy, *want;
	int nr = 0;

	while ((want = strsep(&rest, "\n")) && *want) {
		const char *line = strsep(&got, "\n");
		struct json_object *ours = json_tokener_parse(line ? line : "");
		struct json_object *wanted = json_tokener_parse(want);

		is_str(plain(ours, "no JSON"), plain(wanted, "JSON"), "%s: line %d", name, ++nr);
		json_object_put(ours);
		json_object_put(wanted);
	}
	ok(got && !*got, "%s: no more lines", name);
}

#endif
