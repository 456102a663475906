// SPDX-License-Identifier: GPL-2.0-only
/* Text: a table with -I, else trees within perf stat's title and end. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "cmd/output/columns.h"
#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "cmd/output/where.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"
#include "lib/count/aggregation.h"
#include "lib/machine/machine.h"

/* --- text events ------------------------------------------------------- */

/* perf stat's table: a count in each line, its ratio after " # ". */

/* Widths in tools/perf/util/stat-display.c. */
#define TIME_WIDTH  16
#define COUNT_WIDTH 18
#define UNIT_WIDTH  4
#define EVENT_WIDTH 32
#define RATIO_WIDTH 38 /* width of a ratio, including " # " */
#define NR_WIDTH    4  /* "ctrs" */
#define COMM_WIDTH  16 /* the comm in "comm-tid" */

#define ALL_PCT 99.995 /* larger percentages are printed as 100.00 */

/* The layout of the lines. */
struct layout {
	const char *time;
	const struct td_aggregation_row *by;
	int unit_width;
};

static struct layout make_layout(const struct td_frame *frame, const struct td_event_report *report)
{
	struct layout layout = { .by = td_aggregation_row(frame->how), .unit_width = UNIT_WIDTH };

	for (size_t i = 0; i < report->nr_rows; i++) {
		int width = td_printable_width(report->rows[i].unit);

		if (width > layout.unit_width)
			layout.unit_width = width;
	}
	return layout;
}

static void events_put_header(struct td_writer *writer, const struct layout *layout)
{
	FILE *fp = writer->fp;

	fprintf(fp, "#%*s", td_out_time_width(writer->frame, TIME_WIDTH) - 1, "time");
	if (td_aggregation_has_tids(writer->frame->how))
		fprintf(fp, " %*s%-*s", COMM_WIDTH, "comm", layout->by->width - COMM_WIDTH, "-pid");
	else if (layout->by->width)
		fprintf(fp, " %-*s", layout->by->width, layout->by->name);
	if (layout->by->counted)
		fprintf(fp, " %-*s", NR_WIDTH, "ctrs");
	fprintf(fp, " %*s %*s events\n", COUNT_WIDTH, "counts", layout->unit_width, "unit");
	writer->lines = 1;
	writer->header_done = true;
}

/* Write a padded name and a blank. */
static void put_left(FILE *fp, int width, const char *text)
{
	td_put_padded(fp, -width, text);
	putc_unlocked(' ', fp);
}

static void put_id(const struct td_writer *writer, const struct td_aggregation_row *by,
		   const struct td_event_row *row)
{
	FILE *fp = writer->fp;

	if (td_out_has_id(row) && td_aggregation_has_tids(writer->frame->how)) {
		/* "comm-tid" is aligned at the hyphen, as in perf stat */
		int room = td_aggregation_row(TD_AGGREGATE_THREAD)->width - COMM_WIDTH;
		const char *tid = strrchr(row->id, '-');
		int width = td_printable_width(tid ? tid : row->id);

		td_put_padded(fp, COMM_WIDTH + width, row->id);
		td_put_blanks(fp, room - width);
		putc_unlocked(' ', fp);
	} else {
		put_left(fp, by->width, td_out_has_id(row) ? row->id : "");
	}
	if (by->counted)
		fprintf(fp, "%*u ", NR_WIDTH, row->nr);
}

/* Begin the line of an event or of its second metric. */
static void begin_line(const struct td_writer *writer, const struct layout *layout,
		       const struct td_event_row *row)
{
	if (writer->frame->interval) {
		td_put_right(writer->fp, td_out_time_width(writer->frame, TIME_WIDTH),
			     layout->time);
		putc_unlocked(' ', writer->fp);
	}
	if (layout->by->width)
		put_id(writer, layout->by, row);
}

