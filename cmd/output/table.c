// SPDX-License-Identifier: GPL-2.0-only
/* The layout of tables of intervals: which form fits the window. */
#include "cmd/output/table.h"

#include <limits.h>

#include "cmd/output/columns.h"
#include "lib/base/printable.h"
#include "lib/count/aggregation.h"

/* --- the narrow form: short names, and lines that fit the window ---------- */

#define PREFIX      "tma_"
#define MIN_LETTERS 3
#define ALL_LETTERS 16 /* words are not cut at this number */
#define MIN_PERCENT 6  /* "-100.0" */
#define MIN_VALUE   8  /* "0.001234" */

static bool table_is_percent(const struct td_column *column)
{
	return strcmp(column->unit, "%") == 0;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c & 0x80);
}

/* Append text with words cut to this many letters.  Returns the new length. */
static size_t shorten(char name[TD_SHORT_SIZE], size_t len, const char *text, int letters)
{
	int word = 0;

	for (; *text && len + 1 < TD_SHORT_SIZE; text++) {
		word = is_letter(*text) ? word + 1 : 0;
		if (word <= letters || letters >= ALL_LETTERS)
			name[len++] = *text;
	}
	name[len] = '\0';
	return len;
}

void td_table_name(const struct td_table *table, const struct td_column *column,
		   char name[TD_SHORT_SIZE])
{
	const char *text = column->name;
	size_t len = 0;

	if (!table->percent && *column->unit) {
		len = shorten(name, 0, column->unit, table->letters);
		len = shorten(name, len, " ", table->letters);
	}
	if (strncmp(text, PREFIX, strlen(PREFIX)) == 0)
		text += strlen(PREFIX);
	shorten(name, len, text, table->letters);
}

int td_table_line_end(const struct td_table *table, const struct td_table_block *block, int from)
{
	int end = from, used = 0;

	while (end < block->nr && used + 1 + block->widths[end] <= table->room)
		used += 1 + block->widths[end++];
	return end > from ? end : from + 1;
}

unsigned int td_table_lines(const struct td_table *table, const struct td_table_block *block)
{
	unsigned int nr = 0;

	for (int at = 0; at < block->nr; nr++)
		at = td_table_line_end(table, block, at);
	return nr ? nr : 1;
}

/* Returns the width of the widest column. */
static int set_widths(struct td_table *table, const struct td_report *report,
		      struct td_table_block *block)
{
	int max = 0;

	for (int i = 0; i < block->nr; i++) {
		const struct td_column *column = &report->columns[block->columns[i]];
		int min = table_is_percent(column) ? MIN_PERCENT : MIN_VALUE;
		char name[TD_SHORT_SIZE];
		int width;

		td_table_name(table, column, name);
		width = td_printable_width(name);
		block->widths[i] = width > min ? width : min;
		if (block->widths[i] > max)
			max = block->widths[i];
	}
	return max;
}

/*
 * Return the number of lines of the header.  The terminal breaks a column that is wider than the
 * window, which takes one more line.
 */
static unsigned int all_lines(const struct td_table *table)
{
	unsigned int nr = 0;

	td_for_each(const struct td_table_block, block, table->blocks, table->nr_blocks) {
		nr += td_table_lines(table, block);
		for (int c = 0; c < block->nr; c++)
			nr += 1 + block->widths[c] > table->room;
	}
	return nr;
}

/*
 * Set the number of letters, and return the number of lines of the header.  If there are several
 * lines, all columns have the same width, so that they are aligned.
 */
static unsigned int set_letters(struct td_table *table, const struct td_report *report, int letters)
{
	int max = 0;

	table->letters = letters;
	for (size_t i = 0; i < table->nr_blocks; i++) {
		int width = set_widths(table, report, &table->blocks[i]);

		max = width > max ? width : max;
	}
	if (all_lines(table) == 1)
		return 1;
	for (size_t i = 0; i < table->nr_blocks; i++)
		for (int c = 0; c < table->blocks[i].nr; c++)
			table->blocks[i].widths[c] = max;
	return all_lines(table);
}

