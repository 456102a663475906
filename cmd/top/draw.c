// SPDX-License-Identifier: GPL-2.0-only
/* Draws the whole window. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/top/parts.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* The fewest lines of the lower part, with its header. */
#define LEAST_LINES 3
/* The most lines of level 2 that are shown of a PMU. */
#define MOST_CHILDREN 4

/* What is drawn, and where. */
struct drawing {
	struct td_canvas *canvas;
	const struct td_top_snapshot *snapshot;
	struct td_top_state *state;
	const struct td_top_facts *facts;
	const struct td_top_lines *lines;
	/* the rows that the bars are of */
	const struct td_report *report;
	const char *id;
};

/* --- the first line -------------------------------------------------------- */

/* What of the processor gives way where there is no room. */
enum brevity {
	IN_FULL,
	WITHOUT_CPUS,
	WITHOUT_MACHINE
};

/* The caller frees it; NULL: no memory. */
static char *format_head(const struct drawing *d, enum brevity brevity)
{
	const struct td_top_facts *f = d->facts;
	/* the bars are not of everything */
	bool of_row = *d->id && d->report == &d->snapshot->rows;
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	fprintf(fp, "%.1f s  %s%s", (double)d->snapshot->rows.time_ns / 1e9,
		of_row ? d->id : "", of_row ? ": " : "");
	if (brevity < WITHOUT_MACHINE)
		fprintf(fp, "%s, ", f->machine);
	if (brevity < WITHOUT_CPUS)
		fprintf(fp, "%zu CPU%s, ", f->nr_cpus,
			f->nr_cpus == 1 ? "" : "s");
	fprintf(fp, "%s, level %s", f->what, f->level);
	/* a recording may be played at its own pace */
	if (f->interval_ms)
		fprintf(fp, ", every %g s", f->interval_ms / 1000.0);
	td_text_close(fp, &text);
	return text;
}

static char *fit_head(const struct drawing *d, int room)
{
	char *text = format_head(d, IN_FULL);

	for (enum brevity i = WITHOUT_CPUS; i <= WITHOUT_MACHINE; i++) {
		if (!text || td_printable_width(text) <= room)
			return text;
		free(text);
		text = format_head(d, i);
	}
	return text;
}

static void put_head(const struct drawing *d)
{
	const struct td_top_facts *f = d->facts;
	struct td_canvas *canvas = d->canvas;
	const char *state = d->state->paused ? "FROZEN"
			    : f->ended       ? "END"
			    : f->played      ? "PLAYED"
					     : "";
	int room = canvas->width - (*state ? 8 : 0);
	td_autofree char *text = fit_head(d, room);

	if (!text) {
		canvas->no_memory = true;
		return;
	}
	td_canvas_put(canvas, 0, 0, room, TD_TOP_BOLD, "%s", text);
	if (*state)
		td_canvas_put(canvas, 0, canvas->width - 7, 7, TD_TOP_SELECTED,
			      " %s", state);
}

/* --- the upper part -------------------------------------------------------- */

/* The parts of the window above the table, the first of them the last to go. */
enum {
	SECTION_BARS,
	SECTION_PARTS,
	SECTION_PATH,
	SECTION_HEAT,
	SECTION_HINT,
	SECTION_CHILDREN,
	NR_SECTIONS
};

static const char *const section_names[NR_SECTIONS] = { "bars", "values",
							"path", "CPUs",
							"hint", "level 2" };

struct layout {
	int lines[NR_SECTIONS];
	int wanted[NR_SECTIONS];
	int upper; /* sum of lines */
};

static bool is_shown(const struct drawing *d, const struct td_row *row)
{
	struct td_top_parts parts;

	td_top_parts_find(&parts, d->report, row);
	return !row->package && strcmp(row->id, d->id) == 0 &&
	       td_top_parts_exist(&parts);
}

static int count_pmus(const struct drawing *d)
{
	int nr = 0;

	for (size_t i = 0; i < d->report->nr_rows; i++)
		nr += is_shown(d, &d->report->rows[i]);
	return nr;
}

static int children_lines(const struct drawing *d)
{
	int sum = 0;

	for (size_t i = 0; i < d->report->nr_rows; i++) {
		const struct td_row *row = &d->report->rows[i];
		int nr = 0;

		if (is_shown(d, row))
			nr = td_top_count_children(d->report, row);
		sum += nr < MOST_CHILDREN ? nr : MOST_CHILDREN;
	}
	return sum;
}

