// SPDX-License-Identifier: GPL-2.0-only
/* JSON Lines: an object a metric. */
#include <json-c/json.h>

#include "cmd/out.h"
#include "lib/util.h"

/* A number as text gives it: a double's own form has 17 digits. */
static struct json_object *number(double value)
{
	char buf[64];

	return json_object_new_double_s(value, td_out_format(buf, 2, value));
}

struct json_object *td_out_json_seconds(uint64_t ns)
{
	char buf[40];

	return json_object_new_double_s((double)ns / 1e9,
					td_format_seconds(buf, ns));
}

void td_out_json_line(FILE *fp, struct json_object *o)
{
	fputs(json_object_to_json_string_ext(
		      o,
		      JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
	      fp);
	fputc('\n', fp);
	json_object_put(o);
}

static void put_cell(FILE *fp, uint64_t time_ns, const struct td_row *row,
		     const struct td_column *column, const struct td_cell *cell)
{
	struct json_object *o = json_object_new_object();
	bool ok = cell->status == TD_STATUS_OK;

	json_object_object_add(o, "time", td_out_json_seconds(time_ns));
	json_object_object_add(o, "id", json_object_new_string(row->id));
	json_object_object_add(o, "pmu", json_object_new_string(row->pmu));
	json_object_object_add(o, "metric",
			       json_object_new_string(column->name));
	json_object_object_add(o, "value", ok ? number(cell->value) : NULL);
	json_object_object_add(o, "unit", json_object_new_string(column->unit));
	json_object_object_add(o, "level", json_object_new_int(column->level));
	json_object_object_add(
		o, "parent",
		column->parent ? json_object_new_string(column->parent) : NULL);
	json_object_object_add(
		o, "over_threshold",
		ok ? json_object_new_boolean(cell->over_threshold) : NULL);
	json_object_object_add(o, "running", number(cell->running_pct));
	td_out_json_line(fp, o);
}

static void json_begin(struct td_writer *writer)
{
	(void)writer;
}

static void json_report(struct td_writer *writer,
			const struct td_report *report)
{
	for (size_t r = 0; r < report->nr_rows; r++) {
		const struct td_row *row = &report->rows[r];

		for (size_t i = 0; i < report->nr_columns; i++) {
			if (row->cells[i].status != TD_STATUS_NONE)
				put_cell(writer->fp, report->time_ns, row,
					 &report->columns[i], &row->cells[i]);
		}
	}
}

static void json_end(struct td_writer *writer, const struct td_usage *usage)
{
	(void)writer;
	(void)usage;
}

const struct td_out td_out_json = {
	.begin = json_begin,
	.report = json_report,
	.events = td_out_json_events,
	.end = json_end,
};