static bool is_distinct(const struct td_table *table, const struct td_report *report,
			const struct td_table_block *block)
{
	char a[TD_SHORT_SIZE], b[TD_SHORT_SIZE];

	for (int i = 0; i < block->nr; i++) {
		td_table_name(table, &report->columns[block->columns[i]], a);
		for (int other = 0; other < i; other++) {
			int column = block->columns[other];

			td_table_name(table, &report->columns[column], b);
			if (strcmp(a, b) == 0)
				return false;
		}
	}
	return true;
}

int td_table_letters(struct td_table *table, const struct td_report *report)
{
	for (int letters = MIN_LETTERS; letters < ALL_LETTERS; letters++) {
		bool distinct = true;

		table->letters = letters;
		for (size_t i = 0; distinct && i < table->nr_blocks; i++)
			distinct = is_distinct(table, report, &table->blocks[i]);
		if (distinct)
			return letters;
	}
	return ALL_LETTERS;
}

/*
 * Choose whole names, or short ones if that saves lines.  Short names are the same in every window,
 * and explain and -M accept them.
 */
static void table_fit(struct td_table *table, const struct td_report *report)
{
	int min = td_table_letters(table, report);
	unsigned int lines = set_letters(table, report, min);

	if (set_letters(table, report, ALL_LETTERS) > lines)
		set_letters(table, report, min);
}

/* --- the form that fits the window ---------------------------------------- */

#define MIN_ID_WIDTH 8
#define WIDE_CELL    20

/* Does a row of this PMU have the column?  pmu NULL: of any PMU. */
static bool has_column(const struct td_report *report, const char *pmu, size_t column)
{
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if ((!pmu || strcmp(row->pmu, pmu) == 0) &&
		    row->cells[column].status != TD_STATUS_NONE)
			return report->columns[column].present;
	}
	return false;
}

/* Does a PMU lack a column of the machine? */
static bool is_sparse(const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		for (size_t c = 0; c < report->nr_columns; c++)
			if (report->columns[c].present &&
			    !has_column(report, report->rows[i].pmu, c))
				return true;
	return false;
}

static bool has_block(const struct td_table *table, const char *pmu)
{
	for (size_t i = 0; pmu && i < table->nr_blocks; i++)
		if (strcmp(table->blocks[i].pmu, pmu) == 0)
			return true;
	return false;
}

/* Add the block of a PMU, or of all PMUs if it is NULL.  Returns false if it is too large. */
static bool add_block(struct td_table *table, const struct td_report *report, const char *pmu)
{
	struct td_table_block *block = &table->blocks[table->nr_blocks];

	if (has_block(table, pmu))
		return true;
	if (table->nr_blocks == TD_MAX_BLOCKS)
		return false;
	*block = (struct td_table_block){ .pmu = pmu };
	table->nr_blocks++;
	for (size_t i = 0; i < report->nr_columns; i++) {
		if (!has_column(report, pmu, i))
			continue;
		if (block->nr == TD_MAX_COLUMNS)
			return false;
		block->columns[block->nr++] = (int)i;
		table->percent &= table_is_percent(&report->columns[i]);
	}
	return true;
}

bool td_table_blocks(struct td_table *table, const struct td_report *report)
{
	bool fits = true;

	table->percent = true;
	if (!is_sparse(report))
		return add_block(table, report, NULL);
	for (size_t i = 0; fits && i < report->nr_rows; i++)
		fits = add_block(table, report, report->rows[i].pmu);
	return fits;
}

static void widen(int *width, const char *text)
{
	int len = td_printable_width(text);

	if (len > *width)
		*width = len;
}

/* Limit ids, such as names of cgroups, to a third of the window. */
static void limit_start(struct td_table *table, const struct td_frame *frame)
{
	int limit = (int)frame->screen_columns / 3;

	if (limit < MIN_ID_WIDTH)
		limit = MIN_ID_WIDTH;
	if (table->id_width > limit)
		table->id_width = limit;
	if (table->pmu_width > limit)
		table->pmu_width = limit;
}

/* Return the width of these facts in a table, with a blank before each. */
static int facts_width(unsigned int shown)
{
	int width = 0;

	for (size_t i = 0; i < td_nr_row_facts; i++)
		width += shown & 1U << i ? 1 + td_row_facts[i].width : 0;
	return width;
}