static void find_wishes(const struct drawing *d, struct layout *layout)
{
	const struct td_report *rows = &d->snapshot->rows;
	int pmus = count_pmus(d), width = d->canvas->width;
	bool whole = d->snapshot->has_whole;
	const char *pmu;

	layout->wanted[SECTION_BARS] = pmus;
	layout->wanted[SECTION_PARTS] = pmus;
	layout->wanted[SECTION_PATH] = whole;
	layout->wanted[SECTION_HINT] =
		whole && td_top_path_end(d->snapshot, d->state->opened, &pmu);
	if (!d->facts->tasks && whole)
		layout->wanted[SECTION_HEAT] = td_top_heat_lines(rows, width);
	if (width >= TD_TOP_NAMES_WIDTH)
		layout->wanted[SECTION_CHILDREN] = children_lines(d);
}

/* The lower part has half of the window, and more where less is above it. */
static void make_layout(const struct drawing *d, struct layout *layout)
{
	int room = d->canvas->height - 2 - LEAST_LINES;
	int half = d->canvas->height / 2;

	*layout = (struct layout){ 0 };
	find_wishes(d, layout);
	for (int i = 0; i < NR_SECTIONS; i++) {
		int wanted = layout->wanted[i];
		int most = i >= SECTION_HEAT && room > half ? half : room;

		if (i == SECTION_HEAT && wanted > d->canvas->height / 6)
			wanted = d->canvas->height / 6;
		if (wanted > most - layout->upper)
			wanted = i == SECTION_HEAT || i == SECTION_BARS
					 ? most - layout->upper
					 : 0;
		layout->lines[i] = wanted > 0 ? wanted : 0;
		layout->upper += layout->lines[i];
	}
}

static int put_pmu(const struct drawing *d, const struct layout *layout, int y,
		   const struct td_row *row)
{
	int nr = td_top_count_children(d->report, row);

	nr = nr < MOST_CHILDREN ? nr : MOST_CHILDREN;
	td_top_put_pmu(d->canvas, y++, d->report, row);
	if (layout->lines[SECTION_PARTS])
		td_top_put_parts(d->canvas, y++, d->report, row);
	if (layout->lines[SECTION_CHILDREN]) {
		td_top_put_children(d->canvas, y, nr, d->report, row);
		y += nr;
	}
	return y;
}

/* A text that does not fit ends after a word. */
static void put_words(struct td_canvas *canvas, int y, const char *text)
{
	int room = canvas->width - TD_TOP_PATH_AT, len = (int)strlen(text);
	bool fits = len <= room;

	if (room < 10)
		return;
	for (len = fits ? len : room - 3; !fits && len && text[len] != ' ';)
		len--;
	td_canvas_put(canvas, y, TD_TOP_PATH_AT, room, TD_TOP_DIM, "%.*s%s",
		      len, text, fits ? "" : "...");
}

static void put_hint(const struct drawing *d, int y)
{
	const char *pmu,
		*node = td_top_path_end(d->snapshot, d->state->opened, &pmu);
	const struct td_explanation *text =
		node ? td_top_explanation(node, pmu) : NULL;

	if (text)
		put_words(d->canvas, y, text->means);
}

static int put_upper(const struct drawing *d, const struct layout *layout,
		     int y)
{
	int bars = layout->lines[SECTION_BARS];

	for (size_t i = 0; i < d->report->nr_rows; i++) {
		const struct td_row *row = &d->report->rows[i];

		if (bars && is_shown(d, row)) {
			y = put_pmu(d, layout, y, row);
			bars--;
		}
	}
	if (layout->lines[SECTION_PATH])
		td_top_put_path(d->canvas, y++, d->snapshot, d->state->opened);
	if (layout->lines[SECTION_HINT])
		put_hint(d, y++);
	if (layout->lines[SECTION_HEAT])
		td_top_put_heat(d->canvas, y, layout->lines[SECTION_HEAT],
				&d->snapshot->rows);
	return y + layout->lines[SECTION_HEAT];
}

/* --- the lower part -------------------------------------------------------- */

