// SPDX-License-Identifier: GPL-2.0-only
/* JSON Lines: an object for each metric. */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "cmd/out/columns.h"
#include "cmd/out/format.h"
#include "cmd/out/out.h"
#include "lib/base/json.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"
#include "lib/count/regions.h"

/* --- how long the calls of a function took, and why the slow ones did ----- */

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
		[TD_SLOW_WAITED] = "waited",
		[TD_SLOW_PREEMPTED] = "preempted",
		[TD_SLOW_OFF] = "not running",
		[TD_SLOW_INTERRUPT] = "interrupts",
		[TD_SLOW_CORE] = "other core",
		[TD_SLOW_NODE] = "node",
		[TD_SLOW_CLOCK] = "clock",
		[TD_SLOW_REST] = "rest",
	};
	struct json_object *o = json_object_new_object();

	td_json_put_string(o, "cause", kinds[cause->kind]);
	td_json_add(o, "node",
		    cause->node ? json_object_new_string(cause->node) : NULL);
	put_number(o, "share", cause->share_pct);
	put_number(o, "error", cause->error_pct);
	td_json_add(o, "clear",
		    json_object_new_boolean(td_slow_is_clear(cause)));
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

static void put_quantiles(struct json_object *o,
			  const struct td_durations *durations)
{
	put_ns(o, "p50", td_durations_quantile(durations, 0.5));
	put_ns(o, "p90", td_durations_quantile(durations, 0.9));
	put_ns(o, "p99", td_durations_quantile(durations, 0.99));
	put_ns(o, "p99_9", td_durations_quantile(durations, 0.999));
	put_ns(o, "max", durations->nr ? (double)durations->max_ns : NAN);
}

/* json.c: the same, as an object on a line */
static void put_durations(struct td_writer *writer,
			  const struct td_timed *timed,
			  const struct td_slow *slow)
{
	struct json_object *line = td_json_line();
	struct json_object *o = json_object_new_object();
	struct json_object *slowest = json_object_new_array();
	uint64_t nr = timed->durations.nr;

	td_json_put_string(o, "function", timed->name);
	td_json_add(o, "engine",
		    timed->engine ? json_object_new_string(
					    td_timed_engine(timed->engine))
				  : NULL);
	td_json_put_int(o, "calls", (int64_t)nr);
	if (timed->counting_ns)
		td_json_add(o, "all", NULL);
	else
		td_json_put_int(o, "all",
				(int64_t)(timed->all ? timed->all : nr));
	put_number(o, "traced", td_timed_traced_pct(timed));
	put_quantiles(o, &timed->durations);
	td_json_add(o, "slow", slow->slow ? slow_object(slow) : NULL);
	for (size_t i = 0; i < timed->nr_slowest; i++)
		td_json_append(slowest, call_object(&timed->slowest[i]));
	td_json_add(o, "slowest", slowest);
	td_json_add(line, "durations", o);
	td_out_json_line(writer, line);
}

/* --- events, as perf stat -j has them -------------------------------------- */

/* perf writes counts as strings ("%f"). */
static struct json_object *number_text(double value)
{
	char buf[64];

	return json_object_new_string(td_out_format(buf, 6, value));
}

static struct json_object *begin_object(const struct td_frame *frame,
					uint64_t time_ns,
					const struct td_event_row *row)
{
	const struct td_aggregation_row *by = td_aggregation_row(frame->how);
	struct json_object *o = td_json_line();

	if (frame->interval)
		td_out_json_time(o, "interval", frame, time_ns);
	if (by->width && td_out_has_id(row))
		td_json_add(o, by->name,
			    json_object_new_string(row->id + by->prefix));
	if (frame->host)
		td_json_add(o, "host", json_object_new_string(frame->host));
	/* perf 7.2 writes "counters", which the linter of 6.12 refuses */
	if (by->counted && td_out_has_id(row))
		td_json_add(o, "aggregate-number",
			    json_object_new_int64(row->nr));
	return o;
}

static void add_count(struct json_object *o, const struct td_frame *frame,
		      const struct td_event_row *row)
{
	const char *missing = td_out_missing(row->status);

	td_json_add(o, "counter-value",
		    missing ? json_object_new_string(missing)
			    : number_text(row->value));
	td_json_add(o, "unit", json_object_new_string(row->unit));
	td_json_add(o, "event", json_object_new_string(row->event));
	if (row->cgroup)
		td_json_add(o, "cgroup", json_object_new_string(row->cgroup));
	if (row->container && !frame->perf)
		td_json_put_string(o, "container", row->container);
	if (frame->runs > 1 && (frame->perf || !isnan(row->error_pct)))
		td_json_add(o, "variance",
			    td_out_json_percent(isnan(row->error_pct)
							? 0
							: row->error_pct));
	td_json_add(o, "event-runtime",
		    json_object_new_uint64(row->running_ns));
	td_json_add(o, "pcnt-running", td_out_json_percent(row->running_pct));
}

