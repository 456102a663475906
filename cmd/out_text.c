// SPDX-License-Identifier: GPL-2.0-only
/* For people: a table with -I, else trees in perf stat's frame. */
#include <string.h>

#include "cmd/out.h"
#include "cmd/out_events.h"
#include "lib/util.h"

#define CELL_WIDTH 20
#define PMU_WIDTH  12 /* cpu_lowpower */
#define ID_WIDTH   8

/* Between "%" and "tma_retiring" in the header of a cell. */
static int gap_width(const struct td_column *column)
{
	return column->unit[0] ? 2 : 0;
}

static int header_width(const struct td_column *column)
{
	int len = (int)strlen(column->unit) + gap_width(column) +
		  (int)strlen(column->name);

	return len > CELL_WIDTH ? len : CELL_WIDTH;
}

static void put_header(struct td_writer *writer, const struct td_report *report)
{
	FILE *fp = writer->fp;

	fputs("#           time", fp);
	if (writer->frame->show_id)
		fprintf(fp, " %-*s", ID_WIDTH, "id");
	if (writer->frame->show_pmu)
		fprintf(fp, " %-*s", PMU_WIDTH, "pmu");
	for (size_t i = 0; i < report->nr_columns; i++) {
		const struct td_column *column = &report->columns[i];
		int gap = gap_width(column);
		int width =
			header_width(column) - gap - (int)strlen(column->name);

		if (column->present)
			fprintf(fp, " %*s%*s%s", width, column->unit, gap, "",
				column->name);
	}
	fputc('\n', fp);
	writer->lines = 1;
	writer->header_done = true;
}

static void put_cell(const struct td_writer *writer,
		     const struct td_column *column, const struct td_cell *cell)
{
	bool colour = writer->frame->colour && cell->over_threshold;
	const char *text = td_out_missing(cell->status);
	char buf[TD_VALUE_SIZE];

	if (!text)
		text = td_out_value(buf, column, cell->value, TD_READER_HUMAN);
	fprintf(writer->fp, " %s%*s%s", colour ? "\033[31m" : "",
		header_width(column), text, colour ? "\033[m" : "");
}

int td_out_text_start(const struct td_writer *writer, uint64_t time_ns,
		      const struct td_row *row)
{
	FILE *fp = writer->fp;
	char time[40];
	int columns;

	columns = fprintf(fp, "%16s", td_format_seconds(time, time_ns));
	if (writer->frame->show_id)
		columns += fprintf(fp, " %-*s", ID_WIDTH, row->id);
	if (writer->frame->show_pmu)
		columns += fprintf(fp, " %-*s", PMU_WIDTH, row->pmu);
	return columns;
}

static void put_line(struct td_writer *writer, const struct td_report *report,
		     const struct td_row *row)
{
	td_out_text_start(writer, report->time_ns, row);
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (report->columns[i].present)
			put_cell(writer, &report->columns[i], &row->cells[i]);
	}
	fputc('\n', writer->fp);
	writer->lines++;
}

static void put_table(struct td_writer *writer, const struct td_report *report)
{
	unsigned int screen = writer->frame->screen_lines;

	if (!writer->header_done ||
	    (screen && writer->lines + report->nr_rows >= screen))
		put_header(writer, report);
	for (size_t i = 0; i < report->nr_rows; i++)
		put_line(writer, report, &report->rows[i]);
}

static void text_begin(struct td_writer *writer)
{
	(void)writer; /* what the command writes comes first */
}

/* perf's quotes: 'sleep 1', 'system wide', but process id '7' */
void td_out_text_title(struct td_writer *writer)
{
	static const char process[] = "process id ";
	const char *target = writer->frame->target;
	size_t skip = strncmp(target, process, sizeof(process) - 1) == 0
			      ? sizeof(process) - 1
			      : 0;

	fprintf(writer->fp, "\n Performance counter stats for %.*s'%s':\n\n",
		(int)skip, target, target + skip);
	writer->header_done = true;
}

static void text_report(struct td_writer *writer,
			const struct td_report *report)
{
	const struct td_frame *frame = writer->frame;

	if (frame->interval && !frame->trees) {
		put_table(writer, report);
		return;
	}
	if (!frame->interval && !writer->header_done)
		td_out_text_title(writer);
	for (size_t i = 0; i < report->nr_rows; i++)
		td_out_text_tree(writer, report, &report->rows[i]);
}

static void put_time(FILE *fp, uint64_t ns, const char *what)
{
	char time[40];

	fprintf(fp, " %17s seconds %s\n", td_format_seconds(time, ns), what);
}

static void text_end(struct td_writer *writer, const struct td_usage *usage)
{
	FILE *fp = writer->fp;

	if (writer->frame->interval)
		return;
	if (!writer->header_done)
		td_out_text_title(writer);
	put_time(fp, usage->elapsed_ns, "time elapsed");
	if (usage->has_times) {
		fputc('\n', fp);
		put_time(fp, usage->user_ns, "user");
		put_time(fp, usage->sys_ns, "sys");
	}
	fputc('\n', fp);
}

const struct td_out td_out_text = {
	.begin = text_begin,
	.report = text_report,
	.events = td_out_text_events,
	.end = text_end,
};