static void put_count(const struct td_writer *writer, const struct layout *layout,
		      const struct td_event_row *row)
{
	const char *missing = td_out_missing(row->status);

	if (missing)
		td_put_right(writer->fp, COUNT_WIDTH, missing);
	else
		td_out_count(writer, COUNT_WIDTH, row->decimals, row->value);
	putc_unlocked(' ', writer->fp);
	put_left(writer->fp, layout->unit_width, row->unit);
	td_put_padded(writer->fp, -EVENT_WIDTH, row->event);
	if (!writer->frame->show_cgroup)
		return;
	putc_unlocked(' ', writer->fp);
	td_put_padded(writer->fp, -TD_CGROUP_WIDTH,
		      row->container && !writer->frame->perf ? row->container
		      : row->cgroup                          ? row->cgroup
							     : "");
}

static void put_ratio(FILE *fp, const struct td_ratio *ratio)
{
	/* formats of util/stat-shadow.c: "%7.2f " and "%7.2f%%", "%8.1f" and "%8.3f" */
	bool quotient = ratio->decimals == 2;
	char buf[64];
	int len = 3;

	fputs_unlocked(" # ", fp);
	len += td_put_right(fp, quotient ? 7 : 8,
			    td_out_format(buf, ratio->decimals, ratio->value));
	len += td_put_right(fp, 0, ratio->percent ? "% " : quotient ? "  " : " ");
	len += td_put_printable(fp, ratio->unit);
	td_put_blanks(fp, RATIO_WIDTH - len);
}

static void events_put_row(const struct td_writer *writer, const struct layout *layout,
			   const struct td_event_row *row)
{
	int indent = COUNT_WIDTH + 1 + layout->unit_width + 1 + EVENT_WIDTH +
		     (writer->frame->show_cgroup ? 1 + TD_CGROUP_WIDTH : 0);
	FILE *fp = writer->fp;

	begin_line(writer, layout, row);
	put_count(writer, layout, row);
	if (!row->nr_ratios)
		td_put_blanks(fp, RATIO_WIDTH);
	for (int i = 0; i < row->nr_ratios; i++) {
		if (i > 0) {
			putc_unlocked('\n', fp);
			begin_line(writer, layout, row);
			td_put_blanks(fp, indent);
		}
		put_ratio(fp, &row->ratios[i]);
	}
	if (row->error_pct > 0)
		fprintf(fp, "  ( +-%6.2f%% )", row->error_pct);
	if (row->running_pct < ALL_PCT)
		fprintf(fp, "  (%.2f%%)", row->running_pct);
	putc_unlocked('\n', fp);
}

/* Does a core type have no counts because all tasks ran on another one? */
static bool is_absent(const struct td_event_report *report, size_t pmu)
{
	bool any = false;

	td_for_each(const struct td_event_row, row, report->rows, report->nr_rows) {
		if (row->pmu != (int)pmu)
			continue;
		if (!row->elsewhere)
			return false;
		any = true;
	}
	return any;
}

static void put_absent(const struct td_writer *writer, const struct td_event_report *report)
{
	const struct td_machine *machine = writer->frame->machine;

	for (size_t i = 0; machine && i < machine->nr_core; i++) {
		if (!is_absent(report, i))
			continue;
		fputc(' ', writer->fp);
		td_put_printable(writer->fp, machine->pmus[i].name);
		fprintf(writer->fp, ", %s: no task ran there\n",
			td_out_missing(TD_STATUS_NOT_COUNTED));
	}
}

