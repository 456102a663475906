/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_ROWS_H
#define TD_CMD_TOP_ROWS_H

#include "cmd/top/state.h"
#include "lib/count/report.h"

/* Each has a letter of its own: R, S, F, B and T. */
char td_top_part_letter(enum td_part part);
/* "bad speculation", or where there are fewer columns, "bad spec." */
const char *td_top_part_name(enum td_part part, int width);
/* The part that a node of level 1 is; TD_NR_PARTS: none of level 1. */
enum td_part td_top_part_of(const struct td_report *report,
			    const struct td_node *node);

/* A row in numbers; NaN: unknown. */
struct td_top_parts {
	double pct[TD_NR_PARTS];
	bool over[TD_NR_PARTS];
	bool has[TD_NR_PARTS]; /* the row's tree has the node */
	enum td_part worst;    /* of those but retiring; NR_PARTS: unknown */
};

void td_top_parts_find(struct td_top_parts *parts,
		       const struct td_report *report,
		       const struct td_row *row);
/* Is there anything of level 1 in it? */
bool td_top_parts_exist(const struct td_top_parts *parts);
/* A cell's value, or NaN. */
double td_top_value(const struct td_row *row, const struct td_node *node);
/* Is the node marked, as in the text of tdstat? */
bool td_top_is_over(const struct td_row *row, const struct td_node *node);

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
