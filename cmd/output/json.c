// SPDX-License-Identifier: GPL-2.0-only
/* JSON Lines: an object for each metric. */
#include <json-c/json.h>
#include <math.h>

#include "cmd/output/advice.h"
#include "cmd/output/columns.h"
#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/json.h"
#include "lib/count/aggregation.h"
#include "lib/count/regions.h"

/* --- durations of the calls of a function, and causes of slow ones -------- */

static void put_number(struct json_object *to, const char *key, double value)
{
	td_json_add(to, key, isnan(value) ? NULL : td_out_json_number(value));
}

static void put_ns(struct json_object *to, const char *key, double ns)
{
	put_number(to, key, ns / 1e9);
}

static struct json_object *cause_object(const struct td_slow_cause *cause)
{
	static const char *const kinds[] = {
		[TD_SLOW_WAITED] = "waited",   [TD_SLOW_PREEMPTED] = "preempted",
		[TD_SLOW_OFF] = "not running", [TD_SLOW_INTERRUPT] = "interrupts",
		[TD_SLOW_CORE] = "other core", [TD_SLOW_NODE] = "node",
		[TD_SLOW_CLOCK] = "clock",     [TD_SLOW_REST] = "rest",
	};
	struct json_object *o = json_object_new_object();

	td_json_put_string(o, "cause", kinds[cause->kind]);
	td_json_add(o, "node", cause->node ? json_object_new_string(cause->node) : NULL);
	put_number(o, "share", cause->share_pct);
	put_number(o, "error", cause->error_pct);
	td_json_add(o, "clear", json_object_new_boolean(td_slow_is_clear(cause)));
	return o;
}

static struct json_object *slow_object(const struct td_slow *slow)
{
	struct json_object *o = json_object_new_object();
	struct json_object *causes = json_object_new_array();

	put_ns(o, "from", (double)td_region_bucket_ns(slow->slow->bucket));
	put_number(o, "calls", slow->calls_pct);
	put_number(o, "time", slow->time_pct);
	put_ns(o, "longer", slow->extra_ns);
	for (size_t i = 0; i < slow->nr; i++)
		td_json_append(causes, cause_object(&slow->causes[i]));
	td_json_add(o, "causes", causes);
	return o;
}

static struct json_object *call_object(const struct td_slow_call *call)
{
	struct json_object *o = json_object_new_object();

	td_json_put_seconds(o, "seconds", call->time_ns);
	td_json_put_seconds(o, "start", call->start_ns);
	td_json_put_int(o, "tid", call->tid);
	td_json_put_int(o, "cpu", call->cpu);
	return o;
}

/* Put the durations of the calls of a function, as an object on a line. */
static void put_durations(struct td_writer *writer, const struct td_timed *timed,
			  const struct td_slow *slow)
{
	struct json_object *line = td_json_line();
	struct json_object *o = json_object_new_object();
	struct json_object *slowest = json_object_new_array();
	uint64_t nr = timed->durations.nr;

	td_json_put_string(o, "function", timed->name);
	td_json_add(o, "engine",
		    timed->engine ? json_object_new_string(td_timed_engine(timed->engine)) : NULL);
	td_json_put_int(o, "calls", (int64_t)nr);
	if (timed->counting_ns)
		td_json_add(o, "all", NULL);
	else
		td_json_put_int(o, "all", (int64_t)(timed->all ? timed->all : nr));
	put_number(o, "traced", td_timed_traced_pct(timed));
	put_ns(o, "p50", td_durations_quantile(&timed->durations, 0.5));
	put_ns(o, "p90", td_durations_quantile(&timed->durations, 0.9));
	put_ns(o, "p99", td_durations_quantile(&timed->durations, 0.99));
	put_ns(o, "p99_9", td_durations_quantile(&timed->durations, 0.999));
	put_ns(o, "max", timed->durations.nr ? (double)timed->durations.max_ns : NAN);
	td_json_add(o, "slow", slow->slow ? slow_object(slow) : NULL);
	for (size_t i = 0; i < timed->nr_slowest; i++)
		td_json_append(slowest, call_object(&timed->slowest[i]));
	td_json_add(o, "slowest", slowest);
	td_json_add(line, "durations", o);
	td_out_json_line(writer, line);
}

