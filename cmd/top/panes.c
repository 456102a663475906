// SPDX-License-Identifier: GPL-2.0-only
/* What fills the lower part of the window, but for the table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/out/out.h"
#include "cmd/top/parts.h"
#include "lib/base/util.h"

void td_top_scroll(struct td_top_state *state, size_t nr, int lines)
{
	size_t page = lines > 0 ? (size_t)lines : 1;

	state->nr = nr;
	state->page = page;
	if (state->at >= nr)
		state->at = nr ? nr - 1 : 0;
	if (state->first > state->at)
		state->first = state->at;
	if (state->at - state->first >= page)
		state->first = state->at - page + 1;
	if (state->first + page > nr)
		state->first = nr > page ? nr - page : 0;
}

/* --- the keys ------------------------------------------------------------- */

static const struct {
	const char *keys, *text;
} keys[] = {
	{ "q F10", "quit; here, q: back" },
	{ "Up Down PgUp PgDn Home End", "select a line (j, k, g, G as well)" },
	{ "Enter", "the tree of the selected row; Esc: back" },
	{ "t F5", "the tree of everything; again: the table" },
	{ "e", "what the selected node means, or the bottleneck" },
	{ "< > F6", "sort by the column to the left, to the right" },
	{ "L P N", "sort by lost slots, by load, by name" },
	{ "R S F B", "sort by a part of level 1" },
	{ "I", "invert the order" },
	{ "\\ / F4", "show rows with a text in their name; Esc: all" },
	{ "Space", "freeze; counting goes on" },
	{ "b f", "of a recording, the interval before, the next" },
	{ "1 to 6, a", "levels of the tree to count; a: where slots go" },
	{ "+ -", "longer, shorter intervals" },
	{ "H", "threads instead of CPUs, and back" },
	{ "c", "CPUs, cores, sockets in turn" },
	{ "h ? F1", "this page" },
	{ "", "" },
	{ "R", "retiring: slots that did work" },
	{ "S", "bad speculation: work that was thrown away" },
	{ "F", "frontend bound: nothing came to be done" },
	{ "B", "backend bound: it could not be done yet" },
	{ "T", "the other thread of the core had them" },
	{ "LOST%", "a row's slots but R, of the slots of all rows" },
	{ "*", "over its threshold: worth a look" },
	{ "B4", "a CPU lost 40 to 50 % to B; --: it is next to idle" },
};

#define KEYS_WIDTH 28

void td_top_put_help(struct td_canvas *canvas, struct td_top_area area,
		     struct td_top_state *state)
{
	int width =
		canvas->width < 2 * KEYS_WIDTH ? canvas->width / 3 : KEYS_WIDTH;

	td_top_scroll(state, TD_ARRAY_SIZE(keys), area.lines);
	for (int i = 0; i < area.lines; i++) {
		size_t at = state->first + (size_t)i;

		if (at >= TD_ARRAY_SIZE(keys))
			return;
		td_canvas_put(canvas, area.y + i, 1, width - 2,
			      at == state->at ? TD_TOP_SELECTED : TD_TOP_BOLD,
			      "%s", keys[at].keys);
		td_canvas_put(canvas, area.y + i, width, canvas->width - width,
			      TD_TOP_PLAIN, "%s", keys[at].text);
	}
}

/* --- what a node means ----------------------------------------------------- */

/* Where a line of at most width columns ends, at a blank if there is one. */
static size_t line_end(const char *text, size_t width)
{
	size_t len = strlen(text), end = width;

	if (len <= width)
		return len;
	while (end && text[end] != ' ')
		end--;
	return end ? end : width;
}

/* Puts the lines of a text that are in the window; *at counts all of them. */
static void put_wrapped(struct td_canvas *canvas, struct td_top_area area,
			const struct td_top_state *state, size_t *at,
			const char *label, const char *text)
{
	const int x = 10;
	size_t width =
		canvas->width > x + 10 ? (size_t)(canvas->width - x - 1) : 10;

	for (bool begins = true; *text; begins = false, (*at)++) {
		size_t len = line_end(text, width);
		int y = area.y + (int)*at - (int)state->first;

		if (*at >= state->first && y < area.y + area.lines) {
			td_canvas_put(canvas, y, 1, x - 2, TD_TOP_BOLD, "%s",
				      begins ? label : "");
			td_canvas_put(canvas, y, x, canvas->width - x,
				      TD_TOP_PLAIN, "%.*s", (int)len, text);
		}
		text += len;
		text += strspn(text, " ");
	}
}

static size_t count_lines(const struct td_canvas *canvas,
			  const struct td_explanation *text)
{
	struct td_canvas nothing = { .width = canvas->width };
	const struct td_top_state from = { 0 };
	const struct td_top_area none = { 0 };
	size_t nr = 0;

	put_wrapped(&nothing, none, &from, &nr, "", text->means);
	put_wrapped(&nothing, none, &from, &nr, "", text->causes);
	put_wrapped(&nothing, none, &from, &nr, "", text->advice);
	return nr;
}

void td_top_put_meaning(struct td_canvas *canvas, struct td_top_area area,
			const char *node, const char *pmu,
			struct td_top_state *state)
{
	const struct td_explanation *text =
		node ? td_top_explanation(node, pmu) : NULL;
	struct td_top_area below = { area.y + 1, area.lines - 1 };
	size_t at = 0;

	td_canvas_put(canvas, area.y, 0, canvas->width, TD_TOP_HEAD, "%-*s",
		      canvas->width, node ? node : "no bottleneck");
	if (!text) {
		td_top_scroll(state, 0, below.lines);
		td_canvas_put(canvas, below.y, 1, canvas->width, TD_TOP_DIM,
			      node ? "there is no text about it"
				   : "in a tree, e tells of the selected node");
		return;
	}
	td_top_scroll(state, count_lines(canvas, text), below.lines);
	put_wrapped(canvas, below, state, &at, "means:", text->means);
	put_wrapped(canvas, below, state, &at, "causes:", text->causes);
	put_wrapped(canvas, below, state, &at, "try:", text->advice);
}

/* --- the trees of one id, a line for each node ---------------------------- */

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
