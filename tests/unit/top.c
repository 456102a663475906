// SPDX-License-Identifier: GPL-2.0-only
/* Tests the screen of tdstat top without a terminal: lines from made-up reports. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/top/parts.h"
#include "lib/base/util.h"
#include "lib/target/target.h"
#include "metrics/eval/finished.h"
#include "tests/unit/test.h"

static const struct td_column columns[] = {
	{ "tma_retiring", "%", true },       { "tma_backend_bound", "%", true },
	{ "tma_memory_bound", "%", true },   { "tma_core_bound", "%", true },
	{ "tma_frontend_bound", "%", true }, { "tma_bad_speculation", "%", true },
};

#define NR_COLUMNS TD_ARRAY_SIZE(columns)

static const struct td_node nodes[] = {
	{ 0, NULL, 1, 0, NULL },
	{ 1, NULL, 1, 0, NULL },
	{ 2, "tma_backend_bound", 2, 1, NULL },
	{ 3, "tma_backend_bound", 2, 1, NULL },
	{ 4, NULL, 1, 0, NULL },
	{ 5, NULL, 1, 0, NULL },
};

#define MAX_ROWS 200

static struct td_cell cells[MAX_ROWS][NR_COLUMNS];
static struct td_row rows[MAX_ROWS], whole_row;
static struct td_cell whole_cells[NR_COLUMNS];

static struct td_row make_row(const char *id, const char *pmu, double slots, struct td_cell *of,
			      const double *values)
{
	struct td_row row = td_row_init(id, pmu);

	for (size_t i = 0; i < NR_COLUMNS; i++) {
		of[i] = (struct td_cell){ .value = values[i], .error = NAN };
		if (isnan(values[i]))
			of[i].status = TD_STATUS_NOT_COUNTED;
		of[i].over_threshold = i == 1 && values[i] > 20;
	}
	row.slots = slots;
	row.share_pct = 100;
	row.busy_pct = 50;
	row.ghz = 3;
	row.ipc = 1.5;
	row.activity.cpus = 1;
	row.cells = of;
	row.nodes = nodes;
	row.nr_nodes = TD_ARRAY_SIZE(nodes);
	return row;
}

/* retiring, backend, memory, core, frontend, bad speculation */
static const double calm[] = { 70, 10, 6, 4, 15, 5 };
static const double hot[] = { 20, 60, 45, 15, 15, 5 };
static const double empty[] = { NAN, NAN, NAN, NAN, NAN, NAN };

static struct td_top_snapshot snapshot;
static struct td_top_state state;
static struct td_canvas canvas;
static struct td_top_facts facts = { .what = "system wide",
				     .machine = "Alder Lake",
				     .level = "2",
				     .by = "CPU",
				     .nr_cpus = 3,
				     .interval_ms = 500 };

static void set_rows(size_t nr)
{
	snapshot.rows = (struct td_report){ .time_ns = 2500000000,
					    .columns = columns,
					    .nr_columns = NR_COLUMNS,
					    .rows = rows,
					    .nr_rows = nr };
	td_report_find_lost(&snapshot.rows, false);
	whole_row = make_row("all", "cpu_core", 1000, whole_cells, hot);
	snapshot.whole = snapshot.rows;
	snapshot.whole.rows = &whole_row;
	snapshot.whole.nr_rows = 1;
	snapshot.has_whole = true;
	snapshot.verdict = (struct td_verdict){
		.situation = TD_SITUATION_CLEAR,
		.row = &whole_row,
		.path = { { &nodes[1], "tma_backend_bound", 60, NAN, 60, true },
			  { &nodes[2], "tma_memory_bound", 45, NAN, 45, true } },
		.nr_path = 2,
	};
}

static void reset(void)
{
	state = (struct td_top_state){ 0 };
	rows[0] = make_row("CPU0", "cpu_core", 100, cells[0], calm);
	rows[1] = make_row("CPU1", "cpu_core", 800, cells[1], hot);
	rows[2] = make_row("CPU2", "cpu_atom", 100, cells[2], empty);
	set_rows(3);
}

static void draw(int width, int height)
{
	td_top_draw(&canvas, width, height, &snapshot, &state, &facts);
}

/* The bytes of a character, in UTF-8. */
static size_t glyph_size(const char *text)
{
	size_t size = 1;

	while (((unsigned char)text[size] & 0xc0) == 0x80)
		size++;
	return size;
}

