// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/util.h"
#include "metrics/pmu_events_parts.h"

#define MAX_DEPTH 8 /* what is read is an array of objects of texts */
#define BLANKS    " \t\r\n\v\f"

/* The PMUs that are not called uncore_ and the unit's name. */
static const struct {
	const char *unit, *pmu;
} units[] = {
	{ "CBO", "uncore_cbox" },   { "DFPMC", "amd_df" },
	{ "L3PMC", "amd_l3" },      { "QPI LL", "uncore_qpi" },
	{ "SBO", "uncore_sbox" },   { "UMCPMC", "amd_umc" },
	{ "UPI LL", "uncore_upi" }, { "iMPH-U", "uncore_arb" },
};

static char *lower(char *text)
{
	for (char *c = text; c && *c; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	}
	return text;
}

/* "cpu_core" of a hybrid machine is that; nothing is the only core PMU. */
static char *pmu_of(const char *unit)
{
	char *name;

	if (!unit || !*unit)
		return strdup("cpu");
	if (strncasecmp(unit, "cpu", 3) == 0)
		return lower(strdup(unit));
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].unit, unit) == 0)
			return strdup(units[i].pmu);
	}
	return asprintf(&name, "uncore_%s", unit) < 0 ? NULL : lower(name);
}

/* Blanks and line ends become one blank between words. */
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

/* *out: to be freed; NULL: there is none. */
static int get_line(const struct td_entry *entry, const char *key, char **out,
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

static int describe(const struct td_entry *entry, char **out,
		    struct td_err *err)
{
	td_autofree char *desc = NULL;
	struct td_number deprecated;

	if (get_line(entry, "BriefDescription", &desc, err) ||
	    td_entry_number(entry, "Deprecated", &deprecated, err))
		return err->code;
	if (!deprecated.value) {
		*out = desc;
		desc = NULL;
		return 0;
	}
	if (asprintf(out, "%s%s(deprecated)", desc ? desc : "",
		     desc ? " " : "") >= 0)
		return 0;
	*out = NULL;
	return td_err_nomem(err);
}

/* "cache" of "x86/alderlake/cache.json" */
static char *topic_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return strndup(name, strcspn(name, "."));
}

static int add_event(struct td_pmu_events *out, const struct td_entry *entry,
		     const char *name, struct td_err *err)
{
	struct td_model_event *event;
	const char *unit;

	if (td_entry_text(entry, "Unit", &unit, err))
		return err->code;
	event = td_array_add(&out->events, out->nr_events, sizeof(*event));
	if (!event)
		return td_err_nomem(err);
	out->nr_events++;
	event->name = lower(strdup(name));
	event->pmu = pmu_of(unit);
	event->topic = topic_of(entry->path);
	if (!event->name || !event->pmu || !event->topic)
		return td_err_nomem(err);
	if (td_entry_terms(entry, event->name, &event->terms, err))
		return err->code;
	return describe(entry, &event->desc, err);
}

static int add_metric(struct td_pmu_events *out, const struct td_entry *entry,
		      const char *name, struct td_err *err)
{
	struct td_model_metric *metric;
	const char *unit;

	if (td_entry_text(entry, "Unit", &unit, err))
		return err->code;
	metric = td_array_add(&out->metrics, out->nr_metrics, sizeof(*metric));
	if (!metric)
		return td_err_nomem(err);
	out->nr_metrics++;
	metric->name = strdup(name);
	metric->pmu = pmu_of(unit);
	if (!metric->name || !metric->pmu)
		return td_err_nomem(err);
	if (get_line(entry, "MetricGroup", &metric->groups, err) ||
	    get_line(entry, "BriefDescription", &metric->desc, err) ||
	    get_line(entry, "ScaleUnit", &metric->unit, err))
		return err->code;
	return 0;
}

/* A few are both; counter.json's are neither. */
static int add_entry(struct td_pmu_events *out, const struct td_entry *entry,
		     struct td_err *err)
{
	const char *event, *metric;
	int rc;

	if (!json_object_is_type(entry->object, json_type_object))
		return td_err_set(err, -EINVAL, "%s: entry %zu: not an object",
				  entry->path, entry->nr);
	if (td_entry_text(entry, "EventName", &event, err) ||
	    td_entry_text(entry, "MetricName", &metric, err))
		return err->code;
	rc = event && *event ? add_event(out, entry, event, err) : 0;
	if (!rc && metric && *metric)
		rc = add_metric(out, entry, metric, err);
	return rc;
}

static size_t line_of(const char *text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

/* *out to be freed, whatever the result. */
static int parse_json(const char *path, const char *text,
		      struct json_object **out, struct td_err *err)
{
	struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
	enum json_tokener_error rc;
	size_t end;

	if (!tokener)
		return td_err_nomem(err);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
						JSON_TOKENER_VALIDATE_UTF8);
	*out = json_tokener_parse_ex(tokener, text, -1);
	rc = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);
	if (rc != json_tokener_success)
		return td_err_set(err, -EINVAL, "%s:%zu: not JSON: %s", path,
				  line_of(text, end),
				  json_tokener_error_desc(rc));
	if (!json_object_is_type(*out, json_type_array))
		return td_err_set(err, -EINVAL, "%s: not a JSON array", path);
	return 0;
}

int td_pmu_events_parse(struct td_pmu_events *out, const char *path,
			const char *text, struct td_err *err)
{
	struct json_object *array = NULL;
	int rc = parse_json(path, text, &array, err);

	if (!rc) {
		size_t nr = json_object_array_length(array);

		for (size_t i = 0; !rc && i < nr; i++) {
			const struct td_entry entry = {
				json_object_array_get_idx(array, i), path, i + 1
			};

			rc = add_entry(out, &entry, err);
		}
	}
	json_object_put(array);
	return rc;
}
