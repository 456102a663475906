/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_FACTS_H
#define TD_CMD_OUT_FACTS_H

#include "cmd/out/columns.h"
#include "lib/count/report.h"

/*
 * What stands before the metrics of a row, in all formats: how busy it was,
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

/* A row's value of a fact. */
double td_row_fact(const struct td_row *row,
		   const struct td_sheet_column *fact);

/* Which of them are in a table of so many columns: a bit for each. */
unsigned int td_facts_shown(const struct td_report *report,
			    unsigned int window);
/* In a table, with a blank before each. */
int td_facts_width(unsigned int shown);

#endif