/* The text of a line without styles.  Later cells lie over earlier ones. */
static const char *line_of(int y)
{
	static char text[4 * 1000];
	const char *at[1000] = { 0 };
	size_t size = 0;

	for (size_t i = 0; i < canvas.nr; i++) {
		const char *c = canvas.cells[i].text;

		for (int x = canvas.cells[i].x; canvas.cells[i].y == y && *c && x < canvas.width;
		     x++) {
			at[x] = c;
			c += glyph_size(c);
		}
	}
	for (int x = 0; x < canvas.width; x++) {
		const char *glyph = at[x] ? at[x] : " ";

		memcpy(text + size, glyph, glyph_size(glyph));
		size += glyph_size(glyph);
	}
	text[size] = '\0';
	return text;
}

static bool line_has(int y, const char *text)
{
	bool has = strstr(line_of(y), text);

	if (!has)
		printf("# line %d: %s\n", y, line_of(y));
	return has;
}

/* Return the first line with the text, from a line on; -1: none. */
static int find(int from, const char *text)
{
	for (int y = from; y < canvas.height; y++) {
		if (strstr(line_of(y), text))
			return y;
	}
	return -1;
}

static void press(int key)
{
	td_top_handle_key(&state, key);
	draw(80, 24);
}

static void test_screen(void)
{
	reset();
	draw(80, 24);
	ok(line_has(0, "2.5 s  Alder Lake, 3 CPUs, system wide, level 2, every 0.5 s"),
	   "what is counted");
	ok(line_has(1, "cpu_core     50.0% busy 3.00 GHz"), "how busy it was");
	draw(100, 24);
	ok(line_has(1, "busy 3.00 GHz 1.50 IPC"), "and how much it did");
	ok(find(0, " IPC ") > 0, "a column of it");
	draw(80, 24);
	/* 40 columns: 8, 2, 6 and 24 of them */
	ok(line_has(1, "[RRRRRRRRSSFFFFFFBBBBBBBBBBBBBBBBBBBBBBBB]"), "a bar in letters");
	ok(line_has(2, "R retiring     20.0") && line_has(2, " 60.0*"), "the values, with a mark");
	ok(line_has(3, "memory_bound") && line_has(3, "45.0"), "level 2, the largest first");
	ok(line_has(4, "core_bound"), "and the next one");
	ok(line_has(5, "Bottleneck: cpu_core: backend_bound 60.0 > memory_bound 45.0"),
	   "the verdict's path");
	ok(line_has(6, "Slots"), "what its end means");
	ok(line_has(7, "CPU0  F1 B6 ??"), "a cell for each CPU");
	ok(line_has(8, "LOST%v") && line_has(8, "CPU"), "the header");
}

static void test_table(void)
{
	reset();
	draw(80, 24);
	/* (1 - 0.2) * 800 of 1000 slots */
	ok(line_has(9, "  64.0") && line_has(9, "CPU1"), "most lost slots");
	ok(line_has(10, "   3.0") && line_has(10, "CPU0"), "then fewer");
	ok(line_has(11, "     - ") && line_has(11, "CPU2"), "unknown is last, and no number");
	ok(find(12, "CPU") < 0, "and nothing else");
	press('I');
	ok(line_has(9, "CPU0") && line_has(11, "CPU2"),
	   "inverted, what is unknown is last as well");
	press('N');
	ok(line_has(9, "CPU0") && line_has(10, "CPU1") && line_has(11, "CPU2"), "by name");
	press('R');
	ok(line_has(9, "CPU0") && line_has(8, "R%v"), "by retiring");
	press('>');
	ok(state.sort == TD_TOP_BY_PART + 1, "by the next column");
	press('L');
	press('>');
	ok(state.sort == TD_TOP_BY_BUSY, "and the one behind the lost slots");
	press('<');
	press('<');
	ok(state.sort == TD_TOP_BY_NAME, "before the first is the last");
	press('<');
	ok(state.sort == TD_TOP_BY_PART + TD_PART_BACKEND, "a part that no row has is left out");
}

static void test_filter(void)
{
	static const struct {
		const char *typed;
		size_t left;
	} filters[] = { { "cpu1", 1 }, { "ATOM", 1 }, { "core", 2 }, { "nobody", 0 } };

	for (size_t i = 0; i < TD_ARRAY_SIZE(filters); i++) {
		reset();
		press('/');
		for (const char *c = filters[i].typed; *c; c++)
			press(*c);
		ok(line_has(23, filters[i].typed), "it is shown while typed");
		press(TD_KEY_ENTER);
		ok(state.nr == filters[i].left, "%s: %zu rows", filters[i].typed, filters[i].left);
	}
	ok(find(0, "no name matches the filter") > 0, "no row is said");
	press(TD_KEY_ESCAPE);
	ok(state.nr == 3, "Esc shows all");
	press('\\');
	press('q');
	press(0xe4);
	ok(strcmp(state.filter, "qä") == 0, "letters are UTF-8, q is one");
	press(TD_KEY_BACKSPACE);
	ok(strcmp(state.filter, "q") == 0, "and are removed as a whole");
	for (int i = 0; i < 200; i++)
		press('x');
	ok(strlen(state.filter) < TD_TOP_FILTER_SIZE, "there is an end");
}

