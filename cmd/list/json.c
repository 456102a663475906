// SPDX-License-Identifier: GPL-2.0-only
/* Writes JSON Lines: an object for each name and PMU. */
#include <json-c/json.h>
#include <string.h>

#include "cmd/list/parts.h"
#include "lib/base/json_put.h"

static const char *const kinds[] = {
	[TD_LIST_HARDWARE] = "hardware",
	[TD_LIST_CACHE] = "cache",
	[TD_LIST_SYSFS] = "sysfs",
	[TD_LIST_MODEL] = "model",
	[TD_LIST_SOFTWARE] = "software",
	[TD_LIST_TOOL] = "tool",
	[TD_LIST_TRACEPOINT] = "tracepoint",
	[TD_LIST_METRIC] = "metric",
	[TD_LIST_METRICGROUP] = "metricgroup",
};

static void add(struct json_object *to, const char *key, const char *text)
{
	td_json_add(to, key, text ? json_object_new_string(text) : NULL);
}

/* "a;b" -> ["a","b"] */
static void add_all(struct json_object *to, const char *key, const char *text)
{
	struct json_object *array = json_object_new_array();

	while (text && *text) {
		size_t len = strcspn(text, ";");

		if (len)
			td_json_append(array, json_object_new_string_len(
						      text, (int)len));
		text += len;
		text += strspn(text, ";");
	}
	td_json_add(to, key, array);
}

/* Adds the level; null for metrics outside of the tree. */
static void add_level(struct json_object *to, int level)
{
	td_json_add(to, "level", level ? json_object_new_int(level) : NULL);
}

static void add_metric(struct json_object *to, const struct td_list_item *item)
{
	const struct td_metric_def *metric = item->metric;

	add_all(to, "groups", item->related);
	add_level(to, metric->level);
	add(to, "parent", metric->parent);
	add(to, "formula", metric->formula);
	add(to, "threshold", metric->threshold);
}

static int put_item(FILE *fp, const struct td_list_item *item)
{
	struct json_object *o = td_json_line();

	add(o, "kind", kinds[item->kind]);
	add(o, "name", item->name);
	add(o, "pmu", item->pmu);
	add(o, "topic", item->topic);
	add(o, "desc", item->desc);
	add(o, "encoding", item->encoding);
	if (item->alias)
		add(o, "alias", item->alias);
	if (item->unit || item->kind == TD_LIST_METRIC)
		add(o, "unit", item->unit);
	if (item->metric)
		add_metric(o, item);
	if (item->kind == TD_LIST_METRICGROUP)
		add_all(o, "metrics", item->related);
	return td_json_put_line(fp, o);
}

int td_list_put_json(FILE *fp, const struct td_list *list)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < list->nr_items; i++)
		rc = put_item(fp, &list->items[i]);
	return rc;
}
