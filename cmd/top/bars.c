// SPDX-License-Identifier: GPL-2.0-only
/* Level 1 as bars, and as a heat map, with letters in addition to colours. */
#include <ctype.h>
#include <math.h>

#include "cmd/output/out.h"
#include "cmd/top/parts.h"

/* Widths of a PMU's name, of its load, and of its name in a narrow window. */
#define NAME_WIDTH   12
#define LOAD_WIDTH   26
#define IPC_WIDTH    9 /* " 1.86 IPC", in a wide window */
#define IPC_COLUMNS  100
#define NARROW_WIDTH 10

/* Columns of " 42.7*" */
#define VALUE_WIDTH 6

#define MAX_CHILDREN 16 /* children of a node of level 1 */

const char *td_top_number(char buf[TD_TOP_NUMBER_SIZE], double value)
{
	if (isnan(value))
		return strcpy(buf, "-");
	return td_out_format(buf, 1, value);
}

/* Return the column at this percentage of the width. */
static int end_of(double pct, int width)
{
	int end = (int)lround(pct * width / 100);

	return end < 0 ? 0 : end > width ? width : end;
}

/* Fill a bar with the letters of level 1; '.' is unknown. */
static void put_bar(struct td_canvas *canvas, int y, int x, int width,
		    const struct td_top_parts *parts)
{
	double sum = 0;
	int at = 0;

	for (int i = 0; i < TD_NR_PARTS; i++) {
		int end;

		if (isnan(parts->pct[i]))
			continue;
		sum += parts->pct[i];
		end = end_of(sum, width);
		if (end <= at)
			continue;
		td_canvas_fill(canvas, y, x + at, end - at, (enum td_top_style)(TD_TOP_PART + i),
			       td_top_part_letter((enum td_part)i));
		at = end;
	}
	td_canvas_fill(canvas, y, x + at, width - at, TD_TOP_DIM, '.');
}

/* Put " 98.2% busy 3.00 GHz 1.86 IPC", without unknown values. */
static void put_load(struct td_canvas *canvas, int y, int x, int width, const struct td_row *row)
{
	char busy[TD_TOP_NUMBER_SIZE], ghz[TD_TOP_NUMBER_SIZE] = "";
	char ipc[TD_TOP_NUMBER_SIZE] = "";

	if (!isnan(row->ghz))
		snprintf(ghz, sizeof(ghz), " %.2f GHz", row->ghz);
	if (!isnan(row->ipc) && width > LOAD_WIDTH)
		snprintf(ipc, sizeof(ipc), " %.2f IPC", row->ipc);
	td_canvas_put(canvas, y, x, width, TD_TOP_PLAIN, "%5s%% %s%s%s",
		      td_top_number(busy, row->busy_pct), row->activity.cpus ? "busy" : "of a CPU",
		      ghz, ipc);
}

void td_top_put_pmu(struct td_canvas *canvas, int y, const struct td_report *report,
		    const struct td_row *row)
{
	bool narrow = canvas->width < TD_TOP_NAMES_WIDTH;
	int load = LOAD_WIDTH + (canvas->width >= IPC_COLUMNS ? IPC_WIDTH : 0);
	int x = narrow ? NARROW_WIDTH : NAME_WIDTH;
	struct td_top_parts parts;

	td_top_parts_find(&parts, report, row);
	td_canvas_put(canvas, y, 0, x - 1, TD_TOP_BOLD, "%s", row->pmu);
	if (!narrow && !isnan(row->busy_pct)) {
		put_load(canvas, y, x, load - 1, row);
		x += load;
	}
	td_canvas_put(canvas, y, x, 1, TD_TOP_DIM, "[");
	put_bar(canvas, y, x + 1, canvas->width - x - 2, &parts);
	td_canvas_put(canvas, y, canvas->width - 1, 1, TD_TOP_DIM, "]");
}

static int count_parts(const struct td_top_parts *parts)
{
	int nr = 0;

	for (int i = 0; i < TD_NR_PARTS; i++)
		nr += parts->has[i];
	return nr ? nr : 1;
}

static void put_value(struct td_canvas *canvas, int y, int x, double value, bool over)
{
	char number[TD_TOP_NUMBER_SIZE];

	td_canvas_put(canvas, y, x, VALUE_WIDTH, over ? TD_TOP_OVER : TD_TOP_PLAIN, "%5s%s",
		      td_top_number(number, value), over ? "*" : "");
}

void td_top_put_parts(struct td_canvas *canvas, int y, const struct td_report *report,
		      const struct td_row *row)
{
	struct td_top_parts parts;
	int width, x = 0;

	td_top_parts_find(&parts, report, row);
	width = canvas->width / count_parts(&parts);
	for (int i = 0; i < TD_NR_PARTS; i++) {
		enum td_part part = (enum td_part)i;
		int name = width - 2 - VALUE_WIDTH;

		if (!parts.has[i])
			continue;
		td_canvas_put(canvas, y, x, 1, (enum td_top_style)(TD_TOP_PART + i), "%c",
			      td_top_part_letter(part));
		if (canvas->width < TD_TOP_NAMES_WIDTH)
			name = 0;
		td_canvas_put(canvas, y, x + 2, name, TD_TOP_PLAIN, "%s",
			      td_top_part_name(part, name - 1));
		put_value(canvas, y, x + (name ? 2 + name : 1), parts.pct[i], parts.over[i]);
		x += width;
	}
}

/* --- level 2 --------------------------------------------------------------- */

struct child {
	const struct td_node *node;
	double value;
};

