/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_TABLE_H
#define TD_CMD_TOP_TABLE_H

#include "cmd/top/parts.h"
#include "cmd/top/state.h"

/* A line of the table: a row of the report in numbers. */
struct td_top_line {
	const struct td_row *row;
	struct td_top_parts parts;
	/* its lost slots as a share of all slots of the table; NaN: unknown */
	double lost_pct;
};

struct td_top_lines {
	const struct td_report *report; /* borrowed */
	struct td_top_line *v;
	size_t nr;
	size_t nr_filtered; /* rows that the filter hides */
	bool has[5];        /* a line has this part of level 1 */
	bool show_pmu, has_busy, has_ipc;
};

/*
 * Lists the rows of the report, filtered and sorted as the state says; what is
 * unknown comes last.  Free with td_top_lines_free(), also after -ENOMEM.
 */
int td_top_lines_make(struct td_top_lines *lines,
		      const struct td_report *report,
		      const struct td_top_state *state);
void td_top_lines_free(struct td_top_lines *lines);
/* Is there something to sort by? */
bool td_top_lines_have(const struct td_top_lines *lines, enum td_top_sort sort);

#endif
