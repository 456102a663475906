/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_PAGE_PICTURE_H
#define TD_CMD_OUT_PAGE_PICTURE_H

#include <stdio.h>

#include "lib/count/report.h"

/* A node of the tree, and its place in the icicle. */
struct td_drawn {
	const struct td_node *node;
	const struct td_column *column;
	double value, error; /* NaN: none */
	char mark;           /* '*', '?', '~'; 0: none */
	int above;           /* index of the node above; -1: none is shown */
	int depth, hue;
	double from, to; /* of the height of the picture, 0 to 1 */
	double next;     /* where its next child begins */
	double sum;      /* of its children */
};

struct td_picture {
	struct td_drawn *v; /* as many as the row has nodes, in their order */
	size_t nr;
	int depth; /* number of columns; 0: there is nothing to draw */
};

/* Nodes of a row in the order of the tree, which the rows over time have. */
const struct td_node *td_page_nodes(const struct td_row *row);
/*
 * Nodes of a row, with its values.  Returns -ENOMEM, with an empty picture; free
 * it with td_picture_free().
 */
int td_picture_make(struct td_picture *picture, const struct td_report *report,
		    const struct td_row *row);
/*
 * Places the nodes.  A child takes its part of the node above; children that are
 * more than that, as they are shares of something else, fill it.
 */
void td_picture_place(struct td_picture *picture);
void td_picture_free(struct td_picture *picture);

/* A place in a drawing, in its units, which are pixels of a page. */
struct td_place_on_page {
	int x, y, width, height;
};

#define TD_ICICLE_WIDTH  960
#define TD_ICICLE_HEIGHT 320

/*
 * Elements of SVG: a column for each level, and in it an element for each node,
 * with its name, value and description as its title.  Page and script find a
 * node's place in its data attributes.
 */
void td_icicle_put(FILE *fp, const struct td_picture *picture,
		   const struct td_place_on_page *place);
/* "#e69f00" of a node of this depth below level 1. */
const char *td_icicle_colour(char buf[8], int hue, int depth);

#endif