static void out_text_events(struct td_writer *writer, const struct td_event_report *report)
{
	struct layout layout = make_layout(writer->frame, report);
	char time[TD_CLOCK_SIZE];

	layout.time = td_out_time(time, writer->frame, report->time_ns);
	if (writer->frame->interval && report->nr_rows) {
		unsigned int screen = writer->frame->screen_lines, nr = 0;

		for (size_t i = 0; i < report->nr_rows; i++)
			nr += report->rows[i].nr_ratios > 1
				      ? (unsigned int)report->rows[i].nr_ratios
				      : 1;
		if (!writer->header_done || (screen && writer->lines + nr >= screen))
			events_put_header(writer, &layout);
		writer->lines += nr;
	} else if (!writer->frame->interval && !writer->header_done) {
		td_out_text_title(writer);
	}
	for (size_t i = 0; i < report->nr_rows; i++)
		events_put_row(writer, &layout, &report->rows[i]);
	if (!writer->frame->interval)
		put_absent(writer, report);
	if (!writer->frame->interval && report->nr_rows > 0)
		putc_unlocked('\n', writer->fp);
}

/* --- text where -------------------------------------------------------- */

/* Text: the functions in which events were sampled. */

#define NAME_WIDTH  36
#define MAX_ROWS    20  /* functions, without --all */
#define MAX_DETAILS 5   /* lines, callers */
#define SMALL_PCT   0.5 /* percent */

static void put_share(FILE *fp, int indent, const struct td_share *share)
{
	fprintf(fp, "%*s", indent, "");
	td_out_number(fp, 7, 1, share->percent);
	fputs(" %  \302\261", fp);
	td_out_number(fp, 4, 1, share->error);
	fputs("  ", fp);
}

static void put_function(FILE *fp, const struct td_locations *locations, int function)
{
	const struct td_function *f = &locations->functions[function];
	char buf[32];

	td_put_padded(fp, -NAME_WIDTH, td_where_name(buf, locations, function));
	fputs("  ", fp);
	td_put_printable(fp, locations->objects[f->object].path);
	fputc('\n', fp);
}

static void where_put_line(FILE *fp, const struct td_locations *locations,
			   const struct td_detail *line)
{
	if (line->file < 0)
		return;
	put_share(fp, 4, &line->share);
	td_put_printable(fp, locations->files[line->file]);
	fprintf(fp, ":%d\n", line->line);
}

static void put_caller(FILE *fp, const struct td_locations *locations,
		       const struct td_detail *caller)
{
	put_share(fp, 4, &caller->share);
	if (caller->function < 0) {
		fputs("caller unknown\n", fp);
		return;
	}
	fputs("called from ", fp);
	put_function(fp, locations, caller->function);
}

static size_t nr_shown(const struct td_where *where, const struct td_details *details)
{
	return where->all || details->nr < MAX_DETAILS ? details->nr : MAX_DETAILS;
}

static void put_hot_function(FILE *fp, const struct td_where *where,
			     const struct td_hot_function *hot)
{
	put_share(fp, 0, &hot->share);
	put_function(fp, where->locations, hot->function);
	for (size_t i = 0; where->lines && i < nr_shown(where, &hot->lines); i++)
		where_put_line(fp, where->locations, &hot->lines.v[i]);
	for (size_t i = 0; where->callers && i < nr_shown(where, &hot->callers); i++)
		put_caller(fp, where->locations, &hot->callers.v[i]);
}

static void put_rest(const struct td_writer *writer, const struct td_hot_functions *functions,
		     size_t first)
{
	uint64_t samples = 0;
	double percent = 0;

	for (size_t i = first; i < functions->nr; i++) {
		samples += functions->v[i].share.samples;
		percent += functions->v[i].share.percent;
	}
	if (!samples)
		return;
	td_out_number(writer->fp, 7, 1, percent);
	fprintf(writer->fp, " %%         in %zu more function%s\n", functions->nr - first,
		functions->nr - first == 1 ? "" : "s");
}