struct children {
	const struct td_report *report;
	const struct td_row *row;
	struct child v[MAX_CHILDREN];
	int nr;
};

static int by_value(const void *left, const void *right)
{
	const struct child *a = left, *b = right;

	if (isnan(a->value) || isnan(b->value))
		return isnan(a->value) - isnan(b->value);
	return a->value < b->value ? 1 : a->value > b->value ? -1 : 0;
}

static void find_children(struct children *children, const struct td_report *report,
			  const struct td_row *row, const struct td_node *above)
{
	const char *name = report->columns[above->column].name;

	*children = (struct children){ .report = report, .row = row };
	td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
		if (node->level == 2 && node->parent && strcmp(node->parent, name) == 0 &&
		    children->nr < MAX_CHILDREN)
			children->v[children->nr++] =
				(struct child){ node, td_top_value(row, node) };
	}
	qsort(children->v, (size_t)children->nr, sizeof(children->v[0]), by_value);
}

int td_top_count_children(const struct td_report *report, const struct td_row *row)
{
	int most = 0;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		struct children children;

		if (td_top_part_of(report, &row->nodes[i]) == TD_NR_PARTS)
			continue;
		find_children(&children, report, row, &row->nodes[i]);
		most = children.nr > most ? children.nr : most;
	}
	return most;
}

static void put_column(struct td_canvas *canvas, int y, int x, int width, int lines,
		       const struct children *children)
{
	int name = width - 2 - VALUE_WIDTH;

	for (int i = 0; i < children->nr && i < lines; i++) {
		const struct child *child = &children->v[i];
		const struct td_column *column = &children->report->columns[child->node->column];

		td_canvas_put(canvas, y + i, x + 2, name, TD_TOP_PLAIN, "%s",
			      td_node_short_name(column->name));
		put_value(canvas, y + i, x + 2 + name, child->value,
			  td_top_is_over(children->row, child->node));
	}
}

void td_top_put_children(struct td_canvas *canvas, int y, int lines, const struct td_report *report,
			 const struct td_row *row)
{
	struct td_top_parts parts;
	int width, x = 0;

	td_top_parts_find(&parts, report, row);
	width = canvas->width / count_parts(&parts);
	for (int i = 0; i < TD_NR_PARTS; i++) {
		for (size_t k = 0; k < row->nr_nodes; k++) {
			struct children children;

			if ((int)td_top_part_of(report, &row->nodes[k]) != i)
				continue;
			find_children(&children, report, row, &row->nodes[k]);
			put_column(canvas, y, x, width, lines, &children);
		}
		x += parts.has[i] ? width : 0;
	}
}

/* --- heat map: places of cells -------------------------------------------- */

/* Columns of the first cell's name, of a cell, and of "+123 more". */
#define FIRST_WIDTH 6
#define CELL_WIDTH  3
#define MORE_WIDTH  12

static int cells_a_line(int width)
{
	int nr = (width - FIRST_WIDTH) / CELL_WIDTH;

	/* even numbers are easier to count in */
	if (nr > 8)
		nr -= nr % 8;
	return nr > 0 ? nr : 1;
}

/* The place of a cell. */
struct place {
	const struct td_row *row;
	int line, x; /* where the cell is */
	int name_x;  /* column of its name; -1: no name */
	int column;  /* index in the line */
};

/* Return true if ids are consecutive: "CPU3" and "CPU4", "S0-D0-C3" and "S0-D0-C4". */
static bool follows(const char *id, const char *before)
{
	size_t at = strlen(id), before_at = strlen(before);

	while (at && isdigit((unsigned char)id[at - 1]))
		at--;
	while (before_at && isdigit((unsigned char)before[before_at - 1]))
		before_at--;
	return at == before_at && strncmp(id, before, at) == 0 &&
	       strtoul(id + at, NULL, 10) == strtoul(before + before_at, NULL, 10) + 1;
}

/* Place the next cell.  It gets a name at the start of a line, and after a gap in the numbers. */
static void next_place(struct place *place, const struct td_row *row, int width)
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
		name = name < FIRST_WIDTH ? FIRST_WIDTH : name;
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
			next_place(&place, &report->rows[i], width);
	}
	return place.row ? place.line + 1 : 0;
}

/* --- heat map: cells ------------------------------------------------------ */

static void put_cell(struct td_canvas *canvas, int y, int x, const struct td_report *report,
		     const struct td_row *row)
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
	td_canvas_put(canvas, y, x, 2, (enum td_top_style)(TD_TOP_PART + (int)parts.worst), "%c%c",
		      td_top_part_letter(parts.worst),
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

void td_top_put_heat(struct td_canvas *canvas, int y, int lines, const struct td_report *report)
{
	bool fits = td_top_heat_lines(report, canvas->width) <= lines;
	struct place place = { 0 };

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];
		struct place before = place;

		if (row->package)
			continue;
		next_place(&place, row, canvas->width);
		if (!fits &&
		    (place.line >= lines || (place.line == lines - 1 && before.row &&
					     place.x + CELL_WIDTH + MORE_WIDTH > canvas->width))) {
			int x = before.line == lines - 1 ? before.x + CELL_WIDTH : 0;

			td_canvas_put(canvas, y + lines - 1, x, MORE_WIDTH, TD_TOP_DIM, "+%zu more",
				      count_rows(report, i));
			return;
		}
		if (place.name_x >= 0)
			td_canvas_put(canvas, y + place.line, place.name_x,
				      place.x - place.name_x - 1, TD_TOP_DIM, "%s", row->id);
		put_cell(canvas, y + place.line, place.x, report, row);
	}
}
