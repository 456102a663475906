// SPDX-License-Identifier: GPL-2.0-only
/* Text: the table of a program's regions. */
#include <inttypes.h>
#include <math.h>

#include "cmd/output/out.h"
#include "lib/base/printable.h"
#include "lib/count/regions.h"

#define MIN_ID_WIDTH  9 /* "(outside)" */
#define MAX_ID_WIDTH  32
#define FOLDED_WIDTH  22 /* "(99 with few windows)" */
#define CALLS_WIDTH   12
#define PERCENT_WIDTH 7
#define SLOTS_WIDTH   14
#define VALUE_WIDTH   6
#define ERROR_WIDTH   6 /* " ±0.12" */
#define CELL_WIDTH    (1 + VALUE_WIDTH + ERROR_WIDTH + 1)
#define MUCH_COST     10 /* percent: worth a note */
#define NARROW_CALLS  8
#define MAX_TABLES    2 /* maximum tables below each other; more are replaced by the narrow form */

/* The layout of the lines. */
struct layout {
	int id_width, pmu_width;            /* 0: no such column */
	bool functions;                     /* rows are sampled functions instead of regions */
	int timed;                          /* td_region_facts.timed of the rows to show */
	bool few;                           /* few calls: show their slots */
	bool narrow;                        /* short names, a table per core type, no errors */
	struct td_table table;              /* the narrow form */
	const struct td_table_block *block; /* the current block of the narrow form */
	struct td_marks marks;              /* marks that were written */
};

static int calls_width(const struct layout *layout)
{
	return layout->narrow ? NARROW_CALLS : CALLS_WIDTH;
}

static bool has_slots_a_call(const struct layout *layout)
{
	return !layout->functions && !layout->narrow && (!layout->timed || layout->few);
}

/* Return the width of the columns before the metrics. */
static int start_width(const struct layout *layout, bool facts)
{
	int width = 1 + layout->id_width, percents = 1 + PERCENT_WIDTH;

	if (layout->pmu_width)
		width += 1 + layout->pmu_width;
	if (layout->narrow)
		width++; /* a blank before the values */
	if (!facts)
		return width;
	width += 1 + calls_width(layout) + percents;
	if (!layout->functions || !layout->narrow)
		width += percents;
	if (has_slots_a_call(layout))
		width += 1 + SLOTS_WIDTH;
	return width;
}

/* Return the width of a cell, which may end in a mark. */
static int cell_width(const struct layout *layout, const struct td_column *column)
{
	char name[TD_SHORT_SIZE];
	int len;

	if (layout->narrow) {
		td_table_name(&layout->table, column, name);
		len = td_printable_width(name);
		return 1 + (len > VALUE_WIDTH ? len : VALUE_WIDTH);
	}
	len = 2 + td_printable_width(td_node_short_name(column->name));
	return len > CELL_WIDTH ? len : CELL_WIDTH;
}

static bool is_of_block(const struct layout *layout, const struct td_row *row)
{
	if (row->region->timed != layout->timed)
		return false;
	return !layout->block || !layout->block->pmu || strcmp(layout->block->pmu, row->pmu) == 0;
}

/* Return the id, or for timed calls their durations. */
static const char *shown_id(const struct td_row *row, char bounds[TD_DURATION_NAME])
{
	char from[TD_DURATION_NAME];

	if (!row->region->timed)
		return row->id;
	td_duration_bucket_name(bounds, row->region->bucket);
	if (!row->region->slow)
		return bounds;
	td_duration_text(from, (double)td_region_bucket_ns(row->region->bucket));
	snprintf(bounds, TD_DURATION_NAME, "from %.20s", from);
	return bounds;
}

static bool has_column(const struct layout *layout, const struct td_report *report, size_t column)
{
	const struct td_table_block *block = layout->block;

	for (int i = 0; block && i < block->nr; i++)
		if (block->columns[i] == (int)column)
			return true;
	return !block && report->columns[column].present;
}

/*
 * Is the row summed up with others in one line?  This applies to functions with few sample pairs.
 */
static bool is_folded(const struct td_writer *writer, const struct td_report *report,
		      const struct td_row *row)
{
	return report->functions && !writer->frame->all && !row->region->outside &&
	       row->region->calls < TD_MIN_WINDOWS;
}

