// SPDX-License-Identifier: GPL-2.0-only
/* The trees of one id, a line for each node. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/out/out.h"
#include "cmd/top/bars.h"
#include "cmd/top/panes.h"

#define INDENT      4
#define NAME_WIDTH  40
#define VALUE_WIDTH 14 /* " 18.9 %slots*" */
#define ERROR_WIDTH 8
#define BAR_AT      (NAME_WIDTH + VALUE_WIDTH + ERROR_WIDTH)

/* Deep nodes are not counted where the time does not go (-l auto). */
static bool is_shown(const struct td_row *row, const struct td_node *node)
{
	return node->level <= 2 ||
	       row->cells[node->column].status == TD_STATUS_OK;
}

/* The lines of a row: its heading, its nodes. */
static size_t lines_of(const struct td_row *row)
{
	size_t nr = 1;

	for (size_t i = 0; i < row->nr_nodes; i++)
		nr += is_shown(row, &row->nodes[i]);
	return nr;
}

/* The node of a line; NULL: the heading. */
static const struct td_node *node_of(const struct td_row *row, size_t line)
{
	size_t i = 0;

	while (line && i < row->nr_nodes)
		line -= is_shown(row, &row->nodes[i++]);
	return i ? &row->nodes[i - 1] : NULL;
}

static bool is_of(const struct td_row *row, const char *id)
{
	return strcmp(row->id, id) == 0;
}

static void put_heading(struct td_canvas *canvas, int y,
			const struct td_row *row)
{
	char number[TD_TOP_NUMBER_SIZE], share[64] = "", busy[64] = "";
	char id[TD_SHOWN_SIZE];

	/* only one kind of core: there is nothing to share */
	if (row->share_pct < TD_ALL_PCT)
		snprintf(share, sizeof(share), ", %s %% of the slots",
			 td_top_number(number, row->share_pct));
	if (!isnan(row->busy_pct))
		snprintf(busy, sizeof(busy), ", %s %% %s",
			 td_top_number(number, row->busy_pct),
			 row->activity.cpus ? "busy" : "of a CPU");
	td_canvas_fill(canvas, y, 0, canvas->width, TD_TOP_HEAD, ' ');
	td_canvas_put(canvas, y, 0, canvas->width, TD_TOP_HEAD, "%s %s%s%s%s",
		      td_row_shown(row, id), row->pmu, share, busy,
		      row->idle ? ", next to idle" : "");
}

/* A share as a bar of one sign, with room to the right edge. */
static void put_share(struct td_canvas *canvas, int y, double pct)
{
	int room = canvas->width - BAR_AT - 2;
	int len = (int)lround(pct * room / 100);

	td_canvas_fill(canvas, y, BAR_AT + 1, len < room ? len : room,
		       TD_TOP_DIM, '|');
}

/* What the values of a column without digits stand for. */
static const char *missing(enum td_status status)
{
	switch (status) {
	case TD_STATUS_NOT_SUPPORTED:
		return "not here";
	case TD_STATUS_NONE:
		return "none";
	default:
		return "-";
	}
}

static void put_value(struct td_canvas *canvas, int y, int x,
		      const struct td_column *column,
		      const struct td_cell *cell, enum td_top_style style)
{
	char number[TD_TOP_NUMBER_SIZE], error[TD_TOP_NUMBER_SIZE];

	if (cell->status != TD_STATUS_OK) {
		td_canvas_put(canvas, y, x, VALUE_WIDTH, TD_TOP_DIM, "%8s",
			      missing(cell->status));
		return;
	}
	td_canvas_put(canvas, y, x, VALUE_WIDTH, style, "%6s %s%s",
		      td_top_number(number, cell->value), column->unit,
		      style == TD_TOP_OVER ? "*" : "");
	if (!isnan(cell->error) && canvas->width >= BAR_AT)
		td_canvas_put(canvas, y, x + VALUE_WIDTH, ERROR_WIDTH,
			      TD_TOP_DIM, "+-%s",
			      td_top_number(error, cell->error));
}

static void put_node(struct td_canvas *canvas, int y,
		     const struct td_report *report, const struct td_row *row,
		     const struct td_node *node, bool selected)
{
	const struct td_column *column = &report->columns[node->column];
	const struct td_cell *cell = &row->cells[node->column];
	int width = NAME_WIDTH, x = 1 + INDENT * node->depth;

	if (canvas->width < NAME_WIDTH + VALUE_WIDTH)
		width = canvas->width - VALUE_WIDTH;
	if (canvas->width < 2 * NAME_WIDTH)
		x = 1 + node->depth;
	td_canvas_put(canvas, y, x, width - x,
		      selected ? TD_TOP_SELECTED : TD_TOP_PLAIN, "%s",
		      td_node_short_name(column->name));
	put_value(canvas, y, width, column, cell,
		  td_top_is_over(row, node) ? TD_TOP_OVER : TD_TOP_PLAIN);
	if (cell->status == TD_STATUS_OK && column->unit[0] == '%')
		put_share(canvas, y, cell->value);
}

static void put_tree_line(struct td_canvas *canvas, int y,
			  const struct td_report *report,
			  const struct td_row *row, size_t line, bool selected)
{
	const struct td_node *node = node_of(row, line);

	if (node)
		put_node(canvas, y, report, row, node, selected);
	else
		put_heading(canvas, y, row);
}

static void keep_selected(struct td_top_state *state,
			  const struct td_report *report,
			  const struct td_row *row, size_t line)
{
	const struct td_node *node = node_of(row, line);

	snprintf(state->node, sizeof(state->node), "%s",
		 node ? report->columns[node->column].name : "");
	snprintf(state->node_pmu, sizeof(state->node_pmu), "%s", row->pmu);
}

void td_top_put_tree(struct td_canvas *canvas, struct td_top_area area,
		     const struct td_report *report, const char *id,
		     struct td_top_state *state)
{
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < report->nr_rows; i++)
		nr += is_of(&report->rows[i], id) ? lines_of(&report->rows[i])
						  : 0;
	td_top_scroll(state, nr, area.lines);
	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		for (size_t k = 0; is_of(row, id) && k < lines_of(row);
		     k++, at++) {
			int y = area.y + (int)at - (int)state->first;

			if (at == state->at)
				keep_selected(state, report, row, k);
			if (at >= state->first && y < area.y + area.lines)
				put_tree_line(canvas, y, report, row, k,
					      at == state->at);
		}
	}
	if (!nr)
		td_canvas_put(canvas, area.y, 1, canvas->width - 1, TD_TOP_DIM,
			      "%s did not run in this interval", id);
}