static void measure_start(struct td_table *table, const struct td_frame *frame,
			  const struct td_report *report)
{
	table->facts = td_facts_shown(report, frame->screen_columns);
	table->start_width = td_out_time_width(frame, TD_TIME_WIDTH) + facts_width(table->facts);
	if (frame->show_id)
		table->start_width += 1 + table->id_width;
	if (frame->show_pmu)
		table->start_width += 1 + table->pmu_width;
	/* a mark may follow the last value */
	table->room = (int)frame->screen_columns - table->start_width - 1;
}

int td_table_wide_width(const struct td_column *column)
{
	int gap = *column->unit ? 2 : 0; /* gap in "%  tma_retiring" */
	int len = td_printable_width(column->unit) + gap + td_printable_width(column->name);

	return len > WIDE_CELL ? len : WIDE_CELL;
}

int td_table_id_width(const struct td_frame *frame)
{
	int width = td_aggregation_row(frame->how)->width;

	if (frame->show_cgroup)
		width += width ? 1 + TD_CGROUP_WIDTH : TD_CGROUP_WIDTH;
	return width > MIN_ID_WIDTH ? width : MIN_ID_WIDTH;
}

static int wide_start_width(const struct td_table *table, const struct td_frame *frame)
{
	int width = td_out_time_width(frame, TD_WIDE_TIME_WIDTH);
	int id = td_table_id_width(frame);

	if (frame->show_id)
		width += 1 + (table->id_width > id ? table->id_width : id);
	if (frame->show_pmu)
		width += 1 + (table->pmu_width > TD_PMU_WIDTH ? table->pmu_width : TD_PMU_WIDTH);
	return width;
}

static bool fits_wide(const struct td_table *table, const struct td_frame *frame,
		      const struct td_report *report)
{
	int width =
		wide_start_width(table, frame) + facts_width(td_facts_shown(report, UINT_MAX)) + 1;

	for (size_t i = 0; i < report->nr_columns; i++)
		if (report->columns[i].present)
			width += 1 + td_table_wide_width(&report->columns[i]);
	return width <= (int)frame->screen_columns;
}

struct td_table td_table_make(const struct td_frame *frame, const struct td_report *report,
			      const struct td_table *last)
{
	struct td_table table = { .id_width = last->id_width, .pmu_width = last->pmu_width };
	char id[TD_SHOWN_SIZE];

	for (size_t i = 0; i < report->nr_rows; i++) {
		widen(&table.id_width, td_row_shown(&report->rows[i], id));
		widen(&table.pmu_width, report->rows[i].pmu);
	}
	if (!frame->screen_columns)
		table.form = frame->trees ? TD_TABLE_TREES : TD_TABLE_WIDE;
	else if (!frame->trees && fits_wide(&table, frame, report))
		table.form = TD_TABLE_WIDE;
	else if (!td_table_blocks(&table, report))
		table.form = TD_TABLE_TREES;
	else
		table.form = TD_TABLE_NARROW;
	if (table.form != TD_TABLE_NARROW)
		return table;
	limit_start(&table, frame);
	measure_start(&table, frame, report);
	table_fit(&table, report);
	return table;
}

static bool is_same_block(const struct td_table_block *a, const struct td_table_block *b)
{
	bool same =
		a->nr == b->nr && !a->pmu == !b->pmu && (!a->pmu || strcmp(a->pmu, b->pmu) == 0);

	for (int i = 0; same && i < a->nr; i++)
		same = a->columns[i] == b->columns[i];
	return same;
}

bool td_table_is_same(const struct td_table *table, const struct td_table *last)
{
	bool same = table->form == last->form;

	if (!same || table->form != TD_TABLE_NARROW)
		return same;
	same = table->start_width == last->start_width && table->id_width == last->id_width &&
	       table->room == last->room && table->letters == last->letters &&
	       table->facts == last->facts && table->nr_blocks == last->nr_blocks;
	for (size_t i = 0; same && i < table->nr_blocks; i++)
		same = is_same_block(&table->blocks[i], &last->blocks[i]);
	return same;
}
