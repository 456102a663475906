// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf stat's fields: [time] [summary] [id [counters]] value unit event
 * [cgroup] [variance] runtime percent metric-value metric-unit.  There is no
 * header, and each line has the same number of fields.
 */
#include <inttypes.h>
#include <math.h>

#include "cmd/out/out.h"
#include "cmd/out/time.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"

static void begin_line(const struct td_writer *writer, uint64_t time_ns,
		       const struct td_event_row *row)
{
	const struct td_aggregation_row *by =
		td_aggregation_row(writer->frame->how);
	char time[TD_CLOCK_SIZE];

	if (writer->frame->interval)
		fprintf(writer->fp, "%s%s",
			td_out_time(time, writer->frame, time_ns),
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

/* "1.25%" comes after the event, not after the percentage as in the manual. */
static void put_error(const struct td_writer *writer,
		      const struct td_event_row *row)
{
	fputs(writer->separator, writer->fp);
	if (isnan(row->error_pct))
		return;
	td_out_number(writer->fp, 0, 2, row->error_pct);
	fputc('%', writer->fp);
}

static void put_count(const struct td_writer *writer,
		      const struct td_event_row *row)
{
	const char *missing = td_out_missing(row->status);

	if (missing)
		td_out_csv_field(writer, missing);
	else
		td_out_number(writer->fp, 0, row->decimals, row->value);
	fputs(writer->separator, writer->fp);
	td_out_csv_field(writer, row->unit);
	fputs(writer->separator, writer->fp);
	td_out_csv_field(writer, row->event);
	if (writer->frame->show_cgroup) {
		fputs(writer->separator, writer->fp);
		td_out_csv_field(writer, row->cgroup ? row->cgroup : "");
	}
	if (writer->frame->runs > 1)
		put_error(writer, row);
	fprintf(writer->fp, "%s%" PRIu64 "%s", writer->separator,
		row->running_ns, writer->separator);
	td_out_number(writer->fp, 0, 2, row->running_pct);
}

static void put_ratio(const struct td_writer *writer,
		      const struct td_ratio *ratio)
{
	fputs(writer->separator, writer->fp);
	td_out_number(writer->fp, 0, ratio->decimals, ratio->value);
	fputs(writer->separator, writer->fp);
	td_out_csv_field(writer, ratio->unit);
}

static void put_row(const struct td_writer *writer, uint64_t time_ns,
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
		put_ratio(writer, &row->ratios[i]);
	}
	fputc('\n', writer->fp);
}

void td_out_csv_events(struct td_writer *writer,
		       const struct td_event_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		put_row(writer, report->time_ns, &report->rows[i]);
}