/* Return the maximum width of ids, a quarter of the window. */
static int max_id_width(const struct td_writer *writer)
{
	int quarter = 1 + (int)writer->frame->screen_columns / 4;

	if (!writer->frame->screen_columns || quarter > MAX_ID_WIDTH)
		return MAX_ID_WIDTH;
	return quarter > MIN_ID_WIDTH ? quarter : MIN_ID_WIDTH;
}

static void widen(int *width, int to)
{
	if (to > *width)
		*width = to;
}

static struct layout make_layout(const struct td_writer *writer, const struct td_report *report)
{
	struct layout layout = { .id_width = MIN_ID_WIDTH, .functions = report->functions };

	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		bool folded = is_folded(writer, report, row);
		char bounds[TD_DURATION_NAME];

		widen(&layout.id_width,
		      folded ? FOLDED_WIDTH : td_printable_width(shown_id(row, bounds)));
		if (writer->frame->show_pmu)
			widen(&layout.pmu_width, td_printable_width(row->pmu));
	}
	if (layout.id_width > max_id_width(writer))
		layout.id_width = max_id_width(writer);
	return layout;
}

/* Use the narrow form unless there are too many columns. */
static void make_narrow(const struct td_report *report, struct layout *layout)
{
	if (!td_table_blocks(&layout->table, report))
		return;
	layout->narrow = true;
	layout->table.letters = td_table_letters(&layout->table, report);
	layout->block = layout->table.blocks;
	if (layout->block->pmu)
		layout->pmu_width = 0;
}

/* --- the start of a line ---------------------------------------------------- */

static void put_start(FILE *fp, const struct layout *layout, const char *id, const char *pmu)
{
	td_out_text_id(fp, layout->id_width, id);
	if (layout->pmu_width) {
		fputc(' ', fp);
		td_put_padded(fp, -layout->pmu_width, pmu);
	}
}

static void put_facts_header(FILE *fp, const struct layout *layout)
{
	bool functions = layout->functions, timed = layout->timed;

	fprintf(fp, " %*s", calls_width(layout), functions ? "windows" : "calls");
	if (!functions || !layout->narrow)
		fprintf(fp, " %*s", PERCENT_WIDTH,
			functions ? "whole %"
			: timed   ? "time %"
				  : "incl. %");
	fprintf(fp, " %*s", PERCENT_WIDTH, functions ? "slots %" : timed ? "on CPU%" : "excl. %");
	if (has_slots_a_call(layout))
		fprintf(fp, " %*s", SLOTS_WIDTH, "slots a call");
}

static void put_percent(FILE *fp, struct layout *layout, double value)
{
	layout->marks.missing |= isnan(value);
	fputc(' ', fp);
	if (isnan(value))
		fprintf(fp, "%*s", PERCENT_WIDTH, "-");
	else
		td_out_number(fp, PERCENT_WIDTH, 1, value);
}

/* Put a number, or blanks for NaN. */
static void put_count(const struct td_writer *writer, int width, double value)
{
	if (isnan(value))
		fprintf(writer->fp, "%*s", width, "");
	else
		td_out_count(writer, width, 0, value);
}

static void put_facts(const struct td_writer *writer, struct layout *layout,
		      const struct td_row *row)
{
	const struct td_region_facts *facts = row->region;
	bool no_calls = facts->outside && !layout->functions;

	fputc(' ', writer->fp);
	put_count(writer, calls_width(layout), no_calls ? NAN : (double)facts->calls);
	if (layout->functions && facts->outside && !layout->narrow)
		fprintf(writer->fp, " %*s", PERCENT_WIDTH, "");
	else if (!layout->functions || !layout->narrow)
		put_percent(writer->fp, layout,
			    layout->functions ? facts->whole_pct
			    : layout->timed   ? facts->time_pct
					      : facts->inclusive_pct);
	put_percent(writer->fp, layout, layout->timed ? facts->on_cpu_pct : facts->exclusive_pct);
	if (!has_slots_a_call(layout))
		return;
	fputc(' ', writer->fp);
	put_count(writer, SLOTS_WIDTH, facts->slots_per_call);
}

