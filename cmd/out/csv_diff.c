// SPDX-License-Identifier: GPL-2.0-only
/* CSV: a line for each value that was compared. */
#include <math.h>

#include "cmd/out/out.h"

const char *td_out_diff_kind(enum td_diff_kind kind)
{
	static const char *const words[] = {
		[TD_DIFF_TIME] = "time",
		[TD_DIFF_IPC] = "ipc",
		[TD_DIFF_METRIC] = "metric",
		[TD_DIFF_EVENT] = "event",
	};

	return words[kind];
}

static void put_text(const struct td_writer *writer, const char *text)
{
	fputs(writer->separator, writer->fp);
	if (text)
		td_out_csv_field(writer, text);
}

/* Differences of percentages may be small: they are written as other values. */
static void put_number(const struct td_writer *writer, double value)
{
	static const struct td_column any = { .unit = "" };
	char text[TD_VALUE_SIZE];

	fputs(writer->separator, writer->fp);
	if (!isnan(value))
		fputs(td_out_value(text, &any, value, TD_READER_SCRIPT),
		      writer->fp);
}

static void put_whole(const struct td_writer *writer, int value)
{
	fprintf(writer->fp, "%s%d", writer->separator, value);
}

static void put_value(const struct td_writer *writer,
		      const struct td_diff_value *value)
{
	put_number(writer, value->of[TD_DIFF_A]);
	put_number(writer, value->of[TD_DIFF_B]);
	put_number(writer, value->diff);
	put_number(writer, value->error);
	put_number(writer, value->degrees);
}

static void put_header(struct td_writer *writer)
{
	static const char names[] =
		"kind,id,pmu,name,unit,level,a,b,difference,error,degrees,"
		"percent,percent_error,per,slots_a,slots_b,slots_difference,"
		"slots_error,slots_degrees,marked\n";

	for (const char *c = names; *c; c++) {
		if (*c == ',')
			fputs(writer->separator, writer->fp);
		else
			fputc(*c, writer->fp);
	}
	writer->header_done = true;
}

static void put_row(const struct td_writer *writer, const struct td_diff *diff,
		    const struct td_diff_row *row)
{
	fputs(td_out_diff_kind(row->kind), writer->fp);
	put_text(writer, row->id);
	put_text(writer, row->pmu);
	put_text(writer, row->name);
	put_text(writer, row->unit);
	if (row->level)
		put_whole(writer, row->level);
	else
		put_text(writer, NULL);
	put_value(writer, &row->value);
	put_number(writer, row->change_pct);
	put_number(writer, row->change_error);
	put_text(writer, td_per_word(diff->per));
	put_value(writer, &row->slots);
	put_whole(writer, row->marked);
	fputc('\n', writer->fp);
}

void td_out_csv_diff(struct td_writer *writer, const struct td_diff *diff)
{
	if (!writer->header_done)
		put_header(writer);
	for (size_t i = 0; i < diff->nr; i++)
		put_row(writer, diff, &diff->rows[i]);
}
