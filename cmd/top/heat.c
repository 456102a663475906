// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/heat.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* --- where the cells are ---------------------------------------------------- */

/* A cell, after those before it. */
struct place {
	const struct td_row *row;
	int line, x; /* where the cell is */
	int name_x;  /* where its name is; -1: it follows the one before */
	int column;  /* of the cells in the line, named or not */
};

/* "CPU4" follows "CPU3", and "S0-D0-C4" follows "S0-D0-C3". */
static bool follows(const char *id, const char *before)
{
	size_t at = strlen(id), before_at = strlen(before);

	while (at && isdigit((unsigned char)id[at - 1]))
		at--;
	while (before_at && isdigit((unsigned char)before[before_at - 1]))
		before_at--;
	return at == before_at && strncmp(id, before, at) == 0 &&
	       strtoul(id + at, NULL, 10) ==
		       strtoul(before + before_at, NULL, 10) + 1;
}

/* Each line has a name at its beginning, and where the numbers have a gap. */
static void take_place(struct place *place, const struct td_row *row, int width)
{
	bool first = !place->row;
	bool named = first || !follows(row->id, place->row->id);
	int name = (int)strlen(row->id) + 1, x = place->x + CELL_WIDTH;

	place->column++;
	if (first || place->column >= cells_a_line(width) ||
	    x + (named ? name : 0) + CELL_WIDTH > width + 1) {
		place->line += !first;
		place->column = 0;
		x = 0;
		named = true;
		name = name < NAME_WIDTH ? NAME_WIDTH : name;
	}
	place->row = row;
	place->name_x = named ? x : -1;
	place->x = x + (named ? name : 0);
}

int td_top_heat_lines(const struct td_report *report, int width)
{
	struct place place = { 0 };

	for (size_t i = 0; i < report->nr_rows; i++) {
		if (!report->rows[i].package)
			take_place(&place, &report->rows[i], width);
	}
	return place.row ? place.line + 1 : 0;
}

/* --- the cells -------------------------------------------------------------- */

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
	if (parts.worst == TD_NR_PARTS) {
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

static size_t count_rows(const struct td_report *report, size_t from)
{
	size_t nr = 0;

	for (size_t i = from; i < report->nr_rows; i++)
		nr += !report->rows[i].package;
	return nr;
}

void td_top_put_heat(struct td_canvas *canvas, int y, int lines,
		     const struct td_report *report)
{
	bool fits = td_top_heat_lines(report, canvas->width) <= lines;
	struct place place = { 0 };

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		struct place before = place;

		if (row->package)
			continue;
		take_place(&place, row, canvas->width);
		if (!fits &&
		    (place.line >= lines ||
		     (place.line == lines - 1 && before.row &&
		      place.x + CELL_WIDTH + MORE_WIDTH > canvas->width))) {
			int x = before.line == lines - 1 ? before.x + CELL_WIDTH
							 : 0;

			td_canvas_put(canvas, y + lines - 1, x, MORE_WIDTH,
				      TD_TOP_DIM, "+%zu more",
				      count_rows(report, i));
			return;
		}
		if (place.name_x >= 0)
			td_canvas_put(canvas, y + place.line, place.name_x,
				      place.x - place.name_x - 1, TD_TOP_DIM,
				      "%s", row->id);
		put_cell(canvas, y + place.line, place.x, report, row);
	}
}
