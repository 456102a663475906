// SPDX-License-Identifier: GPL-2.0-only
/* Text: the table of a program's regions. */
#include <inttypes.h>
#include <math.h>

#include "cmd/out/out.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"
#include "lib/count/regions.h"

#define MIN_ID_WIDTH   9 /* "(outside)" */
#define MAX_ID_WIDTH   32
#define FOLDED_WIDTH   22 /* "(99 with few windows)" */
#define CALLS_WIDTH    12
#define PERCENT_WIDTH  7
#define SLOTS_WIDTH    14
#define VALUE_WIDTH    6
#define ERROR_WIDTH    6 /* " ±0.12" */
#define CELL_WIDTH     (1 + VALUE_WIDTH + ERROR_WIDTH + 1)
#define MAX_CELL_WIDTH 24
#define MUCH_COST      10 /* percent: it is worth a remark */
#define FACTS_WIDTH    (CALLS_WIDTH + 2 * PERCENT_WIDTH + SLOTS_WIDTH + 4)

/* What is the same in all lines. */
struct layout {
	int id_width;
	bool pmu;
	bool functions; /* have windows, and nothing is within them */
};

static int cell_width(const struct td_column *column)
{
	int len = 2 + td_printable_width(td_node_short_name(column->name));

	return len > CELL_WIDTH ? len : CELL_WIDTH;
}

/* Of functions with few windows there is nothing to show but that they were. */
static bool is_folded(const struct td_writer *writer,
		      const struct td_report *report, const struct td_row *row)
{
	return report->functions && !writer->frame->all &&
	       !row->region->outside && row->region->calls < TD_LEAST_WINDOWS;
}

static struct layout make_layout(const struct td_writer *writer,
				 const struct td_report *report)
{
	struct layout layout = { MIN_ID_WIDTH, writer->frame->show_pmu,
				 report->functions };

	for (size_t i = 0; i < report->nr_rows; i++) {
		int width = td_printable_width(report->rows[i].id);

		if (is_folded(writer, report, &report->rows[i]))
			width = FOLDED_WIDTH;
		if (width > layout.id_width)
			layout.id_width = width;
	}
	if (layout.id_width > MAX_ID_WIDTH)
		layout.id_width = MAX_ID_WIDTH;
	return layout;
}

/* --- the start of a line ---------------------------------------------------- */

/* Of a name that is too long, its end, where names of C++ differ. */
static void put_id(FILE *fp, int width, const char *id)
{
	bool cut = td_printable_width(id) > width;

	while (cut && td_printable_width(id) > width - 2)
		id++;
	fputs(cut ? ".." : "", fp);
	td_put_padded(fp, cut ? 2 - width : -width, id);
}

static void put_start(FILE *fp, const struct layout *layout, const char *id,
		      const char *pmu)
{
	fputc(' ', fp);
	put_id(fp, layout->id_width, id);
	if (layout->pmu) {
		fputc(' ', fp);
		td_put_padded(fp, -TD_PMU_WIDTH, pmu);
	}
}

static void put_facts_header(FILE *fp, const struct layout *layout)
{
	if (layout->functions) {
		fprintf(fp, " %*s %*s %*s", CALLS_WIDTH, "windows",
			PERCENT_WIDTH, "whole %", PERCENT_WIDTH, "slots %");
		return;
	}
	fprintf(fp, " %*s %*s %*s %*s", CALLS_WIDTH, "calls", PERCENT_WIDTH,
		"incl. %", PERCENT_WIDTH, "excl. %", SLOTS_WIDTH,
		"slots a call");
}

static void put_percent(FILE *fp, double value)
{
	fputc(' ', fp);
	if (isnan(value))
		fprintf(fp, "%*s", PERCENT_WIDTH, "-");
	else
		td_out_number(fp, PERCENT_WIDTH, 1, value);
}

/* Blank if there is none. */
static void put_count(const struct td_writer *writer, int width, double value)
{
	char buf[64];

	if (isnan(value))
		fprintf(writer->fp, "%*s", width, "");
	else if (writer->frame->big_num)
		td_out_grouped(writer->fp, width, td_out_format(buf, 0, value));
	else
		td_out_number(writer->fp, width, 0, value);
}

static void put_facts(const struct td_writer *writer,
		      const struct layout *layout, const struct td_row *row)
{
	const struct td_region_facts *facts = row->region;
	bool no_calls = facts->outside && !layout->functions;

	fputc(' ', writer->fp);
	put_count(writer, CALLS_WIDTH, no_calls ? NAN : (double)facts->calls);
	if (layout->functions) {
		put_percent(writer->fp, facts->whole_pct);
		put_percent(writer->fp, facts->exclusive_pct);
		return;
	}
	put_percent(writer->fp, facts->inclusive_pct);
	put_percent(writer->fp, facts->exclusive_pct);
	fputc(' ', writer->fp);
	put_count(writer, SLOTS_WIDTH, facts->slots_per_call);
}

/* "short, 12 moved": what a reader has to know of the numbers. */
static void put_remarks(FILE *fp, const struct td_region_facts *facts)
{
	const struct {
		const char *what;
		uint64_t nr;
	} remarks[] = {
		{ "moved", facts->moved },
		{ "lost", facts->lost },
		{ "skipped", facts->skipped },
	};
	const char *comma = "  ";

	if (!isnan(facts->least_slots)) {
		fputs("  short", fp);
		comma = ", ";
	}
	if (facts->cost_pct >= MUCH_COST) {
		fprintf(fp, "%s%.0f %% cost", comma, facts->cost_pct);
		comma = ", ";
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(remarks); i++) {
		if (!remarks[i].nr)
			continue;
		fprintf(fp, "%s%" PRIu64 " %s", comma, remarks[i].nr,
			remarks[i].what);
		comma = ", ";
	}
}

