/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_PARTS_H
#define TD_CMD_TOP_PARTS_H

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

#endif