static void test_selection(void)
{
	reset();
	draw(80, 24);
	press(TD_KEY_DOWN);
	ok(strcmp(state.id, "CPU0") == 0, "the second line");
	rows[0].slots = 100000;
	set_rows(3);
	draw(80, 24);
	ok(state.at == 0 && strcmp(state.id, "CPU0") == 0, "a row is followed to another line");
	press(TD_KEY_ENTER);
	ok(line_has(1, "RRRRRRRRRRRRRRRRRRRRRRRRRRRR"), "its bars");
	ok(line_has(0, "2.5 s  CPU0: Alder Lake"), "and whose they are");
	ok(find(3, "CPU0 cpu_core, 50.0 % busy") > 0, "its tree");
	ok(find(2, "Bottleneck: no node is above its threshold") > 0,
	   "and its path, not that of the machine");
	press('e');
	ok(find(3, "in a tree, e explains the selected node") > 0,
	   "a heading has no meaning of its own");
	press(TD_KEY_ESCAPE);
	ok(state.pane == TD_TOP_TABLE && !*state.opened, "Esc leads back");
	press('t');
	press(TD_KEY_DOWN);
	ok(strcmp(state.node, "tma_retiring") == 0, "a node is selected");
	press('e');
	ok(find(0, "means:") > 0 && find(0, "try:") > 0, "what it means");
	press('h');
	ok(find(0, "quit") > 0, "the keys");
	press(TD_KEY_END);
	press(TD_KEY_HOME);
	press('h');
	ok(state.pane == TD_TOP_TABLE, "and away with them");
	press('h');
	press('q');
	ok(state.pane == TD_TOP_TABLE, "q leads back, too");
	ok(td_top_handle_key(&state, 'q') == TD_TOP_QUIT, "and quits there");
	press(TD_KEY_UP);
	press(TD_KEY_PAGE_UP);
	ok(state.at == 0, "nothing is above the first line");
	set_rows(0);
	press(TD_KEY_DOWN);
	ok(state.at == 0 && find(0, "nothing ran") > 0, "no rows");
	press(TD_KEY_ENTER);
	press(TD_KEY_PAGE_DOWN);
	draw(80, 24); /* nor a tree of one */
}

static void test_wishes(void)
{
	static const struct {
		int key;
		enum td_top_wish wish;
	} keys[] = {
		{ 'q', TD_TOP_QUIT },    { TD_KEY_F + 10, TD_TOP_QUIT }, { '3', TD_TOP_LEVEL },
		{ 'a', TD_TOP_LEVEL },   { '+', TD_TOP_SLOWER },         { '-', TD_TOP_FASTER },
		{ 'H', TD_TOP_THREADS }, { 'c', TD_TOP_CORES },          { 'u', TD_TOP_USERS },
		{ 'C', TD_TOP_CGROUPS }, { '7', TD_TOP_NO_WISH },        { 0, TD_TOP_NO_WISH },
		{ -1, TD_TOP_NO_WISH },  { 0x10ffff, TD_TOP_NO_WISH },   { 'z', TD_TOP_NO_WISH },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++) {
		reset();
		ok(td_top_handle_key(&state, keys[i].key) == keys[i].wish, "key %d", keys[i].key);
	}
	reset();
	td_top_handle_key(&state, '3');
	ok(state.wish_level == 3, "level 3");
	td_top_handle_key(&state, 'a');
	ok(state.wish_level == 0, "auto");
	td_top_handle_key(&state, ' ');
	draw(80, 24);
	ok(line_has(0, "FROZEN"), "frozen");
}

