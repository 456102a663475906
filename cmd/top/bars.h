/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_TOP_BARS_H
#define TD_CMD_TOP_BARS_H

#include "cmd/top/canvas.h"
#include "cmd/top/rows.h"

/* The width from which the parts have names, and children below them. */
#define TD_TOP_NAMES_WIDTH 56

/* Fills a bar with the letters of the parts; '.' is what is not known. */
void td_top_put_bar(struct td_canvas *canvas, int y, int x, int width,
		    const struct td_top_parts *parts);
/* A line: the PMU, how busy it was, and its slots as a bar. */
void td_top_put_pmu(struct td_canvas *canvas, int y,
		    const struct td_report *report, const struct td_row *row);
/* A line: the values of level 1. */
void td_top_put_parts(struct td_canvas *canvas, int y,
		      const struct td_report *report, const struct td_row *row);
/* The most children that a part has on level 2. */
int td_top_count_children(const struct td_report *report,
			  const struct td_row *row);
/* So many lines below the parts: each part's children, the largest first. */
void td_top_put_children(struct td_canvas *canvas, int y, int lines,
			 const struct td_report *report,
			 const struct td_row *row);
/* "42.7", or "-" for what is not known. */
#define TD_TOP_NUMBER_SIZE 64
const char *td_top_number(char buf[TD_TOP_NUMBER_SIZE], double value);

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
