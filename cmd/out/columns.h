/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_COLUMNS_H
#define TD_CMD_OUT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/count/report.h"

/*
 * A table of results: its rows are structures of one kind, and each column is a
 * member of them.  A new column is one row of the table of its columns.
 */

/* The type of a member, and how it is written. */
enum td_cell_kind {
	TD_CELL_TEXT,    /* const char *; NULL: none */
	TD_CELL_WORD,    /* an enum; the column has its words */
	TD_CELL_LEVEL,   /* int; 0: none */
	TD_CELL_FLAG,    /* bool */
	TD_CELL_COUNT,   /* double, as all below; NaN: none */
	TD_CELL_PERCENT, /* two decimals */
	TD_CELL_SECONDS, /* nine decimals */
	TD_CELL_NUMBER,  /* as many digits as it needs */
};

struct td_sheet_column {
	const char *key; /* for programs; NULL: not in CSV and JSON */
	enum td_cell_kind kind;
	size_t offset; /* of the member */
	const char *const *words;
	bool csv_only; /* JSON has it elsewhere */
	bool behind;   /* of a row: in CSV and JSON, behind the metrics */
	bool optional; /* JSON leaves it out if there is none, or false */
	int decimals;  /* CSV: of a number; 0: as many as it needs */

	const char *title; /* in tables of intervals; NULL: not there */
	int width;
	int digits;          /* decimals for people; 0: one */
	unsigned int window; /* the least that tables show it in */
	size_t has; /* the report's flag that it is there; 0: it always is */
	const char *unit; /* behind its value in a heading; NULL: not there */
};

struct td_sheet {
	const struct td_sheet_column *columns;
	size_t nr_columns;
	const void *rows;
	size_t nr_rows, row_size;
};

/*
 * What stands beside the metrics of a row, in all formats: how busy it was,
 * what it is of the whole.  In the order of CSV; those with a title in that of
 * tables.
 */
extern const struct td_sheet_column td_row_facts[];
extern const size_t td_nr_row_facts;

/* The decimals that people see of it. */
static inline int td_fact_digits(const struct td_sheet_column *fact)
{
	return fact->digits ? fact->digits : 1;
}

/* A row's value of a fact; NaN, or NULL: it has none, or is of another kind. */
double td_row_fact(const struct td_row *row,
		   const struct td_sheet_column *fact);
const char *td_row_fact_text(const struct td_row *row,
			     const struct td_sheet_column *fact);

/* Which of them are in a table of so many columns: a bit for each. */
unsigned int td_facts_shown(const struct td_report *report,
			    unsigned int window);
/* In a table, with a blank before each. */
int td_facts_width(unsigned int shown);

#endif