/* Put notes after a row, such as "short, 12 moved". */
static void put_notes(FILE *fp, const struct td_region_facts *facts)
{
	const struct {
		const char *what;
		uint64_t nr;
	} notes[] = {
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
	for (size_t i = 0; i < TD_ARRAY_SIZE(notes); i++) {
		if (!notes[i].nr)
			continue;
		fprintf(fp, "%s%" PRIu64 " %s", comma, notes[i].nr, notes[i].what);
		comma = ", ";
	}
}

/* --- metrics ---------------------------------------------------------------- */

static void put_error(FILE *fp, struct layout *layout, const struct td_column *column,
		      const struct td_cell *cell)
{
	char number[TD_VALUE_SIZE] = "", text[TD_VALUE_SIZE + 8] = "";

	if (!isnan(cell->error))
		snprintf(text, sizeof(text), " \u00b1%s",
			 td_out_error(number, column, cell->value, cell->error));
	layout->marks.any |= *number == '?';
	layout->marks.errors |= *number != '\0';
	layout->marks.no_error |= *number == '\0';
	td_put_padded(fp, -ERROR_WIDTH, text);
}

static void put_cell(const struct td_writer *writer, struct layout *layout,
		     const struct td_row *row, const struct td_column *column,
		     const struct td_cell *cell)
{
	const char mark = td_out_table_mark(row, cell);
	bool red = writer->frame->colour && mark == '*';
	const char *missing = td_out_missing(cell->status);
	int width = cell_width(layout, column) - 1;
	char value[TD_VALUE_SIZE];
	FILE *fp = writer->fp;

	if (missing) {
		fprintf(fp, "%*s ", width, cell->status == TD_STATUS_NONE ? "" : "-");
		return;
	}
	if (!layout->narrow)
		width -= ERROR_WIDTH;
	fprintf(fp, "%s%*s", red ? "\033[31m" : "", width,
		td_out_value(value, column, cell->value, TD_READER_HUMAN));
	if (!layout->narrow)
		put_error(fp, layout, column, cell);
	fprintf(fp, "%c%s", mark ? mark : ' ', red ? "\033[m" : "");
}

/* Return the end of the columns that fit in a line, at least one. */
static size_t end_of_line(const struct td_writer *writer, const struct td_report *report,
			  const struct layout *layout, size_t from)
{
	int room = (int)writer->frame->screen_columns;
	int used = start_width(layout, !from);
	size_t end = from;

	for (; end < report->nr_columns; end++) {
		if (!has_column(layout, report, end))
			continue;
		used += cell_width(layout, &report->columns[end]);
		if (room && used > room && end > from)
			break;
	}
	return end;
}

/* Return the number of tables that the lines need. */
static int nr_tables(const struct td_writer *writer, const struct td_report *report,
		     const struct layout *layout)
{
	int nr = 0;

	for (size_t at = 0; at < report->nr_columns; nr++)
		at = end_of_line(writer, report, layout, at);
	return nr;
}

/* --- blocks of columns ------------------------------------------------------ */

static void put_header(const struct td_writer *writer, const struct td_report *report,
		       const struct layout *layout, size_t from, size_t end)
{
	FILE *fp = writer->fp;

	put_start(fp, layout,
		  layout->functions ? "function"
		  : layout->timed   ? "took"
				    : "region",
		  "pmu");
	if (!from)
		put_facts_header(fp, layout);
	fputs(layout->narrow ? " " : "", fp);
	for (size_t i = from; i < end; i++) {
		if (has_column(layout, report, i)) {
			const struct td_column *column = &report->columns[i];
			char name[TD_SHORT_SIZE];

			td_table_name(&layout->table, column, name);
			/* right-aligned above the errors */
			td_put_padded(fp, cell_width(layout, column) - 1,
				      layout->narrow ? name : td_node_short_name(column->name));
			fputc(' ', fp);
		}
	}
	fputc('\n', fp);
}

static void put_line(const struct td_writer *writer, const struct td_report *report,
		     const struct td_row *row, struct layout *layout, size_t from, size_t end)
{
	char bounds[TD_DURATION_NAME];

	put_start(writer->fp, layout, shown_id(row, bounds), row->pmu);
	if (!from)
		put_facts(writer, layout, row);
	fputs(layout->narrow ? " " : "", writer->fp);
	for (size_t i = from; i < end; i++) {
		if (!has_column(layout, report, i))
			continue;
		put_cell(writer, layout, row, &report->columns[i], &row->cells[i]);
		td_out_marks_add(&layout->marks, row, &row->cells[i]);
	}
	if (!from)
		put_notes(writer->fp, row->region);
	fputc('\n', writer->fp);
}

static void put_folded(const struct td_writer *writer, const struct td_report *report,
		       struct layout *layout)
{
	char text[64];
	double percent = 0;
	uint64_t windows = 0;
	size_t nr = 0;

	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (!is_folded(writer, report, row) || !is_of_block(layout, row))
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
	put_count(writer, calls_width(layout), (double)windows);
	if (!layout->narrow)
		fprintf(writer->fp, " %*s", PERCENT_WIDTH, "");
	put_percent(writer->fp, layout, percent);
	fputc('\n', writer->fp);
}

static void put_short(const struct td_writer *writer, const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		double least = report->rows[i].region->least_slots;

		if (isnan(least))
			continue;
		fputs(" short: calls of fewer than ", writer->fp);
		put_count(writer, 0, least);
		fputs(" slots cannot be separated from their surroundings\n\n", writer->fp);
		return;
	}
}