/* The node that 'e' asks about: the selected one of a tree, or the path's. */
static const char *asked_node(const struct drawing *d, const char **pmu)
{
	const struct td_top_state *state = d->state;

	if (!*state->node)
		return td_top_path_end(d->snapshot, state->opened, pmu);
	*pmu = state->node_pmu;
	return state->node;
}

static void put_pane(const struct drawing *d, struct td_top_area area)
{
	const char *node, *pmu;

	switch (d->state->pane) {
	case TD_TOP_TABLE:
		td_top_put_table(d->canvas, area, d->lines, d->state, d->facts);
		break;
	case TD_TOP_TREE:
		td_top_put_tree(d->canvas, area, d->report, d->id, d->state);
		break;
	case TD_TOP_MEANING:
		node = asked_node(d, &pmu);
		td_top_put_meaning(d->canvas, area, node, pmu, d->state);
		break;
	case TD_TOP_HELP:
		td_top_put_help(d->canvas, area, d->state);
		break;
	}
}

/* --- the last line --------------------------------------------------------- */

static void put_hidden(FILE *fp, const struct layout *layout)
{
	const char *before = "  hidden: ";

	for (int i = 0; i < NR_SECTIONS; i++) {
		if (layout->lines[i] >= layout->wanted[i])
			continue;
		fprintf(fp, "%s%s", before, section_names[i]);
		before = ", ";
	}
}

static void put_keys(FILE *fp, const struct drawing *d,
		     const struct layout *layout)
{
	const struct td_top_state *state = d->state;

	if (*state->filter)
		fprintf(fp, "filter: %s (%zu hidden)  ", state->filter,
			d->lines->nr_filtered);
	if (d->facts->nr_messages)
		fprintf(fp, "%zu messages at the end  ", d->facts->nr_messages);
	fputs("h Help  q Quit", fp);
	if (state->nr > state->page)
		fprintf(fp, "  lines %zu to %zu of %zu", state->first + 1,
			state->first + state->page, state->nr);
	put_hidden(fp, layout);
	fputs("  Enter Tree  <> Sort  / Filter  Space Freeze", fp);
}

static int put_foot(const struct drawing *d, const struct layout *layout, int y)
{
	const struct td_top_state *state = d->state;
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return -ENOMEM;
	if (state->typing)
		fprintf(fp, "filter: %s_  Enter: done  Esc: none",
			state->filter);
	else if (*state->said)
		fputs(state->said, fp);
	else
		put_keys(fp, d, layout);
	if (td_text_close(fp, &text))
		return -ENOMEM;
	td_canvas_put(d->canvas, y, 0, d->canvas->width, TD_TOP_HEAD, "%-*s",
		      d->canvas->width, text);
	return 0;
}

/* --- all ------------------------------------------------------------------- */

/* The bars are of everything, or of the row that was opened. */
static void choose_shown(struct drawing *d)
{
	const struct td_top_snapshot *snapshot = d->snapshot;
	const struct td_top_state *state = d->state;

	d->report = &snapshot->rows;
	if (*state->opened) {
		d->id = state->opened;
	} else if (snapshot->has_whole) {
		d->report = &snapshot->whole;
		d->id = d->report->nr_rows ? d->report->rows[0].id : "";
	} else {
		/* of cgroups, nothing is the whole */
		d->id = *state->id     ? state->id
			: d->lines->nr ? d->lines->v[0].row->id
				       : "";
	}
}

int td_top_draw(struct td_canvas *canvas, int width, int height,
		const struct td_top_snapshot *snapshot,
		struct td_top_state *state, const struct td_top_facts *facts)
{
	struct td_top_lines lines;
	struct drawing d = { canvas, snapshot, state, facts, &lines, NULL, "" };
	struct layout layout;
	int rc = td_top_lines_make(&lines, &snapshot->rows, state), y;

	td_canvas_clear(canvas, width, height);
	if (!rc) {
		choose_shown(&d);
		make_layout(&d, &layout);
		put_head(&d);
		y = put_upper(&d, &layout, 1);
		put_pane(&d, (struct td_top_area){ y, height - 1 - y });
		rc = put_foot(&d, &layout, height - 1);
	}
	td_top_lines_free(&lines);
	return rc || canvas->no_memory ? -ENOMEM : 0;
}
