// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/json.h"

#include <inttypes.h>
#include <math.h>

#include "lib/base/number.h"
#include "lib/base/printable.h"

/* Returns the number of bytes at the start of text that are all ASCII, or all not. */
static size_t span(const char *text, bool ascii)
{
	size_t len = 0;

	while (text[len] && !(text[len] & 0x80) == ascii)
		len++;
	return len;
}

/*
 * Parses text, bytes beyond ASCII without strict mode: there, json-c 0.18 regards them as control
 * characters (json-c issue 875, fixed in 0.19).  Outside of strings they are refused anyway.
 */
static enum json_tokener_error parse(struct json_tokener *tokener, const char *text, int flags,
				     struct json_object **out, size_t *end)
{
	const char *at = text;
	enum json_tokener_error rc;

	do {
		bool ascii = !(*at & 0x80);
		size_t len = span(at, ascii);

		json_tokener_set_flags(tokener, ascii ? flags : flags & ~JSON_TOKENER_STRICT);
		*out = json_tokener_parse_ex(tokener, at, at[len] ? (int)len : -1);
		*end = (size_t)(at - text) + json_tokener_get_parse_end(tokener);
		at += len;
		rc = json_tokener_get_error(tokener);
	} while (rc == json_tokener_continue && *at);
	return rc == json_tokener_success && *at ? json_tokener_error_parse_unexpected : rc;
}

int td_json_text(const char *text, int depth, int flags, struct json_object **out,
		 struct td_json_fault *fault)
{
	struct json_tokener *tokener = td_need(json_tokener_new_ex(depth));
	enum json_tokener_error rc;

	*out = NULL;
	errno = 0; /* json-c reports ENOMEM as truncated text or "null" */
	rc = parse(tokener, text, flags, out, &fault->at);
	if (errno == ENOMEM)
		td_memory_fail();
	fault->why = json_tokener_error_desc(rc);
	json_tokener_free(tokener);
	return rc == json_tokener_success ? 0 : -EINVAL;
}

struct json_object *td_json_member(struct json_object *object, const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

const char *td_json_string(struct json_object *object, const char *key)
{
	struct json_object *value = td_json_member(object, key, json_type_string);

	return value ? json_object_get_string(value) : NULL;
}

bool td_json_integer(struct json_object *value, int64_t min, int64_t max, int64_t *out)
{
	if (!json_object_is_type(value, json_type_int))
		return false;
	*out = json_object_get_int64(value);
	return *out >= min && *out <= max;
}

const char *td_json_misfit(struct json_object *object, const struct td_json_optional *members)
{
	for (; members->key; members++) {
		struct json_object *value;
		enum json_type type;

		if (!json_object_object_get_ex(object, members->key, &value))
			continue;
		type = json_object_get_type(value);
		if (type != members->type &&
		    !(type == json_type_int && members->type == json_type_double))
			return members->key;
	}
	return NULL;
}

bool td_json_flag(struct json_object *object, const char *key)
{
	return json_object_get_boolean(td_json_member(object, key, json_type_boolean));
}

bool td_json_int(struct json_object *object, const char *key, int64_t min, int64_t max,
		 int64_t *out)
{
	struct json_object *value = td_json_member(object, key, json_type_int);

	return value && td_json_integer(value, min, max, out);
}

/* A double is exact to the nanosecond for a month (2^21 seconds). */
bool td_json_seconds(struct json_object *object, const char *key, uint64_t *ns)
{
	struct json_object *value;
	double seconds;

	if (!json_object_object_get_ex(object, key, &value) ||
	    (!json_object_is_type(value, json_type_double) &&
	     !json_object_is_type(value, json_type_int)))
		return false;
	seconds = json_object_get_double(value);
	if (!(seconds >= 0 && seconds < 1e9))
		return false;
	*ns = (uint64_t)llround(seconds * 1e9);
	return true;
}

/* --- writing -------------------------------------------------------------- */

struct json_object *td_json_line(void)
{
	errno = 0;
	return json_object_new_object();
}

void td_json_add(struct json_object *to, const char *key, struct json_object *value)
{
	if (!to || json_object_object_add(to, key, value))
		json_object_put(value);
}

void td_json_append(struct json_object *to, struct json_object *value)
{
	if (!to || json_object_array_add(to, value))
		json_object_put(value);
}

void td_json_put_string(struct json_object *to, const char *key, const char *value)
{
	td_json_add(to, key, value ? json_object_new_string(value) : NULL);
}

struct json_object *td_json_words(const char *text, const char *between)
{
	struct json_object *array = json_object_new_array();

	for (; text && *text; text += strspn(text, between)) {
		size_t len = strcspn(text, between);

		if (len)
			td_json_append(array, json_object_new_string_len(text, (int)len));
		text += len;
	}
	return array;
}

void td_json_put_flag(struct json_object *to, const char *key, bool flag)
{
	if (flag)
		td_json_add(to, key, json_object_new_boolean(true));
}

void td_json_put_int(struct json_object *to, const char *key, int64_t value)
{
	td_json_add(to, key, json_object_new_int64(value));
}

void td_json_put_seconds(struct json_object *to, const char *key, uint64_t ns)
{
	char buf[40];

	td_json_add(to, key,
		    json_object_new_double_s((double)ns / 1e9, td_format_seconds(buf, ns)));
}

void td_json_put_clocks(struct json_object *to, const struct td_clocks *clocks)
{
	if (!clocks->mono_ns)
		return;
	td_json_put_seconds(to, "monotonic", clocks->mono_ns);
	td_json_put_seconds(to, "boottime", clocks->mono_ns + clocks->suspended_ns);
}

/* Unprintable bytes can only be inside a string, so escaping is safe. */
static const char *put_escaped(FILE *fp, const char *text)
{
	uint32_t code;
	size_t len = td_unprintable(text, &code);

	fprintf(fp, len ? "\\u%04" PRIx32 : "\\\\x%02" PRIx32, code);
	return text + (len ? len : 1);
}

void td_json_put_line(FILE *fp, struct json_object *line)
{
	int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text = json_object_to_json_string_ext(line, flags);

	if (!line || !text || errno == ENOMEM)
		td_memory_fail();
	while (*text) {
		size_t len = td_printable_span(text);

		fwrite(text, 1, len, fp);
		text += len;
		if (*text)
			text = put_escaped(fp, text);
	}
	fputc('\n', fp);
	json_object_put(line);
	errno = 0;
}
