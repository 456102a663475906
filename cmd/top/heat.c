// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/heat.h"

#include <math.h>

/* Columns of the first cell's name, of a cell, and of "+123 more". */
#define NAME_WIDTH 6
#define CELL_WIDTH 3
#define MORE_WIDTH 12

static int cells_a_line(int width)
{
	int nr = (width - NAME_WIDTH) / CELL_WIDTH;

	/* even numbers are easier to count in */
	if (nr > 8)
		nr -= nr % 8;
	return nr > 0 ? nr : 1;
}

static size_t count_rows(const struct td_report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->nr_rows; i++)
		nr += !report->rows[i].package;
	return nr;
}

int td_top_heat_lines(const struct td_report *report, int width)
{
	size_t a_line = (size_t)cells_a_line(width);

	return (int)((count_rows(report) + a_line - 1) / a_line);
}

static void put_cell(struct td_canvas *canvas, int y, int x,
		     const struct td_report *report, const struct td_row *row)
{
	struct td_top_parts parts;
	int tens;

	td_top_parts_find(&parts, report, row);
	if (row->idle) {
		td_canvas_put(canvas, y, x, 2, TD_TOP_DIM, "--");
		return;
	}
	if (parts.worst == TD_TOP_NR_PARTS) {
		td_canvas_put(canvas, y, x, 2, TD_TOP_DIM, "??");
		return;
	}
	tens = (int)(parts.pct[parts.worst] / 10);
	td_canvas_put(canvas, y, x, 2,
		      (enum td_top_style)(TD_TOP_PART + (int)parts.worst),
		      "%c%c", td_top_part_letter(parts.worst),
		      tens < 0   ? '0'
		      : tens > 9 ? '9'
				 : '0' + tens);
}

void td_top_put_heat(struct td_canvas *canvas, int y, int lines,
		     const struct td_report *report)
{
	int a_line = cells_a_line(canvas->width);
	size_t nr = count_rows(report), at = 0;
	size_t room = (size_t)a_line * (size_t)lines;

	if (nr > room)
		room -= MORE_WIDTH / CELL_WIDTH < a_line
				? MORE_WIDTH / CELL_WIDTH
				: 0;
	for (size_t i = 0; i < report->nr_rows && at < room; i++) {
		const struct td_row *row = &report->rows[i];
		int line = y + (int)at / a_line, column = (int)at % a_line;

		if (row->package)
			continue;
		if (!column)
			td_canvas_put(canvas, line, 0, NAME_WIDTH - 1,
				      TD_TOP_DIM, "%s", row->id);
		put_cell(canvas, line, NAME_WIDTH + CELL_WIDTH * column, report,
			 row);
		at++;
	}
	if (at < nr)
		td_canvas_put(canvas, y + lines - 1,
			      NAME_WIDTH + CELL_WIDTH * ((int)at % a_line),
			      MORE_WIDTH, TD_TOP_DIM, "+%zu more", nr - at);
}
