/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_TABLE_H
#define TD_CMD_OUT_TABLE_H

#include "cmd/out/frame.h"
#include "lib/count/report.h"

/* The columns before those of the metrics. */
#define TD_WIDE_TIME_WIDTH 16
#define TD_TIME_WIDTH      10 /* of the narrow form: 999999.999 */
#define TD_PMU_WIDTH       12 /* cpu_lowpower */
#define TD_CGROUP_WIDTH    16

/* The next table after last, which is all 0 at first. */
struct td_table td_table_make(const struct td_frame *frame,
			      const struct td_report *report,
			      const struct td_table *last);
/* False if this table needs another header than last did. */
bool td_table_is_same(const struct td_table *table,
		      const struct td_table *last);

/* A block of columns for each PMU, if they differ.  False if there are too many. */
bool td_table_blocks(struct td_table *table, const struct td_report *report);
/* The width of an id in the wide form, unless it is longer. */
int td_table_id_width(const struct td_frame *frame);
/* The width of a column in the wide form. */
int td_table_wide_width(const struct td_column *column);
/* The block that a row belongs to. */
const struct td_table_block *td_table_block_of(const struct td_table *table,
					       const struct td_row *row);

/* More columns would need more than 150 characters a line. */
#define TD_MAX_COLUMNS 15
#define TD_MAX_BLOCKS  8  /* kinds of core */
#define TD_SHORT_SIZE  64 /* longer names are cut */

enum td_table_form {
	TD_TABLE_WIDE,   /* whole names and units, a line for each row */
	TD_TABLE_NARROW, /* short names, a block of columns for each PMU */
	TD_TABLE_TREES,  /* too many columns for a table */
};

/* The columns of a PMU. */
struct td_table_block {
	const char *pmu; /* NULL: all PMUs have these columns */
	int columns[TD_MAX_COLUMNS];
	int widths[TD_MAX_COLUMNS];
	int nr;
};

/* How a table of intervals fits the window. */
struct td_table {
	enum td_table_form form;
	int id_width, pmu_width; /* of the longest so far */
	/* The narrow form: */
	bool percent;       /* all values are percentages */
	unsigned int facts; /* shown, of td_row_facts */
	int letters;        /* of each word in a name */
	int start_width;    /* of what stands before the metrics */
	int room;           /* for metrics, in each line */
	struct td_table_block blocks[TD_MAX_BLOCKS];
	size_t nr_blocks;
};

/* The least letters at which no two columns of a block have the same name. */
int td_table_letters(struct td_table *table, const struct td_report *report);
/* The name of a column. */
void td_table_name(const struct td_table *table, const struct td_column *column,
		   char name[TD_SHORT_SIZE]);
/* Where the line of a block that begins at column "from" ends. */
int td_table_line_end(const struct td_table *table,
		      const struct td_table_block *block, int from);
unsigned int td_table_lines(const struct td_table *table,
			    const struct td_table_block *block);

#endif