static void put_event(const struct td_writer *writer, const struct td_where *where,
		      const struct td_where_event *event)
{
	const struct td_hot_functions *functions = &event->functions;
	FILE *fp = writer->fp;
	size_t i = 0;

	fputs("\n ", fp);
	td_put_printable(fp, event->name);
	fputs(", ", fp);
	td_out_count(writer, 0, 0, (double)functions->samples);
	fprintf(fp, " sample%s of ", functions->samples == 1 ? "" : "s");
	if (event->sampled)
		td_put_printable(fp, event->sampled);
	fputs(event->sampled ? ", with about " : "about ", fp);
	td_out_count(writer, 0, 0, functions->weight);
	fprintf(fp, " %s\n", td_where_unit(where, event));
	while (i < functions->nr &&
	       (where->all || (i < MAX_ROWS && functions->v[i].share.percent >= SMALL_PCT)))
		put_hot_function(fp, where, &functions->v[i++]);
	put_rest(writer, functions, i);
}

static void put_within(FILE *fp, const struct td_where *where)
{
	char slower[TD_DURATION_NAME];

	if (!where->in)
		return;
	fputs(" only in calls of ", fp);
	td_put_printable(fp, where->in);
	td_duration_text(slower, (double)where->slower_ns);
	if (where->slower_ns)
		fprintf(fp, " that took %s or longer", slower);
	fputc('\n', fp);
}

static void put_title(const struct td_writer *writer, const struct td_where *where)
{
	FILE *fp = writer->fp;

	if (!where->node) {
		fputs("\n Functions in which events were sampled:\n", fp);
		put_within(fp, where);
		return;
	}
	fputs("\n Where ", fp);
	td_put_printable(fp, where->node);
	fputs(" happens, by samples of its events:\n", fp);
	put_within(fp, where);
}

/* --- samples: a line for each, like perf script ------------------------------- */

#define TASK_WIDTH   7
#define PERIOD_WIDTH 10

/* Put "main+0x12 (/bin/x)".  An address without a function has no offset. */
static void put_place(FILE *fp, const struct td_locations *locations,
		      const struct td_location *location)
{
	const struct td_function *f = &locations->functions[location->function];
	char buf[32];

	td_put_printable(fp, td_where_name(buf, locations, location->function));
	if (f->name)
		fprintf(fp, "+0x%" PRIx64, td_since(location->address, f->address));
	fputs(" (", fp);
	td_put_printable(fp, locations->objects[location->object].path);
	fputc(')', fp);
	if (location->file < 0)
		return;
	fputc(' ', fp);
	td_put_printable(fp, locations->files[location->file]);
	fprintf(fp, ":%d", location->line);
}

static void put_sample(FILE *fp, const struct td_locations *locations,
		       const struct td_where_sample *sample)
{
	char time[40];

	fprintf(fp, "%*d/%-*d [%03d] %s: %*" PRIu64 " ", TASK_WIDTH, sample->pid, TASK_WIDTH,
		sample->tid, sample->cpu, td_format_seconds(time, sample->time_ns), PERIOD_WIDTH,
		sample->period);
	td_put_printable(fp, sample->event);
	fputs(": ", fp);
	put_place(fp, locations, &locations->v[sample->location]);
	fputc('\n', fp);
}

/* ---------------------------------------------------------------------------- */

/* Put a table for each event, or one line if it has no samples. */
static void out_text_where(struct td_writer *writer, const struct td_where *where)
{
	bool any = false;

	for (size_t i = 0; i < where->nr_samples; i++)
		put_sample(writer->fp, where->locations, &where->samples[i]);
	put_title(writer, where);
	for (size_t i = 0; i < where->nr; i++) {
		if (!where->events[i].functions.samples)
			continue;
		put_event(writer, where, &where->events[i]);
		any = true;
	}
	if (any)
		td_out_legend_put(
			writer, " ",
			"%: of the event; \302\261: the error (95 %), if sampled at random times");
	for (size_t i = 0; i < where->nr; i++) {
		if (where->events[i].functions.samples)
			continue;
		fputs("\n ", writer->fp);
		td_put_printable(writer->fp, where->events[i].name);
		fputs(", no sample\n", writer->fp);
	}
	fputc('\n', writer->fp);
}

/* --- text narrow ------------------------------------------------------- */

/* Text: the table of intervals in a window that is too narrow for whole names. */