/* --- metrics ---------------------------------------------------------------- */

static void put_error(FILE *fp, const struct td_column *column,
		      const struct td_cell *cell)
{
	char number[TD_VALUE_SIZE], text[TD_VALUE_SIZE + 8] = "";

	if (!isnan(cell->error))
		snprintf(
			text, sizeof(text), " \u00b1%s",
			td_out_error(number, column, cell->value, cell->error));
	td_put_padded(fp, -ERROR_WIDTH, text);
}

static void put_cell(const struct td_writer *writer, const struct td_row *row,
		     const struct td_column *column, const struct td_cell *cell)
{
	const char mark = td_out_table_mark(row, cell);
	bool red = writer->frame->colour && td_out_is_over(row, cell);
	const char *missing = td_out_missing(cell->status);
	int width = cell_width(column) - ERROR_WIDTH - 1;
	char value[TD_VALUE_SIZE];
	FILE *fp = writer->fp;

	if (missing) {
		fprintf(fp, "%*s", cell_width(column),
			cell->status == TD_STATUS_NONE ? "" : "-");
		return;
	}
	fprintf(fp, "%s%*s", red ? "\033[31m" : "", width,
		td_out_value(value, column, cell->value, TD_READER_HUMAN));
	put_error(fp, column, cell);
	fprintf(fp, "%c%s", mark ? mark : ' ', red ? "\033[m" : "");
}

/* The column behind those that fit a line, of which at least one does. */
static size_t end_of_line(const struct td_writer *writer,
			  const struct td_report *report, size_t from, int used)
{
	int room = (int)writer->frame->screen_columns;
	size_t end = from;

	for (; end < report->nr_columns; end++) {
		if (!report->columns[end].present)
			continue;
		used += cell_width(&report->columns[end]);
		if (room && used > room && end > from)
			break;
	}
	return end;
}

/* --- blocks of columns ------------------------------------------------------ */

static void put_header(const struct td_writer *writer,
		       const struct td_report *report,
		       const struct layout *layout, size_t from, size_t end)
{
	FILE *fp = writer->fp;

	put_start(fp, layout, layout->functions ? "function" : "region", "pmu");
	if (!from)
		put_facts_header(fp, layout);
	for (size_t i = from; i < end; i++) {
		const struct td_column *column = &report->columns[i];

		if (!column->present)
			continue;
		/* above the errors; a mark stands behind them */
		td_put_padded(fp, cell_width(column) - 1,
			      td_node_short_name(column->name));
		fputc(' ', fp);
	}
	fputc('\n', fp);
}

static void put_line(const struct td_writer *writer,
		     const struct td_report *report, const struct td_row *row,
		     const struct layout *layout, size_t from, size_t end)
{
	put_start(writer->fp, layout, row->id, row->pmu);
	if (!from)
		put_facts(writer, layout, row);
	for (size_t i = from; i < end; i++) {
		if (report->columns[i].present)
			put_cell(writer, row, &report->columns[i],
				 &row->cells[i]);
	}
	if (!from)
		put_remarks(writer->fp, row->region);
	fputc('\n', writer->fp);
}

static void put_folded(const struct td_writer *writer,
		       const struct td_report *report,
		       const struct layout *layout)
{
	char text[64];
	double percent = 0;
	uint64_t windows = 0;
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (!is_folded(writer, report, row))
			continue;
		nr++;
		windows += row->region->calls;
		if (!isnan(row->region->exclusive_pct))
			percent += row->region->exclusive_pct;
	}
	if (!nr)
		return;
	snprintf(text, sizeof(text), "(%zu with few windows)", nr);
	put_start(writer->fp, layout, text, "");
	fputc(' ', writer->fp);
	put_count(writer, CALLS_WIDTH, (double)windows);
	fprintf(writer->fp, " %*s", PERCENT_WIDTH, "");
	put_percent(writer->fp, percent);
	fputc('\n', writer->fp);
}

static void put_legend(const struct td_writer *writer,
		       const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		double least = report->rows[i].region->least_slots;

		if (isnan(least))
			continue;
		fputs(" short: calls of fewer than ", writer->fp);
		put_count(writer, 0, least);
		fputs(" slots are not told from what is around them\n\n",
		      writer->fp);
		return;
	}
}

void td_out_text_regions(const struct td_writer *writer,
			 const struct td_report *report)
{
	const struct layout layout = make_layout(writer, report);
	int start = 1 + layout.id_width + (layout.pmu ? 1 + TD_PMU_WIDTH : 0);
	size_t from = 0;

	if (!report->nr_rows)
		return;
	do {
		size_t end = end_of_line(writer, report, from,
					 start + (from ? 0 : FACTS_WIDTH));

		put_header(writer, report, &layout, from, end);
		for (size_t i = 0; i < report->nr_rows; i++) {
			if (!is_folded(writer, report, &report->rows[i]))
				put_line(writer, report, &report->rows[i],
					 &layout, from, end);
		}
		if (!from)
			put_folded(writer, report, &layout);
		fputc('\n', writer->fp);
		from = end;
	} while (from < report->nr_columns);
	put_legend(writer, report);
}
