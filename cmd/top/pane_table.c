// SPDX-License-Identifier: GPL-2.0-only
/* The table: a line for each row, sorted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/top/parts.h"
#include "lib/base/printable.h"

#define NUMBER_WIDTH 7
#define PMU_WIDTH    14
#define BAR_WIDTH    24
#define WORST_WIDTH  30
/* The least for what has a row, which comes last: places, and longer names. */
#define ID_WIDTH   12
#define NAME_WIDTH 24

/* Which columns there is room for. */
struct columns {
	bool busy, ghz, ipc, pmu, bar, worst;
	bool parts[TD_NR_PARTS];
};

static bool take(int *room, int width, bool wanted)
{
	if (!wanted || *room < width)
		return false;
	*room -= width;
	return true;
}

static bool has_names(const char *by)
{
	return strcmp(by, "THREAD") == 0 || strcmp(by, "CGROUP") == 0;
}

static struct columns choose(const struct td_top_lines *lines, int width,
			     const char *by)
{
	int room = width - NUMBER_WIDTH - ID_WIDTH;
	struct columns columns = { 0 };

	for (int i = 0; i < TD_NR_PARTS; i++)
		columns.parts[i] = take(&room, NUMBER_WIDTH, lines->has[i]);
	columns.pmu = take(&room, PMU_WIDTH, lines->show_pmu);
	columns.busy = take(&room, NUMBER_WIDTH, lines->has_busy);
	columns.ghz = take(&room, NUMBER_WIDTH, lines->has_busy);
	columns.ipc = take(&room, NUMBER_WIDTH, lines->has_ipc);
	room -= has_names(by) ? NAME_WIDTH - ID_WIDTH : 0;
	columns.worst = take(&room, WORST_WIDTH, true);
	columns.bar = take(&room, BAR_WIDTH, true);
	return columns;
}

/* Between the mark of a number and a name, where nothing else is. */
static int id_gap(const struct columns *columns)
{
	return !columns->pmu && !columns->bar && !columns->worst;
}

/* --- the header ------------------------------------------------------------ */

static void put_header(struct td_canvas *canvas, int y, int *x,
		       const struct td_top_state *state, enum td_top_sort sort,
		       const char *name)
{
	char mark = ' ';

	if (state->sort == sort)
		mark = state->reversed ? '^' : 'v';
	/* a number's header ends where the number does */
	td_canvas_put(canvas, y, *x, NUMBER_WIDTH,
		      mark == ' ' ? TD_TOP_HEAD : TD_TOP_SELECTED, "%*s%c",
		      NUMBER_WIDTH - 2, name, mark);
	*x += NUMBER_WIDTH;
}

static const char *const part_headers[TD_NR_PARTS] = { "R%", "S%", "F%", "B%",
						       "T%" };

/* Of columns whose texts begin at their left. */
static void put_last_headers(struct td_canvas *canvas, int y, int x,
			     const struct columns *columns,
			     const struct td_top_state *state, const char *by)
{
	bool by_name = state->sort == TD_TOP_BY_NAME;
	const char *mark = state->reversed ? "^" : "v";

	x += columns->bar ? BAR_WIDTH : 0;
	if (columns->worst)
		td_canvas_put(canvas, y, x, WORST_WIDTH, TD_TOP_HEAD,
			      " LARGEST OVER ITS THRESHOLD");
	x += columns->worst ? WORST_WIDTH : 0;
	if (columns->pmu)
		td_canvas_put(canvas, y, x + 1, PMU_WIDTH - 1, TD_TOP_HEAD,
			      "PMU");
	x += columns->pmu ? PMU_WIDTH : 0;
	x += id_gap(columns);
	td_canvas_put(canvas, y, x, canvas->width - x,
		      by_name ? TD_TOP_SELECTED : TD_TOP_HEAD, "%s%s", by,
		      by_name ? mark : "");
}

static void put_headers(struct td_canvas *canvas, int y,
			const struct columns *columns,
			const struct td_top_state *state, const char *by)
{
	int x = 0;

	td_canvas_fill(canvas, y, 0, canvas->width, TD_TOP_HEAD, ' ');
	put_header(canvas, y, &x, state, TD_TOP_BY_LOST, "LOST%");
	if (columns->busy)
		put_header(canvas, y, &x, state, TD_TOP_BY_BUSY, "BUSY%");
	if (columns->ghz)
		put_header(canvas, y, &x, state, TD_TOP_BY_GHZ, "GHz");
	if (columns->ipc)
		put_header(canvas, y, &x, state, TD_TOP_BY_IPC, "IPC");
	for (int i = 0; i < TD_NR_PARTS; i++) {
		if (columns->parts[i])
			put_header(canvas, y, &x, state,
				   (enum td_top_sort)(TD_TOP_BY_PART + i),
				   part_headers[i]);
	}
	put_last_headers(canvas, y, x, columns, state, by);
}

/* --- a line ---------------------------------------------------------------- */

/* mark: ' ', or '*' as colours may not be seen */
static void put_number(struct td_canvas *canvas, int y, int *x, double value,
		       char mark, enum td_top_style style)
{
	char number[TD_TOP_NUMBER_SIZE];

	td_canvas_put(canvas, y, *x, NUMBER_WIDTH, style, "%*s%c",
		      NUMBER_WIDTH - 1, td_top_number(number, value), mark);
	*x += NUMBER_WIDTH;
}

/* GHz, instructions a cycle */
static void put_rate(struct td_canvas *canvas, int y, int *x, double rate,
		     enum td_top_style style)
{
	char number[TD_TOP_NUMBER_SIZE] = "-";

