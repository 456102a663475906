// SPDX-License-Identifier: GPL-2.0-only
/* perf stat's table: a count in each line, its ratio after " # ". */
#include <string.h>

#include "cmd/out/out.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"
#include "lib/machine/machine.h"

/* tools/perf/util/stat-display.c */
#define TIME_WIDTH  16
#define COUNT_WIDTH 18
#define UNIT_WIDTH  4
#define EVENT_WIDTH 32
#define RATIO_WIDTH 38 /* with " # " */
#define NR_WIDTH    4  /* "ctrs" */
#define COMM_WIDTH  16 /* the comm in "comm-tid" */

/* Percentages from here on are printed as 100.00. */
#define ALL_PCT 99.995

/* What all lines of a report have in common. */
struct layout {
	const char *time;
	const struct td_aggregation_row *by;
	int unit_width;
};

static struct layout make_layout(const struct td_frame *frame,
				 const struct td_event_report *report)
{
	struct layout layout = { .by = td_aggregation_row(frame->how),
				 .unit_width = UNIT_WIDTH };

	for (size_t i = 0; i < report->nr_rows; i++) {
		int width = td_printable_width(report->rows[i].unit);

		if (width > layout.unit_width)
			layout.unit_width = width;
	}
	return layout;
}

static unsigned int lines_of(const struct td_event_row *row)
{
	return row->nr_ratios > 1 ? (unsigned int)row->nr_ratios : 1;
}

static void put_header(struct td_writer *writer, const struct layout *layout)
{
	FILE *fp = writer->fp;

	fprintf(fp, "#%*s", td_out_time_width(writer->frame, TIME_WIDTH) - 1,
		"time");
	if (writer->frame->how == TD_AGGREGATE_THREAD)
		fprintf(fp, " %*s%-*s", COMM_WIDTH, "comm",
			layout->by->width - COMM_WIDTH, "-pid");
	else if (layout->by->width)
		fprintf(fp, " %-*s", layout->by->width, layout->by->name);
	if (layout->by->counted)
		fprintf(fp, " %-*s", NR_WIDTH, "ctrs");
	fprintf(fp, " %*s %*s events\n", COUNT_WIDTH, "counts",
		layout->unit_width, "unit");
	writer->lines = 1;
	writer->header_done = true;
}

/* Writes the header of an interval's table, if it is time for it. */
static void begin_table(struct td_writer *writer, const struct layout *layout,
			const struct td_event_report *report)
{
	unsigned int screen = writer->frame->screen_lines, nr = 0;

	for (size_t i = 0; i < report->nr_rows; i++)
		nr += lines_of(&report->rows[i]);
	if (!writer->header_done || (screen && writer->lines + nr >= screen))
		put_header(writer, layout);
	writer->lines += nr;
}

/* Writes a name, padded, and at least one blank. */
static void put_left(FILE *fp, int width, const char *text)
{
	td_put_padded(fp, -width, text);
	putc_unlocked(' ', fp);
}

/* Aligns "comm-tid" at the hyphen, as perf stat does. */
static void put_thread(FILE *fp, const char *id)
{
	int room = td_aggregation_row(TD_AGGREGATE_THREAD)->width - COMM_WIDTH;
	const char *tid = strrchr(id, '-');
	int width = td_printable_width(tid ? tid : id);

	td_put_padded(fp, COMM_WIDTH + width, id);
	td_put_blanks(fp, room - width);
	putc_unlocked(' ', fp);
}

static void put_id(const struct td_writer *writer,
		   const struct td_aggregation_row *by,
		   const struct td_event_row *row)
{
	FILE *fp = writer->fp;

	if (td_out_has_id(row) && writer->frame->how == TD_AGGREGATE_THREAD)
		put_thread(fp, row->id);
	else
		put_left(fp, by->width, td_out_has_id(row) ? row->id : "");
	if (by->counted)
		fprintf(fp, "%*u ", NR_WIDTH, row->nr);
}

/* The start of a line, also of the second metric of an event. */
static void begin_line(const struct td_writer *writer,
		       const struct layout *layout,
		       const struct td_event_row *row)
{
	if (writer->frame->interval) {
		td_put_right(writer->fp,
			     td_out_time_width(writer->frame, TIME_WIDTH),
			     layout->time);
		putc_unlocked(' ', writer->fp);
	}
	if (layout->by->width)
		put_id(writer, layout->by, row);
}

static void put_count(const struct td_writer *writer,
		      const struct layout *layout,
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
	/* "%7.2f " and "%7.2f%%", "%8.1f" and "%8.3f": util/stat-shadow.c */
	bool quotient = ratio->decimals == 2;
	char buf[64];
	int len = 3;

	fputs_unlocked(" # ", fp);
	len += td_put_right(fp, quotient ? 7 : 8,
			    td_out_format(buf, ratio->decimals, ratio->value));
	len += td_put_right(fp, 0,
			    ratio->percent ? "% "
			    : quotient     ? "  "
					   : " ");
	len += td_put_printable(fp, ratio->unit);
	td_put_blanks(fp, RATIO_WIDTH - len);
}

static void put_row(const struct td_writer *writer, const struct layout *layout,
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

/* Was a kind of core counted in no row, as all tasks were on another one? */
static bool is_absent(const struct td_event_report *report, size_t pmu)
{
	bool any = false;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_event_row *row = &report->rows[i];

		if (row->pmu != (int)pmu)
			continue;
		if (!row->elsewhere)
			return false;
		any = true;
	}
	return any;
}

static void put_absent(const struct td_writer *writer,
		       const struct td_event_report *report)
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

void td_out_text_events(struct td_writer *writer,
			const struct td_event_report *report)
{
	struct layout layout = make_layout(writer->frame, report);
	char time[TD_CLOCK_SIZE];

	layout.time = td_out_time(time, writer->frame, report->time_ns);
	if (writer->frame->interval && report->nr_rows)
		begin_table(writer, &layout, report);
	else if (!writer->frame->interval && !writer->header_done)
		td_out_text_title(writer);
	for (size_t i = 0; i < report->nr_rows; i++)
		put_row(writer, &layout, &report->rows[i]);
	if (!writer->frame->interval)
		put_absent(writer, report);
	if (!writer->frame->interval && report->nr_rows > 0)
		putc_unlocked('\n', writer->fp);
}