/* --- events, as in perf stat -j -------------------------------------------- */

/* perf writes counts as strings ("%f"). */
static struct json_object *number_text(double value)
{
	char buf[64];

	return json_object_new_string(td_out_format(buf, 6, value));
}

/* Add a time: a number, or a string for a wall-clock time. */
static void put_time(struct json_object *to, const char *key, const struct td_frame *frame,
		     uint64_t time_ns)
{
	char buf[TD_CLOCK_SIZE];

	if (frame->time == TD_TIME_WALL)
		td_json_put_string(to, key, td_out_time(buf, frame, time_ns));
	else if (frame->time == TD_TIME_EPOCH)
		td_json_put_seconds(to, key, frame->start_ns + time_ns);
	else if (frame->of_perf && !time_ns)
		td_json_add(to, key, NULL);
	else
		td_json_put_seconds(to, key, time_ns);
}

static struct json_object *begin_object(const struct td_frame *frame, uint64_t time_ns,
					const struct td_event_row *row)
{
	const struct td_aggregation_row *by = td_aggregation_row(frame->how);
	struct json_object *o = td_json_line();

	if (frame->interval)
		put_time(o, "interval", frame, time_ns);
	if (by->width && td_out_has_id(row))
		td_json_add(o, by->name, json_object_new_string(row->id + by->prefix));
	if (frame->host)
		td_json_add(o, "host", json_object_new_string(frame->host));
	/* perf 7.2 writes "counters", which the linter of 6.12 refuses */
	if (by->counted && td_out_has_id(row))
		td_json_add(o, "aggregate-number", json_object_new_int64(row->nr));
	return o;
}

static void add_count(struct json_object *o, const struct td_frame *frame,
		      const struct td_event_row *row)
{
	const char *missing = td_out_missing(row->status);

	td_json_add(o, "counter-value",
		    missing ? json_object_new_string(missing) : number_text(row->value));
	td_json_add(o, "unit", json_object_new_string(row->unit));
	td_json_add(o, "event", json_object_new_string(row->event));
	if (row->cgroup)
		td_json_add(o, "cgroup", json_object_new_string(row->cgroup));
	if (row->container && !frame->perf)
		td_json_put_string(o, "container", row->container);
	if (frame->runs > 1 && (frame->perf || !isnan(row->error_pct)))
		td_json_add(o, "variance",
			    td_out_json_percent(isnan(row->error_pct) ? 0 : row->error_pct));
	td_json_add(o, "event-runtime", json_object_new_uint64(row->running_ns));
	td_json_add(o, "pcnt-running", td_out_json_percent(row->running_pct));
}

static void put_event_row(struct td_writer *writer, uint64_t time_ns,
			  const struct td_event_row *row)
{
	struct json_object *o = begin_object(writer->frame, time_ns, row);

	add_count(o, writer->frame, row);
	if (!row->nr_ratios) {
		/*
		 * perf's linter requires both keys, and a number as the value; "nan" means that
		 * there is no metric.
		 */
		td_json_add(o, "metric-value",
			    writer->frame->perf ? number_text(0) : json_object_new_string("nan"));
		td_json_add(o, "metric-unit", json_object_new_string(""));
	}
	for (int i = 0; i < row->nr_ratios; i++) {
		if (i > 0) {
			td_out_json_line(writer, o);
			o = begin_object(writer->frame, time_ns, row);
		}
		td_json_add(o, "metric-value", number_text(row->ratios[i].value));
		td_json_add(o, "metric-unit", json_object_new_string(row->ratios[i].unit));
	}
	td_out_json_line(writer, o);
}

static void out_json_events(struct td_writer *writer, const struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		put_event_row(writer, report->time_ns, &report->rows[i]);
}

/* --- metrics --------------------------------------------------------------- */

static void put_facts(struct json_object *o, const struct td_row *row, bool after)
{
	td_for_each(const struct td_sheet_column, fact, td_row_facts, td_nr_row_facts) {
		if (fact->after == after &&
		    !(row->region && fact->key && td_out_is_of_regions(fact->key)))
			td_out_json_cells(o, fact, 1, row);
	}
}