#define SMALL   0.01                      /* smaller values need more than two decimals */
#define LONG_NS UINT64_C(999999999500000) /* longer times have no room for fractions */

static void put_names(const struct td_writer *writer, const struct td_report *report,
		      const struct td_table_block *block, int from, int end)
{
	for (int i = from; i < end; i++) {
		char name[TD_SHORT_SIZE];

		td_table_name(&writer->table, &report->columns[block->columns[i]], name);
		fputc(' ', writer->fp);
		td_put_padded(writer->fp, block->widths[i], name);
	}
	fputc('\n', writer->fp);
}

static void put_header_start(const struct td_writer *writer, const struct td_table_block *block)
{
	const struct td_table *table = &writer->table;
	FILE *fp = writer->fp;

	fprintf(fp, "#%s%*s", table->percent ? " %" : "",
		td_out_time_width(writer->frame, TD_TIME_WIDTH) - (table->percent ? 3 : 1), "time");
	if (writer->frame->show_id)
		td_out_text_id(fp, table->id_width, "id");
	if (writer->frame->show_pmu)
		td_out_text_id(fp, table->pmu_width, block->pmu ? block->pmu : "pmu");
	td_out_text_facts_header(fp, table->facts);
}

static void narrow_put_header(struct td_writer *writer, const struct td_report *report)
{
	const struct td_table *table = &writer->table;

	writer->lines = 0;
	td_for_each(const struct td_table_block, block, table->blocks, table->nr_blocks) {
		put_header_start(writer, block);
		for (int at = 0, end; at < block->nr; at = end) {
			end = td_table_line_end(table, block, at);
			if (at)
				fprintf(writer->fp, "#%*s", table->start_width - 1, "");
			put_names(writer, report, block, at, end);
		}
		writer->lines += td_table_lines(table, block);
	}
	writer->header_done = true;
}

/* Use fewer decimals, or an exponent, if the value is too long. */
static void fit_value(char buf[TD_VALUE_SIZE], const struct td_column *column, double value,
		      int width)
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

static void narrow_put_cell(struct td_writer *writer, const struct td_row *row,
			    const struct td_column *column, const struct td_cell *cell, int width)
{
	const char mark[] = { td_out_table_mark(row, cell), '\0' };
	bool red = writer->frame->colour && *mark == '*';
	bool ok = cell->status == TD_STATUS_OK;
	char buf[TD_VALUE_SIZE];

	td_out_marks_add(&writer->marks, row, cell);
	/* the reason may be freed before the end */
	writer->marks.why = NULL;
	if (ok)
		fit_value(buf, column, cell->value, width);
	fprintf(writer->fp, "%s%*s%s%s", red ? "\033[31m" : "", width,
		ok ? buf : missing(cell->status), mark, red ? "\033[m" : "");
}

static void put_cells(struct td_writer *writer, const struct td_report *report,
		      const struct td_row *row, const struct td_table_block *block, int from,
		      int end)
{
	for (int i = from; i < end; i++) {
		int column = block->columns[i];
		int before = i > from ? block->columns[i - 1] : -1;

		/* the mark of the previous value replaces the blank */
		if (before < 0 || !td_out_table_mark(row, &row->cells[before]))
			fputc(' ', writer->fp);
		narrow_put_cell(writer, row, &report->columns[column], &row->cells[column],
				block->widths[i]);
	}
}

static void put_start(struct td_writer *writer, uint64_t time_ns, const struct td_row *row)
{
	const struct td_table *table = &writer->table;
	char id[TD_SHOWN_SIZE];
	char time[TD_CLOCK_SIZE];

	if (writer->frame->time != TD_TIME_SECONDS)
		fputs(td_out_time(time, writer->frame, time_ns), writer->fp);
	else
		fprintf(writer->fp, "%*.*f", TD_TIME_WIDTH, time_ns < LONG_NS ? 3 : 0,
			(double)time_ns / 1e9);
	if (writer->frame->show_id)
		td_out_text_id(writer->fp, table->id_width, td_row_shown(row, id));
	if (writer->frame->show_pmu)
		td_out_text_id(writer->fp, table->pmu_width, row->pmu);
	td_out_text_facts(writer, table->facts, row);
}

