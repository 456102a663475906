// SPDX-License-Identifier: GPL-2.0-only
/* Text: the table of intervals in a window that is too narrow for whole names.
 */
#include <math.h>
#include <string.h>

#include "cmd/out/columns.h"
#include "cmd/out/out.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* Two decimals would show nothing of values below. */
#define SMALL 0.01

/* Times from here on have no room for fractions. */
#define LONG_NS UINT64_C(999999999500000)

static void put_names(const struct td_writer *writer,
		      const struct td_report *report,
		      const struct td_table_block *block, int from, int end)
{
	for (int i = from; i < end; i++) {
		char name[TD_SHORT_SIZE];

		td_table_name(&writer->table,
			      &report->columns[block->columns[i]], name);
		fputc(' ', writer->fp);
		td_put_padded(writer->fp, block->widths[i], name);
	}
	fputc('\n', writer->fp);
}

static void put_header_start(const struct td_writer *writer,
			     const struct td_table_block *block)
{
	const struct td_table *table = &writer->table;
	FILE *fp = writer->fp;

	fprintf(fp, "#%s%*s", table->percent ? " %" : "",
		td_out_time_width(writer->frame, TD_TIME_WIDTH) -
			(table->percent ? 3 : 1),
		"time");
	if (writer->frame->show_id)
		td_out_text_id(fp, table->id_width, "id");
	if (writer->frame->show_pmu)
		td_out_text_id(fp, table->pmu_width,
			       block->pmu ? block->pmu : "pmu");
	td_out_text_facts_header(fp, table->facts);
}

static void put_header(struct td_writer *writer, const struct td_report *report)
{
	const struct td_table *table = &writer->table;

	writer->lines = 0;
	for (size_t b = 0; b < table->nr_blocks; b++) {
		const struct td_table_block *block = &table->blocks[b];

		put_header_start(writer, block);
		for (int at = 0, end; at < block->nr; at = end) {
			end = td_table_line_end(table, block, at);
			if (at)
				fprintf(writer->fp, "#%*s",
					table->start_width - 1, "");
			put_names(writer, report, block, at, end);
		}
		writer->lines += td_table_lines(table, block);
	}
	writer->header_done = true;
}

/* With fewer decimals, or an exponent, if it is too long. */
static void fit_value(char buf[TD_VALUE_SIZE], const struct td_column *column,
		      double value, int width)
{
	int decimals = fabs(value) < SMALL ? -1 : 2;

	td_out_value(buf, column, value, TD_READER_HUMAN);
	for (; decimals >= 0 && (int)strlen(buf) > width; decimals--)
		snprintf(buf, TD_VALUE_SIZE, "%.*f", decimals, value);
	if ((int)strlen(buf) > width)
		snprintf(buf, TD_VALUE_SIZE, "%.0e", value);
}

static const char *missing(enum td_status status)
{
	switch (status) {
	case TD_STATUS_NOT_COUNTED:
		return "-";
	case TD_STATUS_NOT_SUPPORTED:
		return "n/a";
	default:
		return "";
	}
}

static void put_cell(struct td_writer *writer, const struct td_row *row,
		     const struct td_column *column, const struct td_cell *cell,
		     int width)
{
	const char mark[] = { td_out_table_mark(row, cell), '\0' };
	bool red = writer->frame->colour && *mark == '*';
	bool ok = cell->status == TD_STATUS_OK;
	char buf[TD_VALUE_SIZE];

	td_out_marks_add(&writer->marks, row, cell);
	/* the reason may be gone at the end */
	writer->marks.why = NULL;
	if (ok)
		fit_value(buf, column, cell->value, width);
	fprintf(writer->fp, "%s%*s%s%s", red ? "\033[31m" : "", width,
		ok ? buf : missing(cell->status), mark, red ? "\033[m" : "");
}

static void put_cells(struct td_writer *writer, const struct td_report *report,
		      const struct td_row *row,
		      const struct td_table_block *block, int from, int end)
{
	for (int i = from; i < end; i++) {
		int column = block->columns[i];
		int before = i > from ? block->columns[i - 1] : -1;

		/* a mark of the value before stands in place of the blank */
		if (before < 0 || !td_out_table_mark(row, &row->cells[before]))
			fputc(' ', writer->fp);
		put_cell(writer, row, &report->columns[column],
			 &row->cells[column], block->widths[i]);
	}
}

static void put_time(const struct td_writer *writer, uint64_t time_ns)
{
	char time[TD_CLOCK_SIZE];

	if (writer->frame->time != TD_TIME_SECONDS)
		fputs(td_out_time(time, writer->frame, time_ns), writer->fp);
	else
		fprintf(writer->fp, "%*.*f", TD_TIME_WIDTH,
			time_ns < LONG_NS ? 3 : 0, (double)time_ns / 1e9);
}

static void put_start(const struct td_writer *writer, uint64_t time_ns,
		      const struct td_row *row)
{
	const struct td_table *table = &writer->table;
	char id[TD_SHOWN_SIZE];

	put_time(writer, time_ns);
	if (writer->frame->show_id)
		td_out_text_id(writer->fp, table->id_width,
			       td_row_shown(row, id));
	if (writer->frame->show_pmu)
		td_out_text_id(writer->fp, table->pmu_width, row->pmu);
	td_out_text_facts(writer->fp, table->facts, row);
}

static void put_row(struct td_writer *writer, const struct td_report *report,
		    const struct td_row *row)
{
	const struct td_table *table = &writer->table;
	const struct td_table_block *block = td_table_block_of(table, row);

	for (int at = 0, end; at < block->nr; at = end) {
		end = td_table_line_end(table, block, at);
		td_out_text_begin_line(writer, row);
		if (at)
			fprintf(writer->fp, "%*s", table->start_width, "");
		else
			put_start(writer, report->time_ns, row);
		put_cells(writer, report, row, block, at, end);
		td_out_text_end_line(writer, row);
		writer->lines++;
	}
}

void td_out_text_narrow(struct td_writer *writer,
			const struct td_report *report, bool other)
{
	unsigned int screen = writer->frame->screen_lines, lines = 0;

	for (size_t i = 0; i < report->nr_rows; i++)
		lines += td_table_lines(
			&writer->table,
			td_table_block_of(&writer->table, &report->rows[i]));
	if (other || !writer->header_done ||
	    (screen && writer->lines + lines >= screen))
		put_header(writer, report);
	for (size_t i = 0; i < report->nr_rows; i++)
		if (!td_out_is_left_out(report, &report->rows[i]))
			put_row(writer, report, &report->rows[i]);
}
