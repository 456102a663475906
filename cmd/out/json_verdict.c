// SPDX-License-Identifier: GPL-2.0-only
/* JSON Lines: the verdict as an object on a line. */
#include <json-c/json.h>
#include <math.h>

#include "cmd/out/advice.h"
#include "cmd/out/out.h"
#include "lib/base/json.h"

#define CANNOT_BE_SAID "cannot be said: "

static const struct {
	const char *key, *words; /* in JSON, and for people */
} situations[] = {
	[TD_SITUATION_NONE] = { "none", "not known: there is no tree" },
	[TD_SITUATION_NOT_COUNTED] = { "not counted", "not counted" },
	[TD_SITUATION_IDLE] = { "idle", "mostly idle" },
	[TD_SITUATION_SHORT] = { "short", "not known: too little was measured "
					  "to know the errors" },
	[TD_SITUATION_UNKNOWN] = { "unknown", CANNOT_BE_SAID
				   "tdstat could not measure every node of this "
				   "level, or not its error" },
	[TD_SITUATION_UNLIKE] = { "unlike", CANNOT_BE_SAID
				  "these nodes are parts of different things, "
				  "such as slots and cycles" },
	[TD_SITUATION_SUM] = { "sum", CANNOT_BE_SAID
			       "level 1 does not add up to all of the slots" },
	[TD_SITUATION_NOTHING] = { "nothing", "nothing is over its threshold" },
	[TD_SITUATION_NEAR] = { "near", "over its threshold, but by less than "
					"its error:" },
	[TD_SITUATION_TIE] = { "tie", "no single cause:" },
	[TD_SITUATION_RETIRING] = { "retiring", "not counted" },
	[TD_SITUATION_CLEAR] = { "clear", "not counted" },
};

const char *td_situation_words(enum td_situation situation)
{
	return situations[situation].words;
}

static void put(struct json_object *o, const char *key,
		struct json_object *value)
{
	td_json_add(o, key, value);
}

static struct json_object *number_or_null(double value)
{
	return isnan(value) ? NULL : td_out_json_number(value);
}

static struct json_object *name_or_null(const struct td_found *found)
{
	return found && found->node ? json_object_new_string(found->name)
				    : NULL;
}

static struct json_object *names(const struct td_found *found, size_t nr)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < nr && found[i].node; i++)
		td_json_append(array, name_or_null(&found[i]));
	return array;
}

static struct json_object *commands(const struct td_advice *advice)
{
	const char *const lines[] = { advice->when, advice->next, advice->where,
				      advice->explain };
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (lines[i])
			td_json_append(array, json_object_new_string(lines[i]));
	}
	return array;
}

static struct json_object *column_or_null(const struct td_report *report,
					  int column)
{
	return column < 0
		       ? NULL
		       : json_object_new_string(report->columns[column].name);
}

/* Which node had the most slots for most of the time, and which for less. */
static void put_phases(struct json_object *o, const struct td_report *report,
		       const struct td_verdict *v)
{
	static const struct td_phases none = { .first = -1, .second = -1 };
	const struct td_phases *phases = v->row && v->row->phases.first_pct > 0
						 ? &v->row->phases
						 : &none;
	bool known = phases != &none;

	put(o, "steady", known ? json_object_new_boolean(!v->changed) : NULL);
	put(o, "mostly", column_or_null(report, phases->first));
	put(o, "mostly_time",
	    known ? td_out_json_percent(phases->first_pct) : NULL);
	put(o, "then", column_or_null(report, phases->second));
}

/* The nodes whose events have errata; no key if there are none. */
static void put_in_doubt(struct json_object *o, const struct td_verdict *v)
{
	struct json_object *array = NULL;
	const struct td_found *found;
	size_t at = 0;

	while ((found = td_verdict_in_doubt(v, &at))) {
		if (!array)
			array = json_object_new_array();
		td_json_append(array, name_or_null(found));
	}
	if (array)
		put(o, "in_doubt", array);
}

/* The node that a verdict names. */
static void put_named(struct json_object *o, const struct td_verdict *v)
{
	const struct td_found *last = td_verdict_last(v);

	put(o, "pmu", v->row ? json_object_new_string(v->row->pmu) : NULL);
	put(o, "confidence",
	    json_object_new_string(situations[v->situation].key));
	put(o, "node", name_or_null(last));
	put(o, "path", names(v->path, v->nr_path));
	put(o, "value", last ? number_or_null(last->value) : NULL);
	put(o, "low", last ? number_or_null(last->value - last->error) : NULL);
	put(o, "high", last ? number_or_null(last->value + last->error) : NULL);
	put(o, "slots", last ? number_or_null(last->slots_pct) : NULL);
	put_in_doubt(o, v);
}

static struct json_object *others(const struct td_advice *advice)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < advice->nr_others; i++) {
		struct json_object *o = json_object_new_object();

		put_named(o, &advice->others[i]);
		td_json_append(array, o);
	}
	return array;
}

void td_out_json_verdict(struct td_writer *writer,
			 const struct td_report *report,
			 const struct td_advice *advice)
{
	const struct td_verdict *v = advice->verdict;
	struct json_object *line;
	struct json_object *o;

	/* each row has its keys "lost" and "busy" */
	if (v->situation == TD_SITUATION_NONE ||
	    (v->situation == TD_SITUATION_IDLE && !v->row))
		return;
	line = td_json_line();
	o = json_object_new_object();
	td_out_json_time(o, "time", writer->frame, report->time_ns);
	if (writer->frame->host)
		put(o, "host", json_object_new_string(writer->frame->host));
	put_named(o, v);
	if (v->by_size)
		put(o, "by_size", json_object_new_boolean(true));
	put(o, "runner_up", name_or_null(&v->runner_up));
	put(o, "tied", names(v->tied, 2));
	put(o, "over", names(v->over, 2));
	put_phases(o, report, v);
	put(o, "waits", json_object_new_boolean(v->waits));
	put(o, "held", json_object_new_boolean(v->held));
	put(o, "busy", number_or_null(v->busy_pct));
	put(o, "others", others(advice));
	put(o, "next", commands(advice));
	put(line, "verdict", o);
	td_out_json_line(writer, line);
}
