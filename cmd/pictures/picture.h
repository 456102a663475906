/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdio.h>

#include "lib/count/report.h"

struct td_picture {
	/* the nodes of the row, in their order, with their rectangles in the icicle */
	struct td_drawn {
		const struct td_node *node;
		const struct td_column *column;
		double value, error; /* NaN: none */
		char mark;           /* '*', '?', '~'; 0: none */
		int above;           /* index of the parent; -1: not shown */
		int depth, hue;
		double from, to; /* vertical position, as fractions of the height */
		double next;     /* where the next child begins */
		double sum;      /* sum of the children's shares */
	} * v;
	size_t nr;
	int depth; /* number of columns; 0: nothing to draw */
};

/* Take the nodes and values of a row.  Free with td_picture_free(). */
void td_picture_make(struct td_picture *picture, const struct td_report *report,
		     const struct td_row *row);
/*
 * Place the nodes.  Children whose sum exceeds their parent, because they are shares
 * of cycles, are scaled to fill it.
 */
void td_picture_place(struct td_picture *picture);
void td_picture_free(struct td_picture *picture);

#define TD_ICICLE_WIDTH  960
#define TD_ICICLE_HEIGHT 320 /* height for all icicles */

/*
 * Write elements of SVG: a column per level, and in it an element per node, with name,
 * value and description in its title, and its place in data attributes for the script.  y: the
 * upper edge, in pixels.
 */
void td_icicle_put(FILE *fp, const struct td_picture *picture, int y, int width);
/* Format the colour of a node at this depth, "#e69f00". */
const char *td_icicle_colour(char buf[8], int hue, int depth);