/* Return the block of a row. */
static const struct td_table_block *block_of(const struct td_table *table, const struct td_row *row)
{
	const struct td_table_block *block = table->blocks;

	while (block->pmu && strcmp(block->pmu, row->pmu) != 0)
		block++;
	return block;
}

static void put_row(struct td_writer *writer, const struct td_report *report,
		    const struct td_row *row)
{
	const struct td_table *table = &writer->table;
	const struct td_table_block *block = block_of(table, row);

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

/* Did tasks run in this interval, but not on this core type? */
static bool is_left_out(const struct td_report *report, const struct td_row *row)
{
	for (size_t i = 0; row->absent && i < report->nr_rows; i++) {
		if (!report->rows[i].absent && !report->rows[i].package)
			return true;
	}
	return false;
}

/* Write the narrow table.  other: the columns differ from those of the last header. */
static void out_text_narrow(struct td_writer *writer, const struct td_report *report, bool other)
{
	unsigned int screen = writer->frame->screen_lines, lines = 0;

	for (size_t i = 0; i < report->nr_rows; i++)
		lines += td_table_lines(&writer->table, block_of(&writer->table, &report->rows[i]));
	if (other || !writer->header_done || (screen && writer->lines + lines >= screen))
		narrow_put_header(writer, report);
	for (size_t i = 0; i < report->nr_rows; i++)
		if (!is_left_out(report, &report->rows[i]))
			put_row(writer, report, &report->rows[i]);
}

/* --- text -------------------------------------------------------------- */

#define MIN_PART 5 /* ".1234" */

/* Return the number of blanks between "%" and "tma_retiring" in a header. */
static int gap_width(const struct td_column *column)
{
	return column->unit[0] ? 2 : 0;
}

/* Put the header of time, id and PMU. */
static void put_start_names(const struct td_writer *writer)
{
	FILE *fp = writer->fp;

	fprintf(fp, "#%*s", td_out_time_width(writer->frame, TD_WIDE_TIME_WIDTH) - 1, "time");
	if (writer->frame->show_id)
		fprintf(fp, " %-*s", td_table_id_width(writer->frame), "id");
	if (writer->frame->show_pmu)
		fprintf(fp, " %-*s", TD_PMU_WIDTH, "pmu");
}

static void put_header(struct td_writer *writer, const struct td_report *report)
{
	FILE *fp = writer->fp;
	int nr = 0;

	put_start_names(writer);
	td_out_text_facts_header(fp, td_facts_shown(report, UINT_MAX));
	td_for_each(const struct td_column, column, report->columns, report->nr_columns) {
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

/* Return the number of blanks after a value that align the points of a column. */
static int blanks_after(const struct td_column *column, const char *value, int *longest)
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

/* Put a cell.  Returns the number of blanks before the next one. */
static int put_cell(struct td_writer *writer, const struct td_row *row,
		    const struct td_column *column, const struct td_cell *cell, int width,
		    int *longest)
{
	char mark = td_out_table_mark(row, cell);
	bool red = writer->frame->colour && mark == '*';
	const char *text = td_out_missing(cell->status);
	char buf[TD_VALUE_SIZE];
	int behind = 0;

	if (!text) {
		td_out_marks_add(&writer->marks, row, cell);
		text = td_out_value(buf, column, cell->value, TD_READER_HUMAN);
		behind = blanks_after(column, text, longest);
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
	td_out_text_facts(writer, td_facts_shown(report, UINT_MAX), row);
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (!report->columns[i].present)
			continue;
		td_put_blanks(writer->fp, blanks);
		blanks = put_cell(writer, row, &report->columns[i], &row->cells[i],
				  writer->widths[nr], &writer->parts[nr]);
		nr += nr + 1 < TD_MAX_COLUMNS;
	}
	fputs_unlocked(dim ? "\033[m\n" : "\n", writer->fp);
	writer->lines++;
}

static void put_wide(struct td_writer *writer, const struct td_report *report, bool other)
{
	unsigned int screen = writer->frame->screen_lines;

	if (other || !writer->header_done || (screen && writer->lines + report->nr_rows >= screen))
		put_header(writer, report);
	for (size_t i = 0; i < report->nr_rows; i++)
		if (!is_left_out(report, &report->rows[i]))
			put_line(writer, report, &report->rows[i]);
}

/* Write a note once about rows of core types that are missing. */
static void put_absent_note(struct td_writer *writer, const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows && !writer->absent_noted; i++) {
		const struct td_row *row = &report->rows[i];

		if (!is_left_out(report, row))
			continue;
		fputs("# ", writer->fp);
		td_put_printable(writer->fp, row->pmu);
		fputs(" has no row for intervals in which no task ran there\n", writer->fp);
		writer->lines++;
		writer->absent_noted = true;
	}
}

static void put_trees(struct td_writer *writer, const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		if (!writer->frame->interval || !is_left_out(report, &report->rows[i]))
			td_out_text_tree(writer, report, &report->rows[i]);
}

static void put_interval(struct td_writer *writer, const struct td_report *report)
{
	const struct td_table last = writer->table;
	bool other;

	if (writer->frame->screen_columns && !report->nr_rows)
		return; /* no thread ran; the next rows have the columns */
	writer->table = td_table_make(writer->frame, report, &last);
	other = !td_table_is_same(&writer->table, &last);
	switch (writer->table.form) {
	case TD_TABLE_WIDE:
		put_wide(writer, report, other);
		break;
	case TD_TABLE_NARROW:
		out_text_narrow(writer, report, other);
		break;
	case TD_TABLE_TREES:
		put_trees(writer, report);
		break;
	}
	put_absent_note(writer, report);
}

static void text_report(struct td_writer *writer, const struct td_report *report)
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
			" Only %.1f %% of one CPU was used; find out what the program waits for "
			"(strace -cwf)\n\n",
			report->tasks_pct);
	put_trees(writer, report);
}

