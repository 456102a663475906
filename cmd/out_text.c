// SPDX-License-Identifier: GPL-2.0-only
/* For people: a table with -I, else a tree in perf stat's frame. */
#include <string.h>

#include "cmd/out.h"
#include "lib/util.h"

#define CELL_WIDTH  20
#define PMU_WIDTH   12 /* cpu_lowpower */
#define ID_WIDTH    8
#define MARK_COLUMN 41 /* where "<--" stands */

/* "%  tma_retiring", the header of a cell */
static int header_width(const struct td_column *column)
{
	int len = (int)(strlen(column->unit) + 2 + strlen(column->name));

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
		int width = header_width(column);
		int name = (int)strlen(column->name);

		if (column->present)
			fprintf(fp, " %*s  %s", width - name - 2, column->unit,
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
	int width = header_width(column);

	fputc(' ', writer->fp);
	switch (cell->status) {
	case TD_STATUS_OK:
		fputs(colour ? "\033[31m" : "", writer->fp);
		td_out_number(writer->fp, width, 1, cell->value);
		fputs(colour ? "\033[m" : "", writer->fp);
		return;
	case TD_STATUS_NOT_COUNTED:
		fprintf(writer->fp, "%*s", width, "<not counted>");
		return;
	case TD_STATUS_NOT_SUPPORTED:
		fprintf(writer->fp, "%*s", width, "<not supported>");
		return;
	case TD_STATUS_NONE:
		fprintf(writer->fp, "%*s", width, "");
		return;
	}
}

static void put_line(struct td_writer *writer, const struct td_report *report,
		     const struct td_row *row)
{
	FILE *fp = writer->fp;
	char time[40];

	fprintf(fp, "%16s", td_format_seconds(time, report->time_ns));
	if (writer->frame->show_id)
		fprintf(fp, " %-*s", ID_WIDTH, row->id);
	if (writer->frame->show_pmu)
		fprintf(fp, " %-*s", PMU_WIDTH, row->pmu);
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (report->columns[i].present)
			put_cell(writer, &report->columns[i], &row->cells[i]);
	}
	fputc('\n', fp);
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

static bool row_counted(const struct td_report *report,
			const struct td_row *row)
{
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (row->cells[i].status == TD_STATUS_OK)
			return true;
	}
	return false;
}

/* Percentages that are printed as 100.0 are all of it. */
#define ALL_PCT 99.95

/* " cpu_core, 97.8 % of the slots, 86.7 % of the time" */
static void put_heading(const struct td_writer *writer,
			const struct td_row *row, bool counted)
{
	FILE *fp = writer->fp;

	if (writer->frame->show_id)
		fprintf(fp, " %s", row->id);
	fprintf(fp, " %s", row->pmu);
	if (!counted)
		fputs(", <not counted>", fp);
	else if (writer->frame->show_pmu && row->share_pct >= 0 &&
		 !(writer->frame->show_id && row->share_pct > ALL_PCT))
		fprintf(fp, ", %.1f %% of the slots", row->share_pct);
	if (counted && row->running_pct < ALL_PCT)
		fprintf(fp, ", %.1f %% of the time", row->running_pct);
	fputc('\n', fp);
}

/* The share of the time that was counted, where it was less than the row's. */
static void put_running(FILE *fp, const struct td_row *row,
			const struct td_cell *cell)
{
	if (cell->running_pct + 100 - ALL_PCT < row->running_pct)
		fprintf(fp, "  (%.1f %%)", cell->running_pct);
}

static void put_node(const struct td_writer *writer, const struct td_row *row,
		     const struct td_column *column, const struct td_cell *cell)
{
	int indent = 4 * (column->level - 1), len;
	FILE *fp = writer->fp;

	if (cell->status == TD_STATUS_NOT_COUNTED) {
		fprintf(fp, "%*s  %s\n", indent + 12, "<not counted>",
			column->name);
		return;
	}
	td_out_number(fp, indent + 10, 1, cell->value);
	len = indent + 10 + fprintf(fp, " %s  %s", column->unit, column->name);
	if (cell->over_threshold)
		fprintf(fp, "%*s%s<--%s",
			len < MARK_COLUMN ? MARK_COLUMN - len : 1, "",
			writer->frame->colour ? "\033[31m" : "",
			writer->frame->colour ? "\033[m" : "");
	put_running(fp, row, cell);
	fputc('\n', fp);
}

static void put_tree(const struct td_writer *writer,
		     const struct td_report *report, const struct td_row *row)
{
	bool counted = row_counted(report, row);

	put_heading(writer, row, counted);
	for (size_t i = 0; counted && i < report->nr_columns; i++) {
		if (row->cells[i].status != TD_STATUS_NONE)
			put_node(writer, row, &report->columns[i],
				 &row->cells[i]);
	}
	fputc('\n', writer->fp);
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
	if (writer->frame->interval) {
		put_table(writer, report);
		return;
	}
	if (!writer->header_done)
		td_out_text_title(writer);
	for (size_t i = 0; i < report->nr_rows; i++)
		put_tree(writer, report, &report->rows[i]);
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