/* Add the members that all metrics of a row share. */
static void put_row(const struct td_writer *writer, struct json_object *o,
		    const struct td_report *report, const struct td_row *row)
{
	put_time(o, "time", writer->frame, report->time_ns);
	td_json_add(o, "id", json_object_new_string(row->id));
	td_json_add(o, "pmu", json_object_new_string(row->pmu));
	if (row->general)
		td_json_add(o, "general_counters", json_object_new_boolean(true));
	put_facts(o, row, false);
	if (row->region)
		td_out_json_region(o, row->region);
}

static void put_node(struct td_writer *writer, const struct td_report *report,
		     const struct td_row *row, const struct td_node *node)
{
	const struct td_column *column = &report->columns[node->column];
	const struct td_cell *cell = &row->cells[node->column];
	struct json_object *o = td_json_line();
	bool ok = cell->status == TD_STATUS_OK;

	put_row(writer, o, report, row);
	td_json_add(o, "metric", json_object_new_string(column->name));
	td_json_add(o, "value", ok ? td_out_json_number(cell->value) : NULL);
	td_json_add(o, "unit", json_object_new_string(column->unit));
	td_json_add(o, "level", node->level ? json_object_new_int(node->level) : NULL);
	td_json_add(o, "parent", node->parent ? json_object_new_string(node->parent) : NULL);
	td_json_add(o, "over_threshold",
		    ok && !cell->over_unknown ? json_object_new_boolean(td_out_is_over(row, cell))
					      : NULL);
	td_json_add(o, "running", td_out_json_percent(cell->running_pct));
	td_json_add(o, "error", ok && !isnan(cell->error) ? td_out_json_number(cell->error) : NULL);
	if (ok && writer->frame->errors && !isnan(cell->low)) {
		td_json_add(o, "low", td_out_json_number(cell->low));
		td_json_add(o, "high", td_out_json_number(cell->high));
	}
	if (ok && cell->too_short)
		td_json_add(o, "too_short", json_object_new_boolean(true));
	if (ok && cell->misfit)
		td_json_add(o, "misfit", json_object_new_string(td_out_misfit_word(cell->misfit)));
	if (ok && writer->frame->runs > 1 && !isnan(cell->runs_error))
		td_json_add(o, "runs_error", td_out_json_number(cell->runs_error));
	if (writer->summary)
		td_json_add(o, "summary", json_object_new_boolean(true));
	if (!ok && cell->why)
		td_json_add(o, "why", json_object_new_string(cell->why));
	if (node->estimate)
		td_json_put_string(o, "estimate", node->estimate);
	if (node->errata)
		td_json_add(o, "errata", td_json_words(node->errata, ", "));
	put_facts(o, row, true);
	td_out_json_line(writer, o);
}

static void json_report(struct td_writer *writer, const struct td_report *report)
{
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
			if (row->cells[node->column].status != TD_STATUS_NONE)
				put_node(writer, report, row, node);
		}
	}
	for (size_t i = 0; i < report->nr_timed; i++)
		put_durations(writer, &report->timed[i], &report->slow[i]);
}

/* --- the verdict, as an object on a line ----------------------------------- */

#define CANNOT_RANK "cannot rank these nodes: "

static const struct {
	const char *key, *words; /* key in JSON, words in text */
} situations[] = {
	[TD_SITUATION_NONE] = { "none", "unknown: there is no tree" },
	[TD_SITUATION_NOT_COUNTED] = { "not counted", "not counted" },
	[TD_SITUATION_IDLE] = { "idle", "mostly idle" },
	[TD_SITUATION_SHORT] = { "short", "unknown: too few readings to estimate the errors" },
	[TD_SITUATION_UNKNOWN] = { "unknown",
				   CANNOT_RANK "not all of them (or their errors) were measured" },
	[TD_SITUATION_UNLIKE] = { "unlike", CANNOT_RANK
				  "they are shares of different things, such as slots and cycles" },
	[TD_SITUATION_SUM] = { "sum", CANNOT_RANK "level 1 does not add up to all of the slots" },
	[TD_SITUATION_NOTHING] = { "nothing", "no node is above its threshold" },
	[TD_SITUATION_NEAR] = { "near", "above its threshold, but by less than its error:" },
	[TD_SITUATION_TIE] = { "tie", "several causes:" },
	[TD_SITUATION_RETIRING] = { "retiring", "not counted" },
	[TD_SITUATION_CLEAR] = { "clear", "not counted" },
};