/*
 * perf's linter requires both keys, and a number as the value; "nan" means that
 * there is no metric.
 */
static void add_no_ratio(struct json_object *o, const struct td_frame *frame)
{
	td_json_add(o, "metric-value",
		    frame->perf ? number_text(0)
				: json_object_new_string("nan"));
	td_json_add(o, "metric-unit", json_object_new_string(""));
}

static void add_ratio(struct json_object *o, const struct td_ratio *ratio)
{
	td_json_add(o, "metric-value", number_text(ratio->value));
	td_json_add(o, "metric-unit", json_object_new_string(ratio->unit));
}

static void put_event_row(struct td_writer *writer, uint64_t time_ns,
			  const struct td_event_row *row)
{
	struct json_object *o = begin_object(writer->frame, time_ns, row);

	add_count(o, writer->frame, row);
	if (!row->nr_ratios)
		add_no_ratio(o, writer->frame);
	for (int i = 0; i < row->nr_ratios; i++) {
		if (i > 0) {
			td_out_json_line(writer, o);
			o = begin_object(writer->frame, time_ns, row);
		}
		add_ratio(o, &row->ratios[i]);
	}
	td_out_json_line(writer, o);
}

static void out_json_events(struct td_writer *writer,
			    const struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		put_event_row(writer, report->time_ns, &report->rows[i]);
}

/* --- metrics --------------------------------------------------------------- */

static struct json_object *text_or_null(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

static void put_facts(struct json_object *o, const struct td_row *row,
		      bool behind)
{
	for (size_t i = 0; i < td_nr_row_facts; i++) {
		const struct td_sheet_column *fact = &td_row_facts[i];

		if (fact->behind == behind &&
		    !(row->region && fact->key &&
		      td_out_is_of_regions(fact->key)))
			td_out_json_cells(o, fact, 1, row);
	}
}

/* What all metrics of a row have in common. */
static void put_row(const struct td_writer *writer, struct json_object *o,
		    const struct td_report *report, const struct td_row *row)
{
	td_out_json_time(o, "time", writer->frame, report->time_ns);
	td_json_add(o, "id", json_object_new_string(row->id));
	td_json_add(o, "pmu", json_object_new_string(row->pmu));
	if (row->general)
		td_json_add(o, "general_counters",
			    json_object_new_boolean(true));
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
	td_json_add(o, "level",
		    node->level ? json_object_new_int(node->level) : NULL);
	td_json_add(o, "parent", text_or_null(node->parent));
	td_json_add(o, "over_threshold",
		    ok && !cell->over_unknown
			    ? json_object_new_boolean(td_out_is_over(row, cell))
			    : NULL);
	td_json_add(o, "running", td_out_json_percent(cell->running_pct));
	td_json_add(o, "error",
		    ok && !isnan(cell->error) ? td_out_json_number(cell->error)
					      : NULL);
	if (ok && writer->frame->errors && !isnan(cell->low)) {
		td_json_add(o, "low", td_out_json_number(cell->low));
		td_json_add(o, "high", td_out_json_number(cell->high));
	}
	if (ok && cell->too_short)
		td_json_add(o, "too_short", json_object_new_boolean(true));
	if (ok && cell->misfit)
		td_json_add(o, "misfit",
			    json_object_new_string(
				    td_out_misfit_word(cell->misfit)));
	if (ok && writer->frame->runs > 1 && !isnan(cell->runs_error))
		td_json_add(o, "runs_error",
			    td_out_json_number(cell->runs_error));
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

static void json_report(struct td_writer *writer,
			const struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];

		for (size_t i = 0; i < row->nr_nodes; i++) {
			const struct td_node *node = &row->nodes[i];

			if (row->cells[node->column].status != TD_STATUS_NONE)
				put_node(writer, report, row, node);
		}
	}
	for (size_t i = 0; i < report->nr_timed; i++)
		put_durations(writer, &report->timed[i], &report->slow[i]);
}

const struct td_out td_out_json = {
	.option = "--json-output",
	.letter = "-j",
	.help = "JSON, an object on each line",
	.tells = true,
	.head = td_out_json_head,
	.report = json_report,
	.verdict = td_out_json_verdict,
	.events = out_json_events,
	.where = td_out_json_where,
	.sheet = td_out_json_sheet,
};
