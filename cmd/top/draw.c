// SPDX-License-Identifier: GPL-2.0-only
/* Draws the whole window. */
#include <math.h>

#include "cmd/output/out.h"
#include "cmd/top/parts.h"
#include "lib/base/printable.h"

/* --- panes ------------------------------------------------------------- */

/* The lower part of the window, except for the table. */

struct td_top_area {
	int y, lines;
};

/* Scroll to the selected one of nr lines. */
static void scroll(struct td_top_state *state, size_t nr, int lines)
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
	{ "Up Down PgUp PgDn Home End", "select a line (or j, k, g, G)" },
	{ "Enter", "the tree of the selected row; Esc: back" },
	{ "t F5", "the tree of everything; again: the table" },
	{ "e", "what the selected node means, or the bottleneck" },
	{ "< > F6", "sort by the column to the left, to the right" },
	{ "L P N", "sort by lost slots, by load, by name" },
	{ "R S F B", "sort by a part of level 1" },
	{ "I", "invert the order" },
	{ "\\ / F4", "filter rows by name (Esc clears)" },
	{ "Space", "freeze; counting continues" },
	{ "b f", "recording: previous, next interval" },
	{ "1 to 6, a", "levels of the tree to count; a: where slots go" },
	{ "+ -", "longer, shorter intervals" },
	{ "H", "processes, threads, CPUs in turn" },
	{ "u", "users, or processes again" },
	{ "C", "cgroups (containers by name), or processes again" },
	{ "c", "CPUs, cores, sockets in turn" },
	{ "h ? F1", "this page" },
	{ "", "" },
	{ "R", "retiring: slots that did work" },
	{ "S", "bad speculation: work that was thrown away" },
	{ "F", "frontend bound: no work arrived from the front end" },
	{ "B", "backend bound: work waited in the back end" },
	{ "T", "used by the core's other thread (SMT)" },
	{ "LOST%", "slots this row lost (all but R), in % of all rows" },
	{ "*", "above its threshold: worth a look" },
	{ "B4", "a CPU lost 40 to 50 % to B; --: almost idle" },
};

#define KEYS_WIDTH 28

static void top_put_help(struct td_canvas *canvas, struct td_top_area area,
			 struct td_top_state *state)
{
	int width = canvas->width < 2 * KEYS_WIDTH ? canvas->width / 3 : KEYS_WIDTH;

	scroll(state, TD_ARRAY_SIZE(keys), area.lines);
	for (int i = 0; i < area.lines; i++) {
		size_t at = state->first + (size_t)i;

		if (at >= TD_ARRAY_SIZE(keys))
			return;
		td_canvas_put(canvas, area.y + i, 1, width - 2,
			      at == state->at ? TD_TOP_SELECTED : TD_TOP_BOLD, "%s", keys[at].keys);
		td_canvas_put(canvas, area.y + i, width, canvas->width - width, TD_TOP_PLAIN, "%s",
			      keys[at].text);
	}
}

/* --- the explanation of a node --------------------------------------------- */

/* Return the end of a line of at most width columns, at a blank if there is one. */
static size_t line_end(const char *text, size_t width)
{
	size_t len = strlen(text), end = width;

	if (len <= width)
		return len;
	while (end && text[end] != ' ')
		end--;
	return end ? end : width;
}

/* Put the lines of a text that are in the window; *at counts all lines. */
static void put_wrapped(struct td_canvas *canvas, struct td_top_area area,
			const struct td_top_state *state, size_t *at, const char *label,
			const char *text)
{
	const int x = 10;
	size_t width = canvas->width > x + 10 ? (size_t)(canvas->width - x - 1) : 10;

	for (bool begins = true; *text; begins = false, (*at)++) {
		size_t len = line_end(text, width);
		int y = area.y + (int)*at - (int)state->first;

		if (*at >= state->first && y < area.y + area.lines) {
			td_canvas_put(canvas, y, 1, x - 2, TD_TOP_BOLD, "%s", begins ? label : "");
			td_canvas_put(canvas, y, x, canvas->width - x, TD_TOP_PLAIN, "%.*s",
				      (int)len, text);
		}
		text += len;
		text += strspn(text, " ");
	}
}

static size_t count_lines(const struct td_canvas *canvas, const struct td_explanation *text)
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

