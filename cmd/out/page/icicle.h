/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_PAGE_ICICLE_H
#define TD_CMD_OUT_PAGE_ICICLE_H

#include <stdio.h>

#include "cmd/out/page/picture.h"

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
