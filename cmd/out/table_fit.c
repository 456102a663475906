// SPDX-License-Identifier: GPL-2.0-only
/* The narrow form of a table: short names, and lines that fit the window. */
#include "cmd/out/table_fit.h"

#include <string.h>

#include "lib/base/printable.h"

#define PREFIX      "tma_"
#define MIN_LETTERS 3
#define ALL_LETTERS 16 /* from here on, words are not cut */
#define MIN_PERCENT 6  /* "-100.0" */
#define MIN_VALUE   8  /* "0.001234" */

bool td_table_is_percent(const struct td_column *column)
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

/* Returns the width of the widest column. */
static int set_widths(struct td_table *table, const struct td_report *report,
		      struct td_table_block *block)
{
	int most = 0;

	for (int i = 0; i < block->nr; i++) {
		const struct td_column *column =
			&report->columns[block->columns[i]];
		int least =
			td_table_is_percent(column) ? MIN_PERCENT : MIN_VALUE;
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

/*
 * The lines that the header takes.  A column that is wider than the window is
 * broken by the terminal, so it takes one line more.
 */
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
 * several, all columns have the same width, so that they stand below each
 * other.
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

int td_table_letters(struct td_table *table, const struct td_report *report)
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

/*
 * Names are whole, or short ones that are the same in every window, and which
 * explain and -M take, if that saves lines.
 */
void td_table_fit(struct td_table *table, const struct td_report *report)
{
	int least = td_table_letters(table, report);
	unsigned int lines = set_letters(table, report, least);

	if (set_letters(table, report, ALL_LETTERS) > lines)
		set_letters(table, report, least);
}
