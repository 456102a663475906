// SPDX-License-Identifier: GPL-2.0-only
/* RFC 4180: one header line, the same columns in every line. */
#include <string.h>

#include "cmd/out.h"
#include "lib/util.h"

void td_out_csv_field(const struct td_writer *writer, const char *text)
{
	FILE *fp = writer->fp;

	if (!strstr(text, writer->separator) && !strpbrk(text, "\"\r\n")) {
		fputs(text, fp);
		return;
	}
	fputc('"', fp);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', fp);
		fputc(*text, fp);
	}
	fputc('"', fp);
}

static void put_header(struct td_writer *writer, const struct td_report *report)
{
	const char *sep = writer->separator;

	fprintf(writer->fp, "time%sid%spmu", sep, sep);
	for (size_t i = 0; i < report->nr_columns; i++) {
		fputs(sep, writer->fp);
		td_out_csv_field(writer, report->columns[i].name);
	}
	fputc('\n', writer->fp);
	writer->header_done = true;
}

static void put_row(const struct td_writer *writer,
		    const struct td_report *report, const struct td_row *row)
{
	char time[40], value[TD_VALUE_SIZE];

	fputs(td_format_seconds(time, report->time_ns), writer->fp);
	fputs(writer->separator, writer->fp);
	td_out_csv_field(writer, row->id);
	fputs(writer->separator, writer->fp);
	td_out_csv_field(writer, row->pmu);
	for (size_t i = 0; i < report->nr_columns; i++) {
		fputs(writer->separator, writer->fp);
		if (row->cells[i].status == TD_STATUS_OK)
			fputs(td_out_value(value, &report->columns[i],
					   row->cells[i].value,
					   TD_READER_SCRIPT),
			      writer->fp);
	}
	fputc('\n', writer->fp);
}

static void csv_begin(struct td_writer *writer)
{
	(void)writer; /* the columns are known with the first report */
}

static void csv_report(struct td_writer *writer, const struct td_report *report)
{
	if (!writer->header_done)
		put_header(writer, report);
	for (size_t i = 0; i < report->nr_rows; i++)
		put_row(writer, report, &report->rows[i]);
}

static void csv_end(struct td_writer *writer, const struct td_usage *usage)
{
	(void)writer;
	(void)usage;
}

const struct td_out td_out_csv = {
	.begin = csv_begin,
	.report = csv_report,
	.events = td_out_csv_events,
	.end = csv_end,
};