/* Names of processes are whatever a process likes. */
static void test_hostile_names(void)
{
	static const char evil[] = "a\033[2J\nb\xff\"<x>-7";

	reset();
	rows[0].id = evil;
	rows[1].id = "\xe5\xb7\xa5\xe4\xbd\x9c-8"; /* two wide letters */
	draw(80, 24);
	for (size_t i = 0; i < canvas.nr; i++) {
		const char *text = canvas.cells[i].text;

		if (strchr(text, '\033') || strchr(text, '\n') || strchr(text, 0xff))
			ok(false, "a byte of the name: %s", text);
	}
	draw(127, 24);
	ok(find(0, "a\\x1b[2J\\x0ab\\xff\"<x>-7") > 0, "it is escaped");
	ok(find(0, "\xe5\xb7\xa5\xe4\xbd\x9c-8") > 0, "and letters are letters");
	ok(find(0, "\xe5\xb7\xa5") > 0, "the heat has its beginning");
	press('/');
	press('b');
	ok(state.nr == 1, "it can be found");
}

/* See alarm() below. */
static void test_endless_name(void)
{
	static char endless[(2 << 20) + 1];

	reset();
	memset(endless, '\001', sizeof(endless) - 1);
	rows[0].id = endless;
	draw(80, 24);
	ok(find(0, "\\x01\\x01") > 0, "a name of 2 MB is cut");
}

static void test_missing_parts(void)
{
	static const double half[] = { 30, NAN, NAN, NAN, 20, NAN };

	reset();
	whole_row = make_row("all", "cpu", 10, whole_cells, half);
	whole_row.busy_pct = NAN;
	draw(63, 24);
	/* 49 columns: 15 are R, 10 F, and 24 are not known */
	ok(line_has(1, "[RRRRRRRRRRRRRRRFFFFFFFFFF........................]"),
	   "what is not known is no part of the bar");
	ok(line_has(2, " - "), "nor a number");
	ok(!find(1, "busy") || find(1, "% busy") < 0, "nor how busy it was");
	snapshot.verdict = (struct td_verdict){
		.situation = TD_SITUATION_SHORT,
		.row = &whole_row,
	};
	draw(80, 24);
	ok(find(0, "unknown: too few readings to estimate the errors") > 0,
	   "nor is there a bottleneck");
	whole_row = make_row("all", "cpu", 10, whole_cells, hot);
	draw(100, 24);
	ok(find(0, "60.0 (the largest; too few readings for its error)") > 0,
	   "a guess is called so, and why");
	draw(60, 24);
	ok(find(0, "cpu: backend_bound 60.0 (error unknown)") > 0,
	   "in fewer words where there is less room");
}

/* The end of a path is what matters. */
static void test_narrow_path(void)
{
	reset();
	draw(80, 24);
	ok(find(0, "Bottleneck: cpu_core: backend_bound 60.0 > memory_bound 45.0") > 0,
	   "all of it");
	ok(find(0, "CPU0  F1 B6 ??") > 0, "CPUs in a row");
	draw(55, 24);
	ok(find(0, "Bottleneck: cpu_core: ... > memory_bound 45.0") > 0,
	   "its beginning goes first");
	draw(40, 24);
	ok(find(0, "Bottleneck: memory_bound 45.0") > 0, "then all but the end");
	ok(line_has(0, "2.5 s  system wide, level 2, every 0.5 s"),
	   "what is counted stays longer than the processor");
	snprintf(state.opened, sizeof(state.opened), "CPU1");
	draw(80, 24);
	ok(find(0, "Bottleneck: cpu_core: backend_bound 60.0 (the largest)") > 0,
	   "an opened row has one of its own");
}

/* Names of threads are longer than those of CPUs. */
static void test_long_names(void)
{
	reset();
	rows[0].id = "kworker/u34:2-events-71";
	facts.by = "THREAD";
	draw(118, 24);
	ok(find(8, "kworker/u34:2-events-71") > 0 && find(5, "WORST NODE") < 0,
	   "a name goes before a node");
	facts.by = "CPU";
	draw(118, 24);
	ok(find(5, "WORST NODE") > 0, "CPUs have both");
}

/* Processes have the node in a narrow window; idle CPUs come last, however rows are sorted. */
static void test_processes(void)
{
	static const char *const keys[] = { "L", "P", "N", "NI", "R" };

	reset();
	rows[0].id = TD_IDLE_NAME;
	rows[0].idle = true;
	rows[0].busy_pct = 300;
	rows[0].lost_pct = NAN;
	rows[1].id = "a-very-long-na-12345";
	rows[2] = make_row("zip-3", "cpu_core", 300, cells[2], calm);
	facts.by = "PROCESS";
	facts.tasks = true;
	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++) {
		state = (struct td_top_state){ 0 };
		for (const char *key = keys[i]; *key; key++)
			press(*key);
		draw(80, 24);
		ok(find(5, TD_IDLE_NAME) > find(5, "zip-3"), "%s: idle CPUs are last", keys[i]);
	}
	ok(find(5, "WORST NODE") > 0 && find(5, "GHz") < 0, "a node goes before clocks");
	ok(find(5, " a-very~-12345") > 0, "a number is not cut");
	draw(118, 24);
	ok(find(5, " a-very-long-na-12345") > 0 && find(5, "GHz") > 0, "room for all");
	ok(find(20, "H Rows") > 0, "the last line names the key");
	facts.by = "CPU";
	facts.tasks = false;
}

