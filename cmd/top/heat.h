/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_HEAT_H
#define TD_CMD_TOP_HEAT_H

#include "cmd/top/canvas.h"
#include "cmd/top/parts.h"

/*
 * A cell for each row, in the order of the report: the letter of the part that
 * lost it most, and its tens of percent.  "--": next to nothing went on; "??":
 * unknown.
 */

/* The lines that all cells take in a window of this width. */
int td_top_heat_lines(const struct td_report *report, int width);
/* Fills so many lines; what has no room is counted in the last of them. */
void td_top_put_heat(struct td_canvas *canvas, int y, int lines,
		     const struct td_report *report);

#endif