const char *td_situation_words(enum td_situation situation)
{
	return situations[situation].words;
}

static struct json_object *name_or_null(const struct td_found *found)
{
	return found && found->node ? json_object_new_string(found->name) : NULL;
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
	const char *const lines[] = { advice->when, advice->next, advice->where, advice->explain };
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < TD_ARRAY_SIZE(lines); i++) {
		if (lines[i])
			td_json_append(array, json_object_new_string(lines[i]));
	}
	return array;
}

static struct json_object *column_or_null(const struct td_report *report, int column)
{
	return column < 0 ? NULL : json_object_new_string(report->columns[column].name);
}

/* Add the node with the most slots for most of the time, and the second one. */
static void put_phases(struct json_object *o, const struct td_report *report,
		       const struct td_verdict *v)
{
	static const struct td_phases none = { .first = -1, .second = -1 };
	const struct td_phases *phases =
		v->row && v->row->phases.first_pct > 0 ? &v->row->phases : &none;
	bool known = phases != &none;

	td_json_add(o, "steady", known ? json_object_new_boolean(!v->changed) : NULL);
	td_json_add(o, "mostly", column_or_null(report, phases->first));
	td_json_add(o, "mostly_time", known ? td_out_json_percent(phases->first_pct) : NULL);
	td_json_add(o, "then", column_or_null(report, phases->second));
}

/* Add the nodes whose events have errata, if any. */
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
		td_json_add(o, "in_doubt", array);
}

/* Add the node of a verdict. */
static void put_named(struct json_object *o, const struct td_verdict *v)
{
	const struct td_found *last = td_verdict_last(v);

	td_json_add(o, "pmu", v->row ? json_object_new_string(v->row->pmu) : NULL);
	td_json_add(o, "confidence", json_object_new_string(situations[v->situation].key));
	td_json_add(o, "node", name_or_null(last));
	td_json_add(o, "path", names(v->path, v->nr_path));
	put_number(o, "value", last ? last->value : NAN);
	put_number(o, "low", last ? last->value - last->error : NAN);
	put_number(o, "high", last ? last->value + last->error : NAN);
	put_number(o, "slots", last ? last->slots_pct : NAN);
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

static void json_verdict(struct td_writer *writer, const struct td_report *report,
			 const struct td_advice *advice)
{
	const struct td_verdict *v = advice->verdict;
	struct json_object *line, *o;

	/* rows contain "lost" and "busy" in any case */
	if (v->situation == TD_SITUATION_NONE || (v->situation == TD_SITUATION_IDLE && !v->row))
		return;
	line = td_json_line();
	o = json_object_new_object();
	put_time(o, "time", writer->frame, report->time_ns);
	if (writer->frame->host)
		td_json_add(o, "host", json_object_new_string(writer->frame->host));
	put_named(o, v);
	if (v->by_size)
		td_json_add(o, "by_size", json_object_new_boolean(true));
	td_json_add(o, "runner_up", name_or_null(&v->runner_up));
	td_json_add(o, "tied", names(v->tied, 2));
	td_json_add(o, "over", names(v->over, 2));
	put_phases(o, report, v);
	td_json_add(o, "waits", json_object_new_boolean(v->waits));
	td_json_add(o, "held", json_object_new_boolean(v->held));
	put_number(o, "busy", v->busy_pct);
	td_json_add(o, "others", others(advice));
	td_json_add(o, "next", commands(advice));
	td_json_add(line, "verdict", o);
	td_out_json_line(writer, line);
}

const struct td_out td_out_json = {
	.option = "--json-output",
	.letter = "-j",
	.help = "JSON, an object on each line",
	.begins_with_head = true,
	.head = td_out_json_head,
	.report = json_report,
	.verdict = json_verdict,
	.events = out_json_events,
	.where = td_out_json_where,
	.sheet = td_out_json_sheet,
};