static void top_put_meaning(struct td_canvas *canvas, struct td_top_area area, const char *node,
			    const char *pmu, struct td_top_state *state)
{
	const struct td_explanation *text = node ? td_top_explanation(node, pmu) : NULL;
	struct td_top_area below = { area.y + 1, area.lines - 1 };
	size_t at = 0;

	td_canvas_put(canvas, area.y, 0, canvas->width, TD_TOP_HEAD, "%-*s", canvas->width,
		      node ? node : "no bottleneck");
	if (!text) {
		scroll(state, 0, below.lines);
		td_canvas_put(canvas, below.y, 1, canvas->width, TD_TOP_DIM,
			      node ? "no explanation is available"
				   : "in a tree, e explains the selected node");
		return;
	}
	scroll(state, count_lines(canvas, text), below.lines);
	put_wrapped(canvas, below, state, &at, "means:", text->means);
	put_wrapped(canvas, below, state, &at, "causes:", text->causes);
	put_wrapped(canvas, below, state, &at, "try:", text->advice);
}

/* --- the trees of one id, a line for each node ---------------------------- */

#define INDENT      4
#define NODE_WIDTH  40
#define VALUE_WIDTH 14 /* " 18.9 %slots*" */
#define ERROR_WIDTH 8
#define TREE_WIDTH  (NODE_WIDTH + VALUE_WIDTH + ERROR_WIDTH)

/* Is the node listed?  With -l auto, most deep nodes are not counted, and not listed. */
static bool is_listed(const struct td_row *row, const struct td_node *node)
{
	return node->level <= 2 || row->cells[node->column].status == TD_STATUS_OK;
}

/* Return the number of lines of a row: its heading and its nodes. */
static size_t lines_of(const struct td_row *row)
{
	size_t nr = 1;

	for (size_t i = 0; i < row->nr_nodes; i++)
		nr += is_listed(row, &row->nodes[i]);
	return nr;
}

/* Return the node of a line; NULL: the heading. */
static const struct td_node *node_of(const struct td_row *row, size_t line)
{
	size_t i = 0;

	while (line && i < row->nr_nodes)
		line -= is_listed(row, &row->nodes[i++]);
	return i ? &row->nodes[i - 1] : NULL;
}

static bool is_of(const struct td_row *row, const char *id)
{
	return strcmp(row->id, id) == 0;
}

static void put_heading(struct td_canvas *canvas, int y, const struct td_row *row)
{
	char number[TD_TOP_NUMBER_SIZE], share[64] = "", busy[64] = "";
	char id[TD_SHOWN_SIZE];

	/* a single core type has no share */
	if (row->share_pct < TD_ALL_PCT)
		snprintf(share, sizeof(share), ", %s %% of the slots",
			 td_top_number(number, row->share_pct));
	if (!isnan(row->busy_pct))
		snprintf(busy, sizeof(busy), ", %s %% %s", td_top_number(number, row->busy_pct),
			 row->activity.cpus ? "busy" : "of a CPU");
	td_canvas_fill(canvas, y, 0, canvas->width, TD_TOP_HEAD, ' ');
	td_canvas_put(canvas, y, 0, canvas->width, TD_TOP_HEAD, "%s %s%s%s%s",
		      td_row_shown(row, id), row->pmu, share, busy,
		      row->idle ? ", almost idle" : "");
}

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

static void put_value(struct td_canvas *canvas, int y, int x, const struct td_column *column,
		      const struct td_cell *cell, enum td_top_style style)
{
	char number[TD_TOP_NUMBER_SIZE], error[TD_TOP_NUMBER_SIZE];

	if (cell->status != TD_STATUS_OK) {
		td_canvas_put(canvas, y, x, VALUE_WIDTH, TD_TOP_DIM, "%8s", missing(cell->status));
		return;
	}
	td_canvas_put(canvas, y, x, VALUE_WIDTH, style, "%6s %s%s",
		      td_top_number(number, cell->value), column->unit,
		      style == TD_TOP_OVER ? "*" : "");
	if (!isnan(cell->error) && canvas->width >= TREE_WIDTH)
		td_canvas_put(canvas, y, x + VALUE_WIDTH, ERROR_WIDTH, TD_TOP_DIM, "+-%s",
			      td_top_number(error, cell->error));
}

