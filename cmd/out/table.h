/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_TABLE_H
#define TD_CMD_OUT_TABLE_H

#include "cmd/out/frame.h"
#include "cmd/out/table_fit.h"
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

#endif
