/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_PARTS_H
#define TD_CMD_TOP_PARTS_H

#include "lib/count/report.h"

/* Where slots go: level 1 of any vendor's tree. */
enum td_top_part {
	TD_TOP_RETIRING,
	TD_TOP_BAD_SPECULATION,
	TD_TOP_FRONTEND,
	TD_TOP_BACKEND,
	TD_TOP_OTHER, /* AMD's smt_contention */
	TD_TOP_NR_PARTS
};

/* Each has a letter of its own: R, S, F, B and T. */
char td_top_part_letter(enum td_top_part part);
/* "bad speculation", or where there are fewer columns, "bad spec." */
const char *td_top_part_name(enum td_top_part part, int width);
/* The part that a node of level 1 is; TD_TOP_NR_PARTS: none of level 1. */
enum td_top_part td_top_part_of(const struct td_report *report,
				const struct td_node *node);

/* A row in numbers; NaN: unknown. */
struct td_top_parts {
	double pct[TD_TOP_NR_PARTS];
	bool over[TD_TOP_NR_PARTS];
	bool has[TD_TOP_NR_PARTS]; /* the row's tree has the node */
	double lost;               /* slots that were not retired */
	enum td_top_part worst; /* of those but retiring; NR_PARTS: unknown */
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

#endif
