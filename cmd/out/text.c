// SPDX-License-Identifier: GPL-2.0-only
/* Text: a table with -I, else trees within perf stat's title and end. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cmd/out/columns.h"
#include "cmd/out/format.h"
#include "cmd/out/out.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

#define MIN_PART 5 /* ".1234" */

/* The blanks between "%" and "tma_retiring" in a header. */
static int gap_width(const struct td_column *column)
{
	return column->unit[0] ? 2 : 0;
}

static void put_header(struct td_writer *writer, const struct td_report *report)
{
	FILE *fp = writer->fp;
	int nr = 0;

	td_out_text_start_header(writer);
	td_out_text_facts_header(fp, td_facts_shown(report, UINT_MAX));
	for (size_t i = 0; i < report->nr_columns; i++) {
		const struct td_column *column = &report->columns[i];
		int width = td_table_wide_width(column);

		if (!column->present)
			continue;
		writer->widths[nr] = width;
		/* with more columns there would be trees, not a table */
		nr += nr + 1 < TD_MAX_COLUMNS;
		width -= gap_width(column) + td_printable_width(column->name);
		fputc(' ', fp);
		td_put_padded(fp, width, column->unit);
		td_put_blanks(fp, gap_width(column));
		td_put_printable(fp, column->name);
	}
	fputc('\n', fp);
	writer->lines = 1;
	writer->header_done = true;
}

/*
 * The blanks after a value, so that the points of a column are aligned with the
 * longest fraction so far.
 */
static int blanks_behind(const struct td_column *column, const char *value,
			 int *longest)
{
	int part = td_out_part(value);

	if (column->unit[0] == '%')
		return 0;
	if (*longest < MIN_PART)
		*longest = MIN_PART;
	if (*longest < part)
		*longest = part;
	return *longest - part;
}

/* Returns the blanks that the next cell begins with. */
static int put_cell(struct td_writer *writer, const struct td_row *row,
		    const struct td_column *column, const struct td_cell *cell,
		    int width, int *longest)
{
	char mark = td_out_table_mark(row, cell);
	bool red = writer->frame->colour && mark == '*';
	const char *text = td_out_missing(cell->status);
	char buf[TD_VALUE_SIZE];
	int behind = 0;

	if (!text) {
		td_out_marks_add(&writer->marks, row, cell);
		text = td_out_value(buf, column, cell->value, TD_READER_HUMAN);
		behind = blanks_behind(column, text, longest);
	}
	if (red)
		fputs_unlocked("\033[31m", writer->fp);
	td_put_right(writer->fp, width - behind, text);
	if (mark)
		putc_unlocked(mark, writer->fp);
	if (red)
		fputs_unlocked("\033[m", writer->fp);
	return mark ? behind : behind + 1;
}

static void put_line(struct td_writer *writer, const struct td_report *report,
		     const struct td_row *row)
{
	bool dim = writer->frame->colour && row->idle;
	int blanks = 1, nr = 0;

	fputs_unlocked(dim ? "\033[2m" : "", writer->fp);
	td_out_text_start(writer, report->time_ns, row);
	td_out_text_facts(writer->fp, td_facts_shown(report, UINT_MAX), row);
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (!report->columns[i].present)
			continue;
		td_put_blanks(writer->fp, blanks);
		blanks = put_cell(writer, row, &report->columns[i],
				  &row->cells[i], writer->widths[nr],
				  &writer->parts[nr]);
		nr += nr + 1 < TD_MAX_COLUMNS;
	}
	fputs_unlocked(dim ? "\033[m\n" : "\n", writer->fp);
	writer->lines++;
}

static void put_wide(struct td_writer *writer, const struct td_report *report,
		     bool other)
{
	unsigned int screen = writer->frame->screen_lines;

	if (other || !writer->header_done ||
	    (screen && writer->lines + report->nr_rows >= screen))
		put_header(writer, report);
	for (size_t i = 0; i < report->nr_rows; i++)
		if (!td_out_is_left_out(report, &report->rows[i]))
			put_line(writer, report, &report->rows[i]);
}

/* Once: a table in which they come and go would say it again and again. */
static void say_absent(struct td_writer *writer, const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows && !writer->absent_said; i++) {
		const struct td_row *row = &report->rows[i];

		if (!td_out_is_left_out(report, row))
			continue;
		fputs("# ", writer->fp);
		td_put_printable(writer->fp, row->pmu);
		fputs(" has no row for an interval in which tasks ran on other "
		      "cores alone\n",
		      writer->fp);
		writer->lines++;
		writer->absent_said = true;
	}
}

