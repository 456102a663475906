// SPDX-License-Identifier: GPL-2.0-only
/* The layout of tables of intervals: which form fits the window. */
#include "cmd/out/table.h"

#include <limits.h>
#include <string.h>

#include "cmd/out/out.h"
#include "lib/base/printable.h"

#define PREFIX       "tma_"
#define MIN_LETTERS  3
#define ALL_LETTERS  16 /* from here on, words are not cut */
#define MIN_PERCENT  6  /* "-100.0" */
#define MIN_VALUE    8  /* "0.001234" */
#define MIN_ID_WIDTH 8
#define WIDE_CELL    20

static bool is_percent(const struct td_column *column)
{
	return strcmp(column->unit, "%") == 0;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c & 0x80);
}

/* Adds text, whose words are cut.  Returns the new length. */
static size_t shorten(char name[TD_SHORT_SIZE], size_t len, const char *text,
		      int letters)
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

int td_table_line_end(const struct td_table *table,
		      const struct td_table_block *block, int from)
{
	int end = from, used = 0;

	while (end < block->nr && used + 1 + block->widths[end] <= table->room)
		used += 1 + block->widths[end++];
	return end > from ? end : from + 1;
}

unsigned int td_table_lines(const struct td_table *table,
			    const struct td_table_block *block)
{
	unsigned int nr = 0;

	for (int at = 0; at < block->nr; nr++)
		at = td_table_line_end(table, block, at);
	return nr ? nr : 1;
}

const struct td_table_block *td_table_block_of(const struct td_table *table,
					       const struct td_row *row)
{
	const struct td_table_block *block = table->blocks;

	while (block->pmu && strcmp(block->pmu, row->pmu) != 0)
		block++;
	return block;
}

/* True if a row of this PMU has the column; pmu NULL: of any. */
static bool has_column(const struct td_report *report, const char *pmu,
		       size_t column)
{
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if ((!pmu || strcmp(row->pmu, pmu) == 0) &&
		    row->cells[column].status != TD_STATUS_NONE)
			return report->columns[column].present;
	}
	return false;
}

/* True if a PMU does not have a column that the machine has. */
static bool is_sparse(const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_rows; i++)
		for (size_t c = 0; c < report->nr_columns; c++)
			if (report->columns[c].present &&
			    !has_column(report, report->rows[i].pmu, c))
				return true;
	return false;
}

/* False if there are too many columns. */
static bool add_block(struct td_table *table, const struct td_report *report,
		      const char *pmu)
{
	struct td_table_block *block = &table->blocks[table->nr_blocks];

	for (size_t i = 0; i < table->nr_blocks; i++)
		if (strcmp(table->blocks[i].pmu, pmu) == 0)
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
		table->percent &= is_percent(&report->columns[i]);
	}
	return true;
}

static bool make_blocks(struct td_table *table, const struct td_report *report)
{
	bool fits = true;

	table->percent = true;
	if (!is_sparse(report))
		return add_block(table, report, NULL);
	for (size_t i = 0; fits && i < report->nr_rows; i++)
		fits = add_block(table, report, report->rows[i].pmu);
	return fits;
}

/* Returns the width of the widest column. */
static int set_widths(struct td_table *table, const struct td_report *report,
		      struct td_table_block *block)
{
	int most = 0;

	for (int i = 0; i < block->nr; i++) {
		const struct td_column *column =
			&report->columns[block->columns[i]];
		int least = is_percent(column) ? MIN_PERCENT : MIN_VALUE;
		char name[TD_SHORT_SIZE];
		int width;

		td_table_name(table, column, name);
		width = td_printable_width(name);
		block->widths[i] = width > least ? width : least;
		if (block->widths[i] > most)
			most = block->widths[i];
	}
	return most;
}

/* A line that is longer than the window takes two of its lines. */
static unsigned int all_lines(const struct td_table *table)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < table->nr_blocks; i++) {
		const struct td_table_block *block = &table->blocks[i];

		nr += td_table_lines(table, block);
		for (int c = 0; c < block->nr; c++)
			nr += 1 + block->widths[c] > table->room;
	}
	return nr;
}

/*
 * Sets the number of letters and returns the lines of the header.  If there are
 * several, all columns have the same width, so that they stand below each other.
 */
static unsigned int set_letters(struct td_table *table,
				const struct td_report *report, int letters)
{
	int most = 0;

	table->letters = letters;
	for (size_t i = 0; i < table->nr_blocks; i++) {
		int width = set_widths(table, report, &table->blocks[i]);

		most = width > most ? width : most;
	}
	if (all_lines(table) == 1)
		return 1;
	for (size_t i = 0; i < table->nr_blocks; i++)
		for (int c = 0; c < table->blocks[i].nr; c++)
			table->blocks[i].widths[c] = most;
	return all_lines(table);
}

