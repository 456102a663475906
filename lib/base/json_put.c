// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/json_put.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "lib/base/decimal.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

struct json_object *td_json_line(void)
{
	errno = 0;
	return json_object_new_object();
}

void td_json_add(struct json_object *to, const char *key,
		 struct json_object *value)
{
	if (!to || json_object_object_add(to, key, value))
		json_object_put(value);
}

void td_json_append(struct json_object *to, struct json_object *value)
{
	if (!to || json_object_array_add(to, value))
		json_object_put(value);
}

void td_json_put_string(struct json_object *to, const char *key,
			const char *value)
{
	td_json_add(to, key, json_object_new_string(value));
}

void td_json_put_int(struct json_object *to, const char *key, int64_t value)
{
	td_json_add(to, key, json_object_new_int64(value));
}

void td_json_put_seconds(struct json_object *to, const char *key, uint64_t ns)
{
	char buf[40];

	td_json_add(to, key,
		    json_object_new_double_s((double)ns / 1e9,
					     td_format_seconds(buf, ns)));
}

void td_json_put_clocks(struct json_object *to, const struct td_clocks *clocks)
{
	if (!clocks->mono_ns)
		return;
	td_json_put_seconds(to, "monotonic", clocks->mono_ns);
	td_json_put_seconds(to, "boottime",
			    clocks->mono_ns + clocks->suspended_ns);
}

/* Unprintable bytes can only be inside a string, so escaping is safe. */
static const char *put_escaped(FILE *fp, const char *text)
{
	uint32_t code;
	size_t len = td_unprintable(text, &code);

	fprintf(fp, len ? "\\u%04" PRIx32 : "\\\\x%02" PRIx32, code);
	return text + (len ? len : 1);
}

int td_json_put_line(FILE *fp, struct json_object *line)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text = json_object_to_json_string_ext(line, flags);
	bool no_memory = !line || !text || errno == ENOMEM;

	while (!no_memory && *text) {
		size_t len = td_printable_span(text);

		fwrite(text, 1, len, fp);
		text += len;
		if (*text)
			text = put_escaped(fp, text);
	}
	if (!no_memory)
		fputc('\n', fp);
	json_object_put(line);
	errno = 0;
	return no_memory ? -ENOMEM : 0;
}