static void put_node(struct td_canvas *canvas, int y, const struct td_report *report,
		     const struct td_row *row, const struct td_node *node, bool selected)
{
	const struct td_column *column = &report->columns[node->column];
	const struct td_cell *cell = &row->cells[node->column];
	int width = NODE_WIDTH, x = 1 + INDENT * node->depth;

	if (canvas->width < NODE_WIDTH + VALUE_WIDTH)
		width = canvas->width - VALUE_WIDTH;
	if (canvas->width < 2 * NODE_WIDTH)
		x = 1 + node->depth;
	td_canvas_put(canvas, y, x, width - x, selected ? TD_TOP_SELECTED : TD_TOP_PLAIN, "%s",
		      td_node_short_name(column->name));
	put_value(canvas, y, width, column, cell,
		  td_top_is_over(row, node) ? TD_TOP_OVER : TD_TOP_PLAIN);
}

static void put_tree_line(struct td_canvas *canvas, int y, const struct td_report *report,
			  const struct td_row *row, size_t line, bool selected)
{
	const struct td_node *node = node_of(row, line);

	if (node)
		put_node(canvas, y, report, row, node, selected);
	else
		put_heading(canvas, y, row);
}

static void keep_node(struct td_top_state *state, const struct td_report *report,
		      const struct td_row *row, size_t line)
{
	const struct td_node *node = node_of(row, line);

	snprintf(state->node, sizeof(state->node), "%s",
		 node ? report->columns[node->column].name : "");
	snprintf(state->node_pmu, sizeof(state->node_pmu), "%s", row->pmu);
}

static void top_put_tree(struct td_canvas *canvas, struct td_top_area area,
			 const struct td_report *report, const char *id, struct td_top_state *state)
{
	size_t nr = 0, at = 0;

	for (size_t i = 0; i < report->nr_rows; i++)
		nr += is_of(&report->rows[i], id) ? lines_of(&report->rows[i]) : 0;
	scroll(state, nr, area.lines);
	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		for (size_t k = 0; is_of(row, id) && k < lines_of(row); k++, at++) {
			int y = area.y + (int)at - (int)state->first;

			if (at == state->at)
				keep_node(state, report, row, k);
			if (at >= state->first && y < area.y + area.lines)
				put_tree_line(canvas, y, report, row, k, at == state->at);
		}
	}
	if (!nr)
		td_canvas_put(canvas, area.y, 1, canvas->width - 1, TD_TOP_DIM,
			      "%s did not run in this interval", id);
}

/* --- pane table -------------------------------------------------------- */

/* The table: a line for each row, sorted. */

#define NUMBER_WIDTH 7
#define PMU_WIDTH    14
#define WORST_WIDTH  30
/* Levels 1 and 2 have short names: "branch_mispredicts 36.9". */
#define BRIEF_WIDTH 25
/* The minimum width of the last column, with ids of places or longer names. */
#define ID_WIDTH   12
#define NAME_WIDTH 24

/* The columns that fit. */
struct columns {
	bool busy, ghz, ipc, pmu, parts[TD_NR_PARTS];
	int worst;      /* width; 0: not shown */
	bool processes; /* ids are those of processes */
};

static bool reserve(int *room, int width, bool wanted)
{
	if (!wanted || *room < width)
		return false;
	*room -= width;
	return true;
}

static int reserve_worst(int *room, int width)
{
	return reserve(room, width, true) ? width : 0;
}

/* For processes and their sums, the worst node is more important than clocks. */
static struct columns choose(const struct td_top_lines *lines, int width, const char *by)
{
	int room = width - NUMBER_WIDTH - ID_WIDTH;
	struct columns columns = { .processes = strcmp(by, "PROCESS") == 0 };
	bool programs = columns.processes || strcmp(by, "USER") == 0 || strcmp(by, "CGROUP") == 0;