/* "CPU0 CPU1 CPU4": a cell that does not follow has a name. */
static void test_gaps(void)
{
	static char ids[MAX_ROWS][16];

	reset();
	rows[2].id = "CPU4";
	draw(80, 24);
	ok(find(0, "CPU0  F1 B6 CPU4 ??") > 0, "CPUs with a gap");
	for (int i = 0; i < MAX_ROWS; i++) {
		snprintf(ids[i], sizeof(ids[i]), "CPU%d", 2 * i);
		rows[i] = make_row(ids[i], "cpu_core", 1, cells[i], hot);
	}
	set_rows(MAX_ROWS);
	draw(80, 24);
	ok(find(0, "CPU0  B6 CPU2 B6 CPU4 B6 CPU6 B6") > 0, "each has one");
	ok(find(0, " more") > 0, "some are not shown, and counted");
}

/* Each row of the window has at most its columns, whatever the size. */
static void test_sizes(void)
{
	bool fits = true;

	for (int width = 1; width <= 130; width += width < 30 ? 1 : 7) {
		for (int height = 1; height <= 60; height += 1) {
			reset();
			state.pane = (enum td_top_pane)(height % 4);
			draw(width, height);
			for (size_t i = 0; i < canvas.nr; i++) {
				const struct td_top_cell *cell = &canvas.cells[i];

				fits &= cell->x + cell->width <= width && cell->y < height &&
					cell->y >= 0 && (int)strlen(cell->text) <= cell->width;
			}
		}
	}
	ok(fits, "no window is too small");
	reset();
	draw(20, 6);
	ok(find(0, "cpu_core") == 1 && find(0, "CPU1") > 0, "what matters most");
	draw(60, 8);
	ok(line_has(7, "hidden: "), "what is hidden is said");
}

static void test_many_rows(void)
{
	static char names[MAX_ROWS][16];
	char shown[64];

	reset();
	for (size_t i = 0; i < MAX_ROWS; i++) {
		snprintf(names[i], sizeof(names[i]), "CPU%zu", i);
		rows[i] = make_row(names[i], "cpu_core", 100 + (double)i, cells[i], hot);
	}
	set_rows(MAX_ROWS);
	draw(80, 24);
	ok(find(0, " more") > 0, "CPUs that have no room are counted");
	/* between the header of the table and the last line */
	snprintf(shown, sizeof(shown), "lines 1 to %d of 200", 22 - find(0, "LOST%v"));
	ok(line_has(23, shown), "and so are lines");
	press(TD_KEY_END);
	ok(find(8, "CPU0") > 0 && state.at == MAX_ROWS - 1, "the last row");
	press(TD_KEY_HOME);
	ok(find(8, "CPU199") > 0, "the first one");
	press(TD_KEY_PAGE_DOWN);
	ok(state.at == state.page - 1, "a page further");
	draw(200, 60);
	ok(find(0, " more") < 0, "a large window has room for all");
	reset();
	draw(80, 24);
	ok(find(23, "lines ") < 0, "three rows are all there");
}

static void test_cgroups(void)
{
	reset();
	snapshot.has_whole = false;
	rows[0].id = "system.slice";
	rows[1].id = "user.slice";
	facts.by = "CGROUP";
	draw(80, 24);
	draw(80, 24);
	ok(find(0, "Bottleneck") < 0, "of cgroups nothing is the whole");
	ok(line_has(2, "20.0") && line_has(0, "user.slice: "), "the bars are those of the first");
	press(TD_KEY_DOWN);
	draw(80, 24);
	ok(line_has(2, "70.0"), "or of the selected one");
	facts.by = "CPU";
}

int main(void)
{
	/* a name that was measured again for each byte that was cut took hours */
	alarm(1800);
	test_screen();
	test_processes();
	test_table();
	test_filter();
	test_selection();
	test_wishes();
	test_hostile_names();
	test_endless_name();
	test_missing_parts();
	test_narrow_path();
	test_gaps();
	test_long_names();
	test_sizes();
	test_many_rows();
	test_cgroups();
	td_canvas_free(&canvas);
	return done_testing();
}
