// SPDX-License-Identifier: GPL-2.0-only
/* The keys, and what a node means. */
#include <stdio.h>
#include <string.h>

#include "cmd/top/panes.h"
#include "cmd/top/path.h"
#include "lib/base/util.h"

static const struct {
	const char *keys, *text;
} keys[] = {
	{ "q F10", "quit" },
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
