/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/report.h"

/*
 * A table of results, whose rows are structures of one type, and whose columns are
 * their members.  A new column is one row of the table of its columns.
 */

/* The type of a member, and its format. */
enum td_cell_kind {
	TD_CELL_TEXT,    /* const char *; NULL: none */
	TD_CELL_WORD,    /* an enum, with the words of the column */
	TD_CELL_LEVEL,   /* int; 0: none */
	TD_CELL_FLAG,    /* bool */
	TD_CELL_COUNT,   /* double, like all that follow; NaN: none */
	TD_CELL_PERCENT, /* two decimals */
	TD_CELL_SECONDS, /* nine decimals */
	TD_CELL_NUMBER,  /* as many digits as it needs */
};

struct td_sheet_column {
	const char *key; /* name in CSV and JSON; NULL: not shown there */
	enum td_cell_kind kind;
	size_t offset;
	const char *const *words;
	bool csv_only; /* JSON has it in another place */
	bool after;    /* follows the metrics in CSV and JSON */
	bool optional; /* JSON omits it if it is missing or false */
	int decimals;  /* decimals of a number in CSV; 0: as many as it needs */

	const char *title; /* header in tables of intervals; NULL: not shown there */
	int width;
	int digits;          /* decimals in text; 0: one */
	unsigned int window; /* minimum width of the window to show it */
	size_t has;          /* offset of the report's flag to show it; 0: always shown */
	const char *unit;    /* unit after its value in a heading; NULL: not shown there */
};

struct td_sheet {
	const struct td_sheet_column *columns;
	size_t nr_columns;
	const void *rows;
	size_t nr_rows, row_size;
};

/*
 * Facts of a row in all formats, such as its load and its share of the slots.  They are in the
 * order of CSV, and those with a title also in that of tables.
 */
extern const struct td_sheet_column td_row_facts[];
extern const size_t td_nr_row_facts;

/* Return the number of decimals of a fact in text. */
static inline int td_fact_digits(const struct td_sheet_column *fact)
{
	return fact->digits ? fact->digits : 1;
}

/* Return a row's value or text of a fact; NaN or NULL if there is none, or it has another type. */
double td_row_fact(const struct td_row *row, const struct td_sheet_column *fact);
const char *td_row_fact_text(const struct td_row *row, const struct td_sheet_column *fact);

/* Return the facts to show in a table in a window of this width, a bit for each. */
unsigned int td_facts_shown(const struct td_report *report, unsigned int window);