	for (int i = 0; i < TD_NR_PARTS; i++)
		columns.parts[i] = reserve(&room, NUMBER_WIDTH, lines->has[i]);
	columns.pmu = reserve(&room, PMU_WIDTH, lines->show_pmu);
	columns.busy = reserve(&room, NUMBER_WIDTH, lines->has_busy);
	if (programs) {
		columns.worst = reserve_worst(&room, BRIEF_WIDTH);
		room -= NAME_WIDTH - ID_WIDTH;
	}
	columns.ghz = reserve(&room, NUMBER_WIDTH, lines->has_busy);
	columns.ipc = reserve(&room, NUMBER_WIDTH, lines->has_ipc);
	if (strcmp(by, "THREAD") == 0)
		room -= NAME_WIDTH - ID_WIDTH;
	if (!programs)
		columns.worst = reserve_worst(&room, WORST_WIDTH);
	return columns;
}

/* Return 1 if a number's mark would touch the name that follows. */
static int id_gap(const struct columns *columns)
{
	return !columns->pmu && !columns->worst;
}

/* --- the header ------------------------------------------------------------ */

static void put_header(struct td_canvas *canvas, int y, int *x, const struct td_top_state *state,
		       enum td_top_sort sort, const char *name)
{
	char mark = ' ';

	if (state->sort == sort)
		mark = state->reversed ? '^' : 'v';
	/* right-aligned like the numbers */
	td_canvas_put(canvas, y, *x, NUMBER_WIDTH, mark == ' ' ? TD_TOP_HEAD : TD_TOP_SELECTED,
		      "%*s%c", NUMBER_WIDTH - 2, name, mark);
	*x += NUMBER_WIDTH;
}

static const char *const part_headers[TD_NR_PARTS] = { "R%", "S%", "F%", "B%", "T%" };

/* Put the headers of left-aligned columns. */
static void put_last_headers(struct td_canvas *canvas, int y, int x, const struct columns *columns,
			     const struct td_top_state *state, const char *by)
{
	bool by_name = state->sort == TD_TOP_BY_NAME;
	const char *mark = state->reversed ? "^" : "v";

	if (columns->worst)
		td_canvas_put(canvas, y, x, columns->worst, TD_TOP_HEAD, " WORST NODE");
	x += columns->worst;
	if (columns->pmu)
		td_canvas_put(canvas, y, x + 1, PMU_WIDTH - 1, TD_TOP_HEAD, "PMU");
	x += columns->pmu ? PMU_WIDTH : 0;
	x += id_gap(columns);
	td_canvas_put(canvas, y, x, canvas->width - x, by_name ? TD_TOP_SELECTED : TD_TOP_HEAD,
		      "%s%s", by, by_name ? mark : "");
}

static void put_headers(struct td_canvas *canvas, int y, const struct columns *columns,
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
			put_header(canvas, y, &x, state, (enum td_top_sort)(TD_TOP_BY_PART + i),
				   part_headers[i]);
	}
	put_last_headers(canvas, y, x, columns, state, by);
}

/* --- a line ---------------------------------------------------------------- */

/* Put a number.  mark: ' ' or '*', in addition to the colour. */
static void put_number(struct td_canvas *canvas, int y, int *x, double value, char mark,
		       enum td_top_style style)
{
	char number[TD_TOP_NUMBER_SIZE];

	td_canvas_put(canvas, y, *x, NUMBER_WIDTH, style, "%*s%c", NUMBER_WIDTH - 1,
		      td_top_number(number, value), mark);
	*x += NUMBER_WIDTH;
}

/* Put a rate, GHz or IPC. */
static void put_rate(struct td_canvas *canvas, int y, int *x, double rate, enum td_top_style style)
{
	char number[TD_TOP_NUMBER_SIZE] = "-";

	if (!isnan(rate))
		snprintf(number, sizeof(number), "%.2f", rate);
	td_canvas_put(canvas, y, *x, NUMBER_WIDTH, style, "%*s ", NUMBER_WIDTH - 1, number);
	*x += NUMBER_WIDTH;
}

