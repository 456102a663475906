// SPDX-License-Identifier: GPL-2.0-only
/* CSV (RFC 4180): one header line, then the same columns in every line. */
#include <inttypes.h>
#include <math.h>

#include "cmd/output/columns.h"
#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/printable.h"
#include "lib/count/aggregation.h"

/* --- events, as in perf stat -x -------------------------------------------- */

/*
 * Fields of perf stat: [time] [summary] [id [counters]] value unit event [cgroup] [variance]
 * runtime percent metric-value metric-unit.  There is no header, and all lines have the same number
 * of fields.
 */

/* Put a separator and a field. */
static void put_next(const struct td_writer *writer, const char *text)
{
	fputs(writer->separator, writer->fp);
	td_out_csv_field(writer, text);
}

static void begin_line(const struct td_writer *writer, uint64_t time_ns,
		       const struct td_event_row *row)
{
	const struct td_aggregation_row *by = td_aggregation_row(writer->frame->how);
	char time[TD_CLOCK_SIZE];

	if (writer->frame->interval)
		fprintf(writer->fp, "%s%s", td_out_time(time, writer->frame, time_ns),
			writer->separator);
	if (writer->summary && writer->frame->summary_word)
		fprintf(writer->fp, "summary%s", writer->separator);
	if (!by->width)
		return;
	td_out_csv_field(writer, td_out_has_id(row) ? row->id : "");
	fputs(writer->separator, writer->fp);
	if (by->counted)
		fprintf(writer->fp, "%u%s", row->nr, writer->separator);
}

/* Put the error, "1.25%", after the event, not after the percentage as in perf's manual. */
static void put_error(const struct td_writer *writer, const struct td_event_row *row)
{
	bool known = !isnan(row->error_pct);

	fputs(writer->separator, writer->fp);
	if (!known && !writer->frame->perf)
		return;
	td_out_number(writer->fp, 0, 2, known ? row->error_pct : 0);
	fputc('%', writer->fp);
}

static void put_count(const struct td_writer *writer, const struct td_event_row *row)
{
	const char *missing = td_out_missing(row->status);

	if (missing)
		td_out_csv_field(writer, missing);
	else
		td_out_number(writer->fp, 0, row->decimals, row->value);
	put_next(writer, row->unit);
	put_next(writer, row->event);
	if (writer->frame->show_cgroup)
		put_next(writer, row->cgroup ? row->cgroup : "");
	if (writer->frame->runs > 1)
		put_error(writer, row);
	fprintf(writer->fp, "%s%" PRIu64 "%s", writer->separator, row->running_ns,
		writer->separator);
	td_out_number(writer->fp, 0, 2, row->running_pct);
}

static void put_event_row(const struct td_writer *writer, uint64_t time_ns,
			  const struct td_event_row *row)
{
	const char *sep = writer->separator;

	begin_line(writer, time_ns, row);
	put_count(writer, row);
	if (!row->nr_ratios)
		fprintf(writer->fp, "%s%s", sep, sep);
	for (int i = 0; i < row->nr_ratios; i++) {
		if (i > 0) { /* the fields of the count are empty */
			fputc('\n', writer->fp);
			begin_line(writer, time_ns, row);
			fprintf(writer->fp, "%s%s%s%s%s%s", sep, sep, sep, sep,
				writer->frame->show_cgroup ? sep : "",
				writer->frame->runs > 1 ? sep : "");
		}
		fputs(writer->separator, writer->fp);
		td_out_number(writer->fp, 0, row->ratios[i].decimals, row->ratios[i].value);
		put_next(writer, row->ratios[i].unit);
	}
	fputc('\n', writer->fp);
}

static void out_csv_events(struct td_writer *writer, const struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		put_event_row(writer, report->time_ns, &report->rows[i]);
}

/* --- metrics --------------------------------------------------------------- */

/* Put the name of a column of a metric, such as "tma_retiring_error". */
static void put_name_of(struct td_writer *writer, const char *metric, const char *what)
{
	td_autofree char *name = td_aprintf("%s_%s", metric, what);

	put_next(writer, name);
}

static bool has_regions(const struct td_writer *writer)
{
	return writer->frame->how == TD_AGGREGATE_REGION;
}

/* Is there another column with this name, from -M or for regions?  Names are unique. */
static bool is_duplicate(const struct td_writer *writer, const struct td_report *report,
			 const struct td_sheet_column *fact)
{
	if (fact->key && has_regions(writer) && td_out_is_of_regions(fact->key))
		return true;
	for (size_t i = 0; fact->key && i < report->nr_columns; i++) {
		if (!strcmp(report->columns[i].name, fact->key))
			return true;
	}
	return false;
}

