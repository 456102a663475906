// SPDX-License-Identifier: GPL-2.0-only
/* Parses JSON files and reads the members of their entries. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/number.h"
#include "lib/base/util.h"
#include "metrics/files/parts.h"

#define MAX_DEPTH 8 /* metrics of perfmon nest six levels deep */
#define BLANKS    " \t\r\n\v\f"

static size_t line_of(const char *text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

int td_json_parse(const char *path, const char *text, struct json_object **out,
		  struct td_err *err)
{
	struct td_json_fault fault;
	int rc = td_json_text(text, MAX_DEPTH,
			      JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8,
			      out, &fault);

	if (rc == -ENOMEM)
		return td_err_set(err, rc, "%s: out of memory", path);
	return rc ? td_err_set(err, rc, "%s:%zu: not JSON: %s", path,
			       line_of(text, fault.at), fault.why)
		  : 0;
}

/* Returns EventName or MetricName, or NULL if an entry has neither. */
static const char *name_of(const struct td_entry *entry)
{
	struct json_object *name =
		json_object_object_get(entry->object, "EventName");

	if (!name)
		name = json_object_object_get(entry->object, "MetricName");
	if (!json_object_is_type(name, json_type_string))
		return NULL;
	return json_object_get_string(name);
}

int td_entry_bad(const struct td_entry *entry, struct td_err *err,
		 const char *key, const char *what)
{
	const char *name = name_of(entry);

	if (name)
		return td_err_set(err, -EINVAL, "%s: %s: %s: %s", entry->path,
				  name, key, what);
	return td_err_set(err, -EINVAL, "%s: entry %zu: %s: %s", entry->path,
			  entry->nr, key, what);
}

int td_entry_text(const struct td_entry *entry, const char *key,
		  const char **out, struct td_err *err)
{
	struct json_object *value;
	enum json_type type;

	*out = NULL;
	if (!json_object_object_get_ex(entry->object, key, &value))
		return 0;
	type = json_object_get_type(value);
	if (type != json_type_string && type != json_type_int &&
	    type != json_type_double)
		return td_entry_bad(entry, err, key,
				    "neither text nor a number");
	*out = json_object_get_string(value);
	if (!*out)
		return td_err_nomem(err);
	if (type == json_type_string &&
	    strlen(*out) != (size_t)json_object_get_string_len(value))
		return td_entry_bad(entry, err, key, "a NUL in it");
	return 0;
}

int td_entry_number(const struct td_entry *entry, const char *key,
		    struct td_number *out, struct td_err *err)
{
	const char *text;
	char first[32];
	size_t len;
	int rc = td_entry_text(entry, key, &text, err);

	*out = (struct td_number){ 0 };
	if (rc || !text)
		return rc;
	len = strcspn(text, ", ");
	if (len >= sizeof(first))
		return td_entry_bad(entry, err, key, "not a number");
	memcpy(first, text, len);
	first[len] = '\0';
	if (td_parse_u64(first, UINT64_MAX, &out->value))
		return td_entry_bad(entry, err, key, "not a number");
	out->hex = first[1] == 'x' || first[1] == 'X';
	return 0;
}

int td_entry_double(const struct td_entry *entry, const char *key, double *out,
		    struct td_err *err)
{
	const char *text;
	char *end;
	int rc = td_entry_text(entry, key, &text, err);

	*out = (double)NAN;
	if (rc || !text)
		return rc;
	errno = 0;
	*out = strtod(text, &end);
	if (end == text || *end || errno || !isfinite(*out))
		return td_entry_bad(entry, err, key, "not a number");
	return 0;
}

/* Copies a text with each run of blanks and line ends turned into one blank. */
static char *one_line(const char *text)
{
	char *line = malloc(strlen(text) + 1), *end = line;

	while (line && *text) {
		size_t len = strcspn(text, BLANKS);

		memcpy(end, text, len);
		end += len;
		text += len;
		text += strspn(text, BLANKS);
		if (*text)
			*end++ = ' ';
	}
	if (line)
		*end = '\0';
	return line;
}

int td_entry_line(const struct td_entry *entry, const char *key, char **out,
		  struct td_err *err)
{
	const char *text;
	int rc = td_entry_text(entry, key, &text, err);

	*out = NULL;
	if (rc || !text)
		return rc;
	text += strspn(text, BLANKS);
	if (!*text)
		return 0;
	*out = one_line(text);
	return *out ? 0 : td_err_nomem(err);
}