/* Return the deepest node above its threshold; if there are several, the largest of their level. */
static const struct td_node *find_worst(const struct td_report *report, const struct td_row *row)
{
	const struct td_node *worst = NULL;

	td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
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

static char *name_worst(const struct td_report *report, const struct td_row *row)
{
	const struct td_node *worst = find_worst(report, row);
	char number[TD_TOP_NUMBER_SIZE];

	return worst ? td_aprintf("%s %s", td_node_short_name(report->columns[worst->column].name),
				  td_top_number(number, td_top_value(row, worst)))
		     : NULL;
}

/* Put an id.  If it is too long, shorten the name of a process, not its number. */
static void put_id(struct td_canvas *canvas, int y, int x, const struct columns *columns,
		   const char *id, enum td_top_style style)
{
	const char *number = columns->processes ? strrchr(id, '-') : NULL;
	int room = canvas->width - x, name = room - 1 - (number ? (int)strlen(number) : 0);

	if (number && name > 0 && td_printable_width(id) > room)
		td_canvas_put(canvas, y, x, room, style, "%.*s~%s", name, id, number);
	else
		td_canvas_put(canvas, y, x, room, style, "%s", id);
}

static void put_line(struct td_canvas *canvas, int y, const struct columns *columns,
		     const struct td_top_lines *lines, const struct td_top_line *line,
		     bool selected)
{
	char id[TD_SHOWN_SIZE];
	const struct td_row *row = line->row;
	enum td_top_style plain = selected    ? TD_TOP_SELECTED
				  : row->idle ? TD_TOP_DIM
					      : TD_TOP_PLAIN;
	td_autofree char *worst = columns->worst ? name_worst(lines->report, row) : NULL;
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
			put_number(canvas, y, &x, line->parts.pct[i], over ? '*' : ' ',
				   over && !selected ? TD_TOP_OVER : plain);
	}
	if (worst)
		td_canvas_put(canvas, y, x + 1, columns->worst - 2, plain, "%s", worst);
	x += columns->worst;
	if (columns->pmu)
		td_canvas_put(canvas, y, x + 1, PMU_WIDTH - 2, plain, "%s", row->pmu);
	x += columns->pmu ? PMU_WIDTH : 0;
	x += id_gap(columns);
	put_id(canvas, y, x, columns, td_row_shown(row, id), plain);
}

/* --- all ------------------------------------------------------------------- */

/* Find the selected row, which may have moved. */
static void find_selected(struct td_top_state *state, const struct td_top_lines *lines)
{
	for (size_t i = 0; state->follows && i < lines->nr; i++) {
		if (strcmp(lines->v[i].row->id, state->id) == 0 &&
		    strcmp(lines->v[i].row->pmu, state->pmu) == 0) {
			state->at = i;
			return;
		}
	}
}

static void keep_selected(struct td_top_state *state, const struct td_top_lines *lines)
{
	const struct td_row *row = lines->nr ? lines->v[state->at].row : NULL;

	snprintf(state->id, sizeof(state->id), "%s", row ? row->id : "");
	snprintf(state->pmu, sizeof(state->pmu), "%s", row ? row->pmu : "");
}

static void put_nothing(struct td_canvas *canvas, int y, const struct td_top_lines *lines)
{
	const char *why = "nothing ran in this interval";

	if (!lines->report->rows)
		why = "counting begins";
	else if (lines->nr_filtered)
		why = "no name matches the filter";
	td_canvas_put(canvas, y, 1, canvas->width - 1, TD_TOP_DIM, "%s", why);
}

static void top_put_table(struct td_canvas *canvas, struct td_top_area area,
			  const struct td_top_lines *lines, struct td_top_state *state,
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
	scroll(state, lines->nr, area.lines - 1);
	/* a row that has gone may come back */
	if (!state->follows || lines->nr)
		keep_selected(state, lines);
	state->follows |= state->picks;
	state->picks = false;
	for (int i = 1; i < area.lines; i++) {
		size_t at = state->first + (size_t)i - 1;

		if (at < lines->nr)
			put_line(canvas, area.y + i, &columns, lines, &lines->v[at],
				 at == state->at);
	}
	if (!lines->nr)
		put_nothing(canvas, area.y + 1, lines);
}

/* --- draw -------------------------------------------------------------- */

/* The minimum number of lines of the lower part, with its header. */
#define MIN_LINES 3
/* The maximum number of lines of level 2 per PMU. */
#define MAX_CHILDREN 4

/* Arguments of the functions that draw. */
struct drawing {
	struct td_canvas *canvas;
	const struct td_top_snapshot *snapshot;
	struct td_top_state *state;
	const struct td_top_facts *facts;
	const struct td_top_lines *lines;
	/* the rows shown as bars */
	const struct td_report *report;
	const char *id;
};

/* --- the first line -------------------------------------------------------- */