/* Explain the columns before the metrics. */
static void put_legend(const struct td_writer *writer, const struct layout *layout)
{
	const char *text =
		"incl. %, excl. %: of the slots of all threads with regions, with and without the "
		"regions inside it";

	if (layout->functions)
		text = layout->narrow
			       ? "windows: from one sample in it to the next; slots %: of the "
				 "slots of all windows"
			       : "windows: from one sample in it to the next; whole %: at least "
				 "this much of their time was in it; slots %: of the slots of all "
				 "windows";
	else if (layout->timed)
		text = "time %: of the time of all calls; on CPU%: of the time of these calls";
	td_out_legend_put(writer, " ", text);
}

static void put_table(const struct td_writer *writer, const struct td_report *report,
		      struct layout *layout, size_t from, size_t end)
{
	put_header(writer, report, layout, from, end);
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (is_of_block(layout, row) && !is_folded(writer, report, row))
			put_line(writer, report, row, layout, from, end);
	}
	if (!from)
		put_folded(writer, report, layout);
	if (end == report->nr_columns) {
		put_legend(writer, layout);
		td_out_marks_put(writer, &layout->marks, " ");
	}
	fputc('\n', writer->fp);
}

static void put_block(const struct td_writer *writer, const struct td_report *report,
		      struct layout *layout)
{
	size_t from = 0;

	layout->marks = (struct td_marks){ 0 };
	if (layout->block && layout->block->pmu) {
		fputc(' ', writer->fp);
		td_put_printable(writer->fp, layout->block->pmu);
		fputs(":\n", writer->fp);
	}
	do {
		size_t end = end_of_line(writer, report, layout, from);

		put_table(writer, report, layout, from, end);
		from = end;
	} while (from < report->nr_columns);
}

static void put_blocks(const struct td_writer *writer, const struct td_report *report,
		       struct layout *layout)
{
	if (layout->narrow)
		layout->block = layout->table.blocks;
	do {
		put_block(writer, report, layout);
	} while (layout->narrow &&
		 ++layout->block < layout->table.blocks + layout->table.nr_blocks);
}

/* Are there regions among the buckets? */
static bool has_untimed(const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		if (!report->rows[i].region->timed)
			return true;
	}
	return false;
}

void td_out_text_regions(const struct td_writer *writer, const struct td_report *report)
{
	struct layout layout = make_layout(writer, report);
	bool untimed = has_untimed(report);

	if (!report->nr_rows)
		return;
	layout.timed = !untimed;
	if (nr_tables(writer, report, &layout) > MAX_TABLES)
		make_narrow(report, &layout);
	if (untimed)
		put_blocks(writer, report, &layout);
	if (untimed && report->nr_timed)
		fputc('\n', writer->fp);
	for (size_t i = 0; i < report->nr_timed; i++) {
		layout.timed = 1 + (int)i;
		layout.few = report->timed[i].durations.nr < TD_MIN_CALLS;
		if (!report->timed[i].durations.nr)
			continue;
		td_out_text_quantiles(writer, &report->timed[i]);
		put_blocks(writer, report, &layout);
		td_out_text_slow(writer, report, i);
	}
	put_short(writer, report);
}