static void put_trees(struct td_writer *writer, const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		if (!writer->frame->interval ||
		    !td_out_is_left_out(report, &report->rows[i]))
			td_out_text_tree(writer, report, &report->rows[i]);
}

static void put_interval(struct td_writer *writer,
			 const struct td_report *report)
{
	const struct td_table last = writer->table;
	bool other;

	if (writer->frame->screen_columns && !report->nr_rows)
		return; /* no thread ran; the next rows tell the columns */
	writer->table = td_table_make(writer->frame, report, &last);
	other = !td_table_is_same(&writer->table, &last);
	switch (writer->table.form) {
	case TD_TABLE_WIDE:
		put_wide(writer, report, other);
		break;
	case TD_TABLE_NARROW:
		td_out_text_narrow(writer, report, other);
		break;
	case TD_TABLE_TREES:
		put_trees(writer, report);
		break;
	}
	say_absent(writer, report);
}

static void text_report(struct td_writer *writer,
			const struct td_report *report)
{
	const struct td_frame *frame = writer->frame;

	if (frame->interval) {
		put_interval(writer, report);
		return;
	}
	if (!writer->header_done)
		td_out_text_title(writer);
	if (frame->how == TD_AGGREGATE_REGION)
		td_out_text_regions(writer, report);
	if (frame->how == TD_AGGREGATE_REGION && !frame->describe)
		return;
	if (report->mostly_waited)
		fprintf(writer->fp,
			" %.1f %% of one CPU: look at what it waits for, as "
			"with strace -cwf\n\n",
			report->tasks_pct);
	put_trees(writer, report);
}

static void put_time(FILE *fp, uint64_t ns, const char *what)
{
	char time[40];

	fprintf(fp, " %17s seconds %s\n", td_format_seconds(time, ns), what);
}

/* One mark, and one more for each 5 % that a run differs from the mean. */
static void put_table_of_runs(FILE *fp, const struct td_usage *usage)
{
	char time[40];
	int indent = 1 + 17 -
		     (int)strlen(td_format_seconds(time, usage->elapsed_ns));

	fprintf(fp, "%*s# Table of individual measurements:\n", indent, "");
	for (size_t i = 0; i < usage->nr_runs; i++) {
		double run = (double)usage->runs_ns[i] / 1e9;
		double off = run - (double)usage->elapsed_ns / 1e9;
		int marks = run > 0 ? (int)fmin(fabs(off / run) * 20, 40) : 0;

		fprintf(fp, " %17.9f (%+.9f) #", run, off);
		for (; marks > 0; marks--)
			fputc('#', fp);
		fputc('\n', fp);
	}
	fprintf(fp, "\n%*s# Final result:\n", indent, "");
}

/* "  1.003214567 +- 0.000104518 seconds time elapsed  ( +-  0.01% )" */
static void put_runs(FILE *fp, const struct td_usage *usage)
{
	char time[40];

	if (usage->table)
		put_table_of_runs(fp, usage);
	fprintf(fp, " %17s", td_format_seconds(time, usage->elapsed_ns));
	if (!isnan(usage->error_ns))
		fprintf(fp, " +- %.9f", usage->error_ns / 1e9);
	fputs(" seconds time elapsed", fp);
	if (usage->error_ns > 0)
		fprintf(fp, "  ( +-%6.2f%% )",
			100 * usage->error_ns / (double)usage->elapsed_ns);
	fputc('\n', fp);
}

static void text_end(struct td_writer *writer, const struct td_usage *usage)
{
	FILE *fp = writer->fp;

	if (writer->frame->interval) {
		td_out_marks_put(writer, &writer->marks, "# ");
		return;
	}
	if (!writer->header_done)
		td_out_text_title(writer);
	/* 0 if perf's file does not have it, or -D was longer than the run */
	if (usage->elapsed_ns && usage->nr_runs)
		put_runs(fp, usage);
	else if (usage->elapsed_ns)
		put_time(fp, usage->elapsed_ns, "time elapsed");
	if (usage->has_times) {
		fputc('\n', fp);
		put_time(fp, usage->user_ns, "user");
		put_time(fp, usage->sys_ns, "sys");
	}
	fputc('\n', fp);
}

const struct td_out td_out_text = {
	.for_people = true,
	.report = text_report,
	.verdict = td_out_text_verdict,
	.events = td_out_text_events,
	.where = td_out_text_where,
	.diff = td_out_text_diff,
	.end = text_end,
};
