// SPDX-License-Identifier: GPL-2.0-only
/* Lines of perf stat -j, which are JSON objects. */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "lib/recording/perf/parts.h"

#define MAX_DEPTH 4

/* perf prints nan and inf as printf(3) does, which is not JSON. */
static void replace_no_numbers(char *text)
{
	static const char *const words[] = { "-nan", "nan", "-inf", "inf" };
	static const char key[] = "\"metric-value\" : ";

	for (text = strstr(text, key); text; text = strstr(text, key)) {
		text += sizeof(key) - 1;
		for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
			size_t len = strlen(words[i]);

			if (strncmp(text, words[i], len) != 0)
				continue;
			memset(text, ' ', len);
			*text = '0';
		}
	}
}

static int parse(struct td_perf_json *json, const char *text)
{
	struct td_json_fault fault;
	int rc = td_json_text(text, MAX_DEPTH, JSON_TOKENER_STRICT,
			      &json->object, &fault);

	if (rc == -ENOMEM)
		return rc;
	return !rc && json_object_is_type(json->object, json_type_object)
		       ? 0
		       : -EILSEQ;
}

static bool has(struct json_object *object, const char *key)
{
	return json_object_object_get_ex(object, key, NULL);
}

/* The text of a number or a string; NULL if it is neither. */
static const char *text_of(struct td_perf_json *json, const char *key)
{
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(json->object, key, &value) ||
	    (!json_object_is_type(value, json_type_string) &&
	     !json_object_is_type(value, json_type_int) &&
	     !json_object_is_type(value, json_type_double)))
		return NULL;
	errno = 0; /* json-c makes the text of a number, or of a part of it */
	text = json_object_get_string(value);
	json->no_memory |= errno == ENOMEM;
	return text;
}

/* Each aggregation has a key of its own; ids are as in -x, except for CPUs. */
static bool take_id(struct td_perf_json *json, struct td_perf_line *line)
{
	static const char *const keys[] = { "core",   "cache", "cluster", "die",
					    "socket", "node",  "thread" };
	const char *cpu = text_of(json, "cpu");
	int64_t nr;

	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++) {
		if (!has(json->object, keys[i]))
			continue;
		line->id = td_json_string(json->object, keys[i]);
		if (!line->id)
			return false;
	}
	if (has(json->object, "cpu")) {
		if (!cpu || strlen(cpu) > 20)
			return false;
		/* with -A, an event that is counted per core has S0-D0-C0 here */
		snprintf(json->id, sizeof(json->id), "%s%s",
			 *cpu == 'S' || *cpu == 'C' ? "" : "CPU", cpu);
		line->id = json->id;
	}
	line->has_nr =
		td_json_int(json->object, "counters", 0, UINT32_MAX, &nr) ||
		td_json_int(json->object, "aggregate-number", 0, UINT32_MAX,
			    &nr);
	line->nr = line->has_nr ? (uint64_t)nr : 0;
	return true;
}

static bool take_count(struct td_perf_json *json, struct td_perf_line *line)
{
	const char *value = text_of(json, "counter-value");
	const char *pct = text_of(json, "pcnt-running");
	int64_t running;

	line->event = td_json_string(json->object, "event");
	line->unit = td_json_string(json->object, "unit");
	line->cgroup = td_json_string(json->object, "cgroup");
	if (!line->unit)
		line->unit = "";
	if (!value || !pct || !line->event || !*line->event ||
	    !td_json_int(json->object, "event-runtime", 0, INT64_MAX - 1,
			 &running))
		return false;
	line->running_ns = (uint64_t)running;
	return td_perf_value_parse(value, line) &&
	       td_perf_number_parse(pct, &line->pct);
}

static void take_utilized(struct td_perf_json *json, struct td_perf_line *line)
{
	const char *unit = td_json_string(json->object, "metric-unit");
	const char *value = text_of(json, "metric-value");

	if (value && unit &&
	    (strstr(unit, "CPUs utilized") || strstr(unit, "CPUs_utilized")))
		td_perf_number_parse(value, &line->utilized);
}

/* A line without a count; --metric-only uses the metrics' names as keys. */
static bool is_metric(struct json_object *object)
{
	return has(object, "metric-value") || has(object, "metricgroup") ||
	       has(object, "interval") || has(object, "event-runtime") ||
	       json_object_object_length(object) == 0;
}

/* True if all members are texts, as in a metric-only line without -I. */
static bool is_named_values(struct json_object *object)
{
	json_object_object_foreach(object, key, value)
	{
		if (*key && !json_object_is_type(value, json_type_string) &&
		    strcmp(key, "counters") != 0 &&
		    strcmp(key, "aggregate-number") != 0)
			return false;
	}
	return true;
}

static int take_line(struct td_perf_json *json, struct td_perf_line *line)
{
	if (!has(json->object, "counter-value"))
		return is_metric(json->object) || is_named_values(json->object)
			       ? TD_PERF_IS_METRIC
			       : -EINVAL;
	if (has(json->object, "interval")) {
		const char *time = text_of(json, "interval");

		line->has_time =
			time && td_perf_time_parse(time, &line->time_ns);
		if (!line->has_time)
			return -EINVAL;
	}
	if (!take_id(json, line) || !take_count(json, line))
		return -EINVAL;
	take_utilized(json, line);
	return TD_PERF_IS_COUNT;
}

int td_perf_json_parse(struct td_perf_json *json, char *text,
		       struct td_perf_line *line)
{
	int rc;

	*line = (struct td_perf_line){ 0 };
	replace_no_numbers(text);
	rc = parse(json, text);
	if (!rc)
		rc = take_line(json, line);
	return json->no_memory ? -ENOMEM : rc;
}

void td_perf_json_free(struct td_perf_json *json)
{
	json_object_put(json->object);
	*json = (struct td_perf_json){ 0 };
}