/* Put the names of metrics with impossible values, separated by blanks. */
static void put_flags(struct td_writer *writer, const struct td_report *report,
		      const struct td_row *row)
{
	char *names = NULL, *longer;

	for (size_t i = 0; i < report->nr_columns; i++) {
		if (!(row->cells && row->cells[i].status == TD_STATUS_OK && row->cells[i].misfit))
			continue;
		longer = td_aprintf("%s%s%s", names ? names : "", names ? " " : "",
				    report->columns[i].name);
		free(names);
		names = longer;
	}
	put_next(writer, names ? names : "");
	free(names);
}

/* Put the names of facts or, if row is not NULL, their values. */
static void put_facts(struct td_writer *writer, const struct td_report *report,
		      const struct td_row *row, bool after)
{
	for (size_t i = 0; i < td_nr_row_facts; i++) {
		const struct td_sheet_column *fact = &td_row_facts[i];

		if (fact->after != after || is_duplicate(writer, report, fact))
			continue;
		if (row)
			td_out_csv_cells(writer, fact, 1, row);
		else
			td_out_csv_names(writer, fact, 1);
	}
}

static void put_header(struct td_writer *writer, const struct td_report *report)
{
	td_out_csv_field(writer, "time");
	put_next(writer, "id");
	put_next(writer, "pmu");
	put_facts(writer, report, NULL, false);
	if (has_regions(writer))
		td_out_csv_region_names(writer);
	for (size_t i = 0; i < report->nr_columns; i++) {
		const char *name = report->columns[i].name;

		put_next(writer, name);
		if (!writer->frame->errors)
			continue;
		put_name_of(writer, name, "error");
		if (has_regions(writer))
			continue;
		put_name_of(writer, name, "low");
		put_name_of(writer, name, "high");
	}
	put_facts(writer, report, NULL, true);
	fprintf(writer->fp, "%sflags", writer->separator);
	fputc('\n', writer->fp);
	writer->header_done = true;
}

/* Put a value, or an empty field if there is none. */
static void put_value(const struct td_writer *writer, const struct td_column *column,
		      const struct td_cell *cell, double value)
{
	char text[TD_VALUE_SIZE];

	fputs(writer->separator, writer->fp);
	if (cell->status == TD_STATUS_OK && !isnan(value))
		fputs(td_out_value(text, column, value, TD_READER_SCRIPT), writer->fp);
}

/* Return the facts of a line of errors. */
static struct td_row spread_of(const struct td_row *row)
{
	struct td_row spread = td_row_init(row->id, row->pmu);

	spread.kind = TD_ROW_SPREAD;
	spread.cpu = row->cpu;
	spread.core = row->core;
	spread.cgroup = row->cgroup;
	spread.container = row->container;
	return spread;
}

/* Put a row.  If facts is spread_of(row) instead of row, put the line of its errors. */
static void put_row(struct td_writer *writer, const struct td_report *report,
		    const struct td_row *row, const struct td_row *facts)
{
	bool errors = facts != row;
	char time[TD_CLOCK_SIZE];

	fputs(td_out_time(time, writer->frame, report->time_ns), writer->fp);
	put_next(writer, row->id);
	put_next(writer, row->pmu);
	put_facts(writer, report, facts, false);
	if (row->region)
		td_out_csv_region(writer, row->region);
	for (size_t i = 0; i < report->nr_columns; i++) {
		const struct td_column *column = &report->columns[i];
		const struct td_cell *cell = &row->cells[i];

		put_value(writer, column, cell, errors ? cell->runs_error : cell->value);
		if (!writer->frame->errors)
			continue;
		put_value(writer, column, cell, errors ? NAN : cell->error);
		if (has_regions(writer)) /* regions have no range over time */
			continue;
		put_value(writer, column, cell, errors ? NAN : cell->low);
		put_value(writer, column, cell, errors ? NAN : cell->high);
	}
	put_facts(writer, report, facts, true);
	put_flags(writer, report, facts);
	fputc('\n', writer->fp);
}

static void csv_report(struct td_writer *writer, const struct td_report *report)
{
	if (!writer->header_done)
		put_header(writer, report);
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		struct td_row spread;

		put_row(writer, report, row, row);
		if (writer->frame->runs < 2)
			continue;
		spread = spread_of(row);
		put_row(writer, report, row, &spread);
	}
}

const struct td_out td_out_csv = {
	.option = "--field-separator",
	.letter = "-x",
	.arg = "SEP",
	.help = "CSV with SEP between fields; \\t is a tab",
	.one_header = true,
	.head = td_out_csv_head,
	.header = put_header,
	.report = csv_report,
	.events = out_csv_events,
	.where = td_out_csv_where,
	.sheet = td_out_csv_sheet,
};