static bool is_distinct(const struct td_table *table,
			const struct td_report *report,
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

/* The least letters at which no two columns of a line have the same name. */
static int least_letters(struct td_table *table, const struct td_report *report)
{
	for (int letters = MIN_LETTERS; letters < ALL_LETTERS; letters++) {
		bool distinct = true;

		table->letters = letters;
		for (size_t i = 0; distinct && i < table->nr_blocks; i++)
			distinct =
				is_distinct(table, report, &table->blocks[i]);
		if (distinct)
			return letters;
	}
	return ALL_LETTERS;
}

/* As few lines as possible, and then as many letters. */
static void fit(struct td_table *table, const struct td_report *report)
{
	int least = least_letters(table, report), letters = ALL_LETTERS;
	unsigned int lines = set_letters(table, report, least);

	while (letters > least && set_letters(table, report, letters) > lines)
		letters--;
	set_letters(table, report, letters);
}

static int longest(int width, int limit, const char *text)
{
	int len = td_printable_width(text);

	if (len > limit)
		len = limit;
	return len > width ? len : width;
}

/* An id takes a third of the window at most, as a cgroup's may be long. */
static void widen_start(struct td_table *table, const struct td_frame *frame,
			const struct td_report *report)
{
	int limit = frame->screen_columns ? (int)frame->screen_columns / 3
					  : INT_MAX;

	if (limit < MIN_ID_WIDTH)
		limit = MIN_ID_WIDTH;
	table->id_width = table->id_width > limit ? limit : table->id_width;
	table->pmu_width = table->pmu_width > limit ? limit : table->pmu_width;
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		table->id_width = longest(table->id_width, limit, row->id);
		table->pmu_width = longest(table->pmu_width, limit, row->pmu);
	}
}

static int busy_width(const struct td_report *report)
{
	return report->has_busy ? 1 + TD_BUSY_WIDTH + 1 + TD_GHZ_WIDTH : 0;
}

static void measure_start(struct td_table *table, const struct td_frame *frame,
			  const struct td_report *report)
{
	table->busy = report->has_busy;
	table->start_width = TD_TIME_WIDTH + busy_width(report);
	if (frame->show_id)
		table->start_width += 1 + table->id_width;
	if (frame->show_pmu)
		table->start_width += 1 + table->pmu_width;
	/* a mark may stand behind the last value */
	table->room = (int)frame->screen_columns - table->start_width - 1;
}

int td_table_wide_width(const struct td_column *column)
{
	int gap = *column->unit ? 2 : 0; /* in "%  tma_retiring" */
	int len = td_printable_width(column->unit) + gap +
		  td_printable_width(column->name);

	return len > WIDE_CELL ? len : WIDE_CELL;
}

static bool fits_wide(const struct td_table *table,
		      const struct td_frame *frame,
		      const struct td_report *report)
{
	int width = td_out_text_start_width(frame, table->id_width,
					    table->pmu_width) +
		    busy_width(report) + 1;

	for (size_t i = 0; i < report->nr_columns; i++)
		if (report->columns[i].present)
			width += 1 + td_table_wide_width(&report->columns[i]);
	return width <= (int)frame->screen_columns;
}

struct td_table td_table_make(const struct td_frame *frame,
			      const struct td_report *report,
			      const struct td_table *last)
{
	struct td_table table = { .id_width = last->id_width,
				  .pmu_width = last->pmu_width };

	widen_start(&table, frame, report);
	if (!frame->screen_columns)
		table.form = frame->trees ? TD_TABLE_TREES : TD_TABLE_WIDE;
	else if (!frame->trees && fits_wide(&table, frame, report))
		table.form = TD_TABLE_WIDE;
	else if (!make_blocks(&table, report))
		table.form = TD_TABLE_TREES;
	else
		table.form = TD_TABLE_NARROW;
	if (table.form != TD_TABLE_NARROW)
		return table;
	measure_start(&table, frame, report);
	fit(&table, report);
	return table;
}

static bool is_same_block(const struct td_table_block *a,
			  const struct td_table_block *b)
{
	bool same = a->nr == b->nr && !a->pmu == !b->pmu &&
		    (!a->pmu || strcmp(a->pmu, b->pmu) == 0);

	for (int i = 0; same && i < a->nr; i++)
		same = a->columns[i] == b->columns[i];
	return same;
}

bool td_table_is_same(const struct td_table *table, const struct td_table *last)
{
	bool same = table->form == last->form;

	if (!same || table->form != TD_TABLE_NARROW)
		return same;
	same = table->start_width == last->start_width &&
	       table->id_width == last->id_width && table->room == last->room &&
	       table->letters == last->letters && table->busy == last->busy &&
	       table->nr_blocks == last->nr_blocks;
	for (size_t i = 0; same && i < table->nr_blocks; i++)
		same = is_same_block(&table->blocks[i], &last->blocks[i]);
	return same;
}
