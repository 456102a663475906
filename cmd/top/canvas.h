/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_CANVAS_H
#define TD_CMD_TOP_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

/* How a cell looks; colour is never all that tells two cells apart. */
enum td_top_style {
	TD_TOP_PLAIN,
	TD_TOP_DIM,
	TD_TOP_BOLD,
	TD_TOP_HEAD,     /* of a table, and the names of keys */
	TD_TOP_SELECTED, /* the row that keys act on */
	TD_TOP_OVER,     /* over its threshold */
	/* parts of level 1, in the order of enum td_part */
	TD_TOP_PART,
	TD_TOP_NR_STYLES = TD_TOP_PART + 5
};

struct td_top_cell {
	int y, x, width; /* its text is cut at the width */
	enum td_top_style style;
	char *text; /* printable UTF-8 */
};

/* What a window of this size shows, as text: nothing here knows a terminal. */
struct td_canvas {
	int width, height;
	struct td_top_cell *cells;
	size_t nr;
	bool no_memory; /* some cell is missing */
};

/*
 * Puts a text at a place, at most width columns of it and none outside of the
 * window.  What is not printable is escaped.
 */
void td_canvas_put(struct td_canvas *canvas, int y, int x, int width,
		   enum td_top_style style, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* The same, with the sign in all of width columns. */
void td_canvas_fill(struct td_canvas *canvas, int y, int x, int width,
		    enum td_top_style style, char sign);
/* The text of a line without styles; the caller frees it. NULL: no memory. */
char *td_canvas_line(const struct td_canvas *canvas, int y);
/* Takes all cells away, and sets the size. */
void td_canvas_clear(struct td_canvas *canvas, int width, int height);
void td_canvas_free(struct td_canvas *canvas);

#endif
