// SPDX-License-Identifier: GPL-2.0-only
/* perf stat's keys in its order; an object for each event, further metric. */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "cmd/out/out.h"
#include "cmd/out/time.h"
#include "lib/base/json_put.h"
#include "lib/count/aggregation.h"

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
	if (frame->runs > 1 && !isnan(row->error_pct))
		td_json_add(o, "variance", td_out_json_percent(row->error_pct));
	td_json_add(o, "event-runtime",
		    json_object_new_uint64(row->running_ns));
	td_json_add(o, "pcnt-running", td_out_json_percent(row->running_pct));
}

/*
 * perf's linter requires both keys, and a number as the value; "nan" means that
 * there is no metric.
 */
static void add_no_ratio(struct json_object *o)
{
	td_json_add(o, "metric-value", json_object_new_string("nan"));
	td_json_add(o, "metric-unit", json_object_new_string(""));
}

static void add_ratio(struct json_object *o, const struct td_ratio *ratio)
{
	td_json_add(o, "metric-value", number_text(ratio->value));
	td_json_add(o, "metric-unit", json_object_new_string(ratio->unit));
}

static void put_row(struct td_writer *writer, uint64_t time_ns,
		    const struct td_event_row *row)
{
	struct json_object *o = begin_object(writer->frame, time_ns, row);

	add_count(o, writer->frame, row);
	if (!row->nr_ratios)
		add_no_ratio(o);
	for (int i = 0; i < row->nr_ratios; i++) {
		if (i > 0) {
			td_out_json_line(writer, o);
			o = begin_object(writer->frame, time_ns, row);
		}
		add_ratio(o, &row->ratios[i]);
	}
	td_out_json_line(writer, o);
}

void td_out_json_events(struct td_writer *writer,
			const struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		put_row(writer, report->time_ns, &report->rows[i]);
}
