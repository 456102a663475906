/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/output/frame.h"
#include "lib/count/report.h"

/* Widths of the columns before the metrics. */
#define TD_WIDE_TIME_WIDTH 16
#define TD_TIME_WIDTH      10 /* width of a time in the narrow form: 999999.999 */
#define TD_PMU_WIDTH       12 /* cpu_lowpower */
#define TD_CGROUP_WIDTH    16

/* Lay out the next table.  last is the previous one; the first time, it is all 0. */
struct td_table td_table_make(const struct td_frame *frame, const struct td_report *report,
			      const struct td_table *last);
/* Does this table have the same header as the last one? */
bool td_table_is_same(const struct td_table *table, const struct td_table *last);

/* Make a block of columns per PMU if they differ.  Returns false if there are too many. */
bool td_table_blocks(struct td_table *table, const struct td_report *report);
/* Return the minimum width of ids in the wide form. */
int td_table_id_width(const struct td_frame *frame);
/* Return the width of a column in the wide form. */
int td_table_wide_width(const struct td_column *column);

/* Maximum columns of a table: more would need more than 150 characters a line. */
#define TD_MAX_COLUMNS 15
#define TD_MAX_BLOCKS  8  /* core types */
#define TD_SHORT_SIZE  64 /* size of a name; longer names are cut */

enum td_table_form {
	TD_TABLE_WIDE,   /* whole names and units, a line per row */
	TD_TABLE_NARROW, /* short names, a block of columns per PMU */
	TD_TABLE_TREES,  /* too many columns for a table */
};

/* How a table of intervals fits the window. */
struct td_table {
	enum td_table_form form;
	int id_width, pmu_width; /* widths of the longest id and PMU so far */
	/* The narrow form: */
	bool percent;       /* all values are percentages */
	unsigned int facts; /* bits of the shown facts of td_row_facts */
	int letters;        /* maximum letters per word of a name */
	int start_width;    /* width of the columns before the metrics */
	int room;           /* width of the metrics in each line */
	/* The columns of a PMU. */
	struct td_table_block {
		const char *pmu; /* NULL: all PMUs have these columns */
		int columns[TD_MAX_COLUMNS], widths[TD_MAX_COLUMNS], nr;
	} blocks[TD_MAX_BLOCKS];
	size_t nr_blocks;
};

/* Return the minimum number of letters with which names in a block are unique. */
int td_table_letters(struct td_table *table, const struct td_report *report);
/* Format the name of a column. */
void td_table_name(const struct td_table *table, const struct td_column *column,
		   char name[TD_SHORT_SIZE]);
/* Return the end of the line of a block that begins at column "from". */
int td_table_line_end(const struct td_table *table, const struct td_table_block *block, int from);
unsigned int td_table_lines(const struct td_table *table, const struct td_table_block *block);
