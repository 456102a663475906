/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_PANES_H
#define TD_CMD_TOP_PANES_H

#include "cmd/top/canvas.h"
#include "cmd/top/rows.h"

/* A part of the window. */
struct td_top_area {
	int y, lines;
};

/*
 * Scrolls so that the selected line of nr is shown, and tells the state how many
 * lines there are.
 */
void td_top_scroll(struct td_top_state *state, size_t nr, int lines);

/* pane_table.c: its first line is the header. */
void td_top_put_table(struct td_canvas *canvas, struct td_top_area area,
		      const struct td_top_lines *lines,
		      struct td_top_state *state,
		      const struct td_top_facts *facts);
/* The trees of the rows of this id. */
void td_top_put_tree(struct td_canvas *canvas, struct td_top_area area,
		     const struct td_report *report, const char *id,
		     struct td_top_state *state);
void td_top_put_help(struct td_canvas *canvas, struct td_top_area area,
		     struct td_top_state *state);
void td_top_put_meaning(struct td_canvas *canvas, struct td_top_area area,
			const char *node, const char *pmu,
			struct td_top_state *state);

#endif