static void put_time(FILE *fp, uint64_t ns, const char *what)
{
	char time[40];

	fprintf(fp, " %17s seconds %s\n", td_format_seconds(time, ns), what);
}

/* Put the time of each run, with a mark, and one more per 5 % of difference from the mean. */
static void put_table_of_runs(FILE *fp, const struct td_usage *usage)
{
	char time[40];
	int indent = 1 + 17 - (int)strlen(td_format_seconds(time, usage->elapsed_ns));

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

/* Put "  1.003214567 +- 0.000104518 seconds time elapsed  ( +-  0.01% )". */
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
		fprintf(fp, "  ( +-%6.2f%% )", 100 * usage->error_ns / (double)usage->elapsed_ns);
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
	/* the time is 0 if a file of perf does not contain it, or -D was longer than the run */
	if (usage->elapsed_ns && usage->nr_runs)
		put_runs(fp, usage);
	else if (usage->elapsed_ns)
		put_time(fp, usage->elapsed_ns, "time elapsed");
	if (usage->has_times) {
		fputc('\n', fp);
		put_time(fp, usage->user_ns, "user");
		put_time(fp, usage->sys_ns, "sys");
	}
	/* without times, the result ends in an empty line */
	if (usage->has_times || usage->elapsed_ns)
		fputc('\n', fp);
}

const struct td_out td_out_text = {
	.for_people = true,
	.report = text_report,
	.verdict = td_out_text_verdict,
	.events = out_text_events,
	.where = out_text_where,
	.diff = td_out_text_diff,
	.end = text_end,
};
