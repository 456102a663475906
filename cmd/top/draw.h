/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/top: tdstat top, a screen of what is counted now.
 *
 * In: reports of a live run or of a recording, interval by interval, and keys.
 * Out: a canvas of text with styles (draw.c and what it calls: no terminal, so
 * that tests can look at it), which screen.c draws with ncurses.
 */
#ifndef TD_CMD_TOP_DRAW_H
#define TD_CMD_TOP_DRAW_H

#include "cmd/top/canvas.h"
#include "cmd/top/state.h"

/*
 * Draws all lines.  The selection stays at its row, or on the screen.  Returns
 * -ENOMEM if a part is missing.
 */
int td_top_draw(struct td_canvas *canvas, int width, int height,
		const struct td_top_snapshot *snapshot,
		struct td_top_state *state, const struct td_top_facts *facts);

#endif