	if (!isnan(rate))
		snprintf(number, sizeof(number), "%.2f", rate);
	td_canvas_put(canvas, y, *x, NUMBER_WIDTH, style, "%*s ",
		      NUMBER_WIDTH - 1, number);
	*x += NUMBER_WIDTH;
}

/* The deepest of the largest nodes that are over their thresholds. */
static const struct td_node *find_worst(const struct td_report *report,
					const struct td_row *row)
{
	const struct td_node *worst = NULL;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];

		if (!node->level || !td_top_is_over(row, node) ||
		    td_top_part_of(report, node) == TD_PART_RETIRING)
			continue;
		if (!worst || node->level > worst->level ||
		    (node->level == worst->level &&
		     td_top_value(row, node) > td_top_value(row, worst)))
			worst = node;
	}
	return worst;
}

static void put_worst(struct td_canvas *canvas, int y, int x,
		      const struct td_report *report, const struct td_row *row,
		      enum td_top_style style)
{
	const struct td_node *worst = find_worst(report, row);
	char number[TD_TOP_NUMBER_SIZE];

	if (worst)
		td_canvas_put(
			canvas, y, x + 1, WORST_WIDTH - 2, style, "%s %s",
			td_node_short_name(report->columns[worst->column].name),
			td_top_number(number, td_top_value(row, worst)));
}

static void put_line(struct td_canvas *canvas, int y,
		     const struct columns *columns,
		     const struct td_top_lines *lines,
		     const struct td_top_line *line, bool selected)
{
	char id[TD_SHOWN_SIZE];
	const struct td_row *row = line->row;
	enum td_top_style plain = selected    ? TD_TOP_SELECTED
				  : row->idle ? TD_TOP_DIM
					      : TD_TOP_PLAIN;
	int x = 0;

	if (selected)
		td_canvas_fill(canvas, y, 0, canvas->width, plain, ' ');
	put_number(canvas, y, &x, line->lost_pct, ' ', plain);
	if (columns->busy)
		put_number(canvas, y, &x, row->busy_pct, ' ', plain);
	if (columns->ghz)
		put_rate(canvas, y, &x, row->ghz, plain);
	if (columns->ipc)
		put_rate(canvas, y, &x, row->ipc, plain);
	for (int i = 0; i < TD_NR_PARTS; i++) {
		bool over = line->parts.over[i];

		if (columns->parts[i])
			put_number(canvas, y, &x, line->parts.pct[i],
				   over ? '*' : ' ',
				   over && !selected ? TD_TOP_OVER : plain);
	}
	if (columns->bar)
		td_top_put_bar(canvas, y, x + 1, BAR_WIDTH - 2, &line->parts);
	x += columns->bar ? BAR_WIDTH : 0;
	if (columns->worst)
		put_worst(canvas, y, x, lines->report, row, plain);
	x += columns->worst ? WORST_WIDTH : 0;
	if (columns->pmu)
		td_canvas_put(canvas, y, x + 1, PMU_WIDTH - 2, plain, "%s",
			      row->pmu);
	x += columns->pmu ? PMU_WIDTH : 0;
	x += id_gap(columns);
	td_canvas_put(canvas, y, x, canvas->width - x, plain, "%s",
		      td_row_shown(row, id));
}

/* --- all ------------------------------------------------------------------- */

/* Follows the selected row, which may be on another line than before. */
static void find_selected(struct td_top_state *state,
			  const struct td_top_lines *lines)
{
	for (size_t i = 0; state->follows && i < lines->nr; i++) {
		if (strcmp(lines->v[i].row->id, state->id) == 0 &&
		    strcmp(lines->v[i].row->pmu, state->pmu) == 0) {
			state->at = i;
			return;
		}
	}
}

static void keep_selected(struct td_top_state *state,
			  const struct td_top_lines *lines)
{
	const struct td_row *row = lines->nr ? lines->v[state->at].row : NULL;

	snprintf(state->id, sizeof(state->id), "%s", row ? row->id : "");
	snprintf(state->pmu, sizeof(state->pmu), "%s", row ? row->pmu : "");
}

static void put_nothing(struct td_canvas *canvas, int y,
			const struct td_top_lines *lines)
{
	const char *why = "nothing ran in this interval";

	if (!lines->report->rows)
		why = "counting begins";
	else if (lines->nr_filtered)
		why = "nothing has the filter's text in its name";
	td_canvas_put(canvas, y, 1, canvas->width - 1, TD_TOP_DIM, "%s", why);
}

void td_top_put_table(struct td_canvas *canvas, struct td_top_area area,
		      const struct td_top_lines *lines,
		      struct td_top_state *state,
		      const struct td_top_facts *facts)
{
	struct columns columns = choose(lines, canvas->width, facts->by);

	if (area.lines < 1)
		return;
	state->sorts = 0;
	for (int i = 0; i < TD_TOP_NR_SORTS; i++) {
		if (td_top_lines_have(lines, (enum td_top_sort)i))
			state->sorts |= 1U << i;
	}
	put_headers(canvas, area.y, &columns, state, facts->by);
	find_selected(state, lines);
	td_top_scroll(state, lines->nr, area.lines - 1);
	/* a row that has gone may come back */
	if (!state->follows || lines->nr)
		keep_selected(state, lines);
	state->follows |= state->picks;
	state->picks = false;
	for (int i = 1; i < area.lines; i++) {
		size_t at = state->first + (size_t)i - 1;

		if (at < lines->nr)
			put_line(canvas, area.y + i, &columns, lines,
				 &lines->v[at], at == state->at);
	}
	if (!lines->nr)
		put_nothing(canvas, area.y + 1, lines);
}