/* Forms of the first line, from the longest to the shortest. */
enum brevity {
	IN_FULL,
	WITHOUT_CPUS,
	WITHOUT_MACHINE
};

static char *format_head(const struct drawing *d, enum brevity brevity)
{
	const struct td_top_facts *f = d->facts;
	/* the bars show one row */
	bool of_row = *d->id && d->report == &d->snapshot->rows;
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	fprintf(fp, "%.1f s  %s%s", (double)d->snapshot->rows.time_ns / 1e9, of_row ? d->id : "",
		of_row ? ": " : "");
	if (brevity < WITHOUT_MACHINE)
		fprintf(fp, "%s, ", f->machine);
	if (brevity < WITHOUT_CPUS)
		fprintf(fp, "%zu CPU%s, ", f->nr_cpus, f->nr_cpus == 1 ? "" : "s");
	fprintf(fp, "%s, level %s", f->what, f->level);
	/* a recording without an interval is played at its own pace */
	if (f->interval_ms)
		fprintf(fp, ", every %g s", f->interval_ms / 1000.0);
	td_text_close(fp, &text);
	return text;
}

static char *fit_head(const struct drawing *d, int room)
{
	char *text = format_head(d, IN_FULL);

	for (enum brevity i = WITHOUT_CPUS; i <= WITHOUT_MACHINE; i++) {
		if (td_printable_width(text) <= room)
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

	td_canvas_put(canvas, 0, 0, room, TD_TOP_BOLD, "%s", text);
	if (*state)
		td_canvas_put(canvas, 0, canvas->width - 7, 7, TD_TOP_SELECTED, " %s", state);
}

/* --- the upper part -------------------------------------------------------- */

/* Parts of the window above the table, in the order of their importance. */
enum {
	SECTION_BARS,
	SECTION_PARTS,
	SECTION_PATH,
	SECTION_HEAT,
	SECTION_HINT,
	SECTION_CHILDREN,
	NR_SECTIONS
};

static const char *const section_names[NR_SECTIONS] = { "bars", "values", "path",
							"CPUs", "hint",   "level 2" };

struct layout {
	int lines[NR_SECTIONS], wanted[NR_SECTIONS];
	int upper; /* sum of lines */
};

static bool is_shown(const struct drawing *d, const struct td_row *row)
{
	struct td_top_parts parts;

	td_top_parts_find(&parts, d->report, row);
	return !row->package && strcmp(row->id, d->id) == 0 && td_top_parts_exist(&parts);
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

	td_for_each(const struct td_row, row, d->report->rows, d->report->nr_rows) {
		int nr = 0;

		if (is_shown(d, row))
			nr = td_top_count_children(d->report, row);
		sum += nr < MAX_CHILDREN ? nr : MAX_CHILDREN;
	}
	return sum;
}

static void find_wanted(const struct drawing *d, struct layout *layout)
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

/* The lower part gets at least half of the window. */
static void make_layout(const struct drawing *d, struct layout *layout)
{
	int room = d->canvas->height - 2 - MIN_LINES;
	int half = d->canvas->height / 2;

	*layout = (struct layout){ 0 };
	find_wanted(d, layout);
	for (int i = 0; i < NR_SECTIONS; i++) {
		int wanted = layout->wanted[i];
		int most = i >= SECTION_HEAT && room > half ? half : room;

		if (i == SECTION_HEAT && wanted > d->canvas->height / 6)
			wanted = d->canvas->height / 6;
		if (wanted > most - layout->upper)
			wanted = i == SECTION_HEAT || i == SECTION_BARS ? most - layout->upper : 0;
		layout->lines[i] = wanted > 0 ? wanted : 0;
		layout->upper += layout->lines[i];
	}
}

static int put_pmu(const struct drawing *d, const struct layout *layout, int y,
		   const struct td_row *row)
{
	int nr = td_top_count_children(d->report, row);

	nr = nr < MAX_CHILDREN ? nr : MAX_CHILDREN;
	td_top_put_pmu(d->canvas, y++, d->report, row);
	if (layout->lines[SECTION_PARTS])
		td_top_put_parts(d->canvas, y++, d->report, row);
	if (layout->lines[SECTION_CHILDREN]) {
		td_top_put_children(d->canvas, y, nr, d->report, row);
		y += nr;
	}
	return y;
}

/* Put a text; cut it after a word if it does not fit. */
static void put_words(struct td_canvas *canvas, int y, const char *text)
{
	int room = canvas->width - TD_TOP_PATH_AT, len = (int)strlen(text);
	bool fits = len <= room;

	if (room < 10)
		return;
	for (len = fits ? len : room - 3; !fits && len && text[len] != ' ';)
		len--;
	td_canvas_put(canvas, y, TD_TOP_PATH_AT, room, TD_TOP_DIM, "%.*s%s", len, text,
		      fits ? "" : "...");
}

static void put_hint(const struct drawing *d, int y)
{
	const char *pmu, *node = td_top_path_end(d->snapshot, d->state->opened, &pmu);
	const struct td_explanation *text = node ? td_top_explanation(node, pmu) : NULL;

	if (text)
		put_words(d->canvas, y, text->means);
}

static int put_upper(const struct drawing *d, const struct layout *layout, int y)
{
	int bars = layout->lines[SECTION_BARS];

	td_for_each(const struct td_row, row, d->report->rows, d->report->nr_rows) {
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
		td_top_put_heat(d->canvas, y, layout->lines[SECTION_HEAT], &d->snapshot->rows);
	return y + layout->lines[SECTION_HEAT];
}

/* --- the lower part -------------------------------------------------------- */

/* Return the node that 'e' explains: the selected one of a tree, or the path's. */
static const char *node_to_explain(const struct drawing *d, const char **pmu)
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
		top_put_table(d->canvas, area, d->lines, d->state, d->facts);
		break;
	case TD_TOP_TREE:
		top_put_tree(d->canvas, area, d->report, d->id, d->state);
		break;
	case TD_TOP_MEANING:
		node = node_to_explain(d, &pmu);
		top_put_meaning(d->canvas, area, node, pmu, d->state);
		break;
	case TD_TOP_HELP:
		top_put_help(d->canvas, area, d->state);
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

static void put_keys(FILE *fp, const struct drawing *d, const struct layout *layout)
{
	const struct td_top_state *state = d->state;

	if (*state->filter)
		fprintf(fp, "filter: %s (%zu hidden)  ", state->filter, d->lines->nr_filtered);
	if (d->facts->nr_messages)
		fprintf(fp, "%zu messages at the end  ", d->facts->nr_messages);
	fputs("h Help  q Quit", fp);
	if (state->nr > state->page)
		fprintf(fp, "  lines %zu to %zu of %zu", state->first + 1,
			state->first + state->page, state->nr);
	put_hidden(fp, layout);
	fprintf(fp, "  Enter Tree%s  <> Sort  / Filter  Space Freeze",
		d->facts->played ? "" : "  H Rows");
}

static void put_foot(const struct drawing *d, const struct layout *layout, int y)
{
	const struct td_top_state *state = d->state;
	td_autofree char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	if (state->typing)
		fprintf(fp, "filter: %s_  Enter: done  Esc: none", state->filter);
	else if (*state->note)
		fputs(state->note, fp);
	else
		put_keys(fp, d, layout);
	td_text_close(fp, &text);
	td_canvas_put(d->canvas, y, 0, d->canvas->width, TD_TOP_HEAD, "%-*s", d->canvas->width,
		      text);
}

/* --- all ------------------------------------------------------------------- */

/* The bars show the total, or the opened row. */
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
		/* cgroups have no total */
		d->id = *state->id ? state->id : d->lines->nr ? d->lines->v[0].row->id : "";
	}
}

void td_top_draw(struct td_canvas *canvas, int width, int height,
		 const struct td_top_snapshot *snapshot, struct td_top_state *state,
		 const struct td_top_facts *facts)
{
	struct td_top_lines lines;
	struct drawing d = { canvas, snapshot, state, facts, &lines, NULL, "" };
	struct layout layout;
	int y;

	td_top_lines_make(&lines, &snapshot->rows, state);
	td_canvas_clear(canvas, width, height);
	choose_shown(&d);
	make_layout(&d, &layout);
	put_head(&d);
	y = put_upper(&d, &layout, 1);
	put_pane(&d, (struct td_top_area){ y, height - 1 - y });
	put_foot(&d, &layout, height - 1);
	td_top_lines_free(&lines);
}
