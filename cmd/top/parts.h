/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/top: tdstat top, a screen of what is counted now.
 *
 * In: reports of a live run or of a recording, interval by interval, and keys.
 * Out: a canvas of text with styles (draw.c and what it calls: no terminal, so
 * that tests can look at it), which screen.c draws with ncurses.
 */
#ifndef TD_CMD_TOP_PARTS_H
#define TD_CMD_TOP_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/request.h"
#include "cmd/view/source.h"
#include "cmd/view/viewer.h"
#include "lib/base/err.h"
#include "lib/count/report.h"
#include "metrics/explain/explain.h"
#include "metrics/verdict/verdict.h"

/* --- canvas.c: text with styles, for no terminal -------------------------- */

/* How a cell looks; colour is never all that tells two cells apart. */
enum td_top_style {
	TD_TOP_PLAIN,
	TD_TOP_DIM,
	TD_TOP_BOLD,
	TD_TOP_HEAD,     /* of a table, and the names of keys */
	TD_TOP_SELECTED, /* the row that keys act on */
	TD_TOP_OVER,     /* over its threshold */
	/* parts of level 1, in the order of enum td_part */
	TD_TOP_PART,
	TD_TOP_NR_STYLES = TD_TOP_PART + 5
};

struct td_top_cell {
	int y, x, width; /* its text is cut at the width */
	enum td_top_style style;
	char *text; /* printable UTF-8 */
};

/* What a window of this size shows, as text: nothing here knows a terminal. */
struct td_canvas {
	int width, height;
	struct td_top_cell *cells;
	size_t nr;
	bool no_memory; /* some cell is missing */
};

/*
 * Puts a text at a place, at most width columns of it and none outside of the
 * window.  What is not printable is escaped.
 */
void td_canvas_put(struct td_canvas *canvas, int y, int x, int width,
		   enum td_top_style style, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* The same, with the sign in all of width columns. */
void td_canvas_fill(struct td_canvas *canvas, int y, int x, int width,
		    enum td_top_style style, char sign);
/* Takes all cells away, and sets the size. */
void td_canvas_clear(struct td_canvas *canvas, int width, int height);
void td_canvas_free(struct td_canvas *canvas);

/* --- what is shown, and what keys have changed of it ---------------------- */

/*
 * What the screen shows: an interval, whole and in rows.  It is kept until the
 * next one comes, as keys change what is shown of it.  The ids of the rows are
 * owned; columns, nodes and names of PMUs are the source's.
 */
struct td_top_snapshot {
	bool has_whole; /* not of cgroups */
	struct td_report whole, rows;
	struct td_verdict verdict; /* of the whole; its row is in whole */
};

/* rows.c: copies a report in place of the one before.  Returns 0 or -ENOMEM. */
int td_top_keep(struct td_report *kept, const struct td_report *report,
		struct td_err *err);

void td_top_snapshot_free(struct td_top_snapshot *snapshot);

/* What the lower part of the window shows. */
enum td_top_pane {
	TD_TOP_TABLE,
	TD_TOP_TREE, /* of the whole, or of the row that was opened */
	TD_TOP_MEANING,
	TD_TOP_HELP,
};

enum td_top_sort {
	TD_TOP_BY_LOST,
	TD_TOP_BY_BUSY,
	TD_TOP_BY_GHZ,
	TD_TOP_BY_IPC,
	TD_TOP_BY_PART, /* and so on, in the order of enum td_part */
	TD_TOP_BY_NAME = TD_TOP_BY_PART + 5,
	TD_TOP_NR_SORTS
};

#define TD_TOP_FILTER_SIZE 64
#define TD_TOP_ID_SIZE     4096 /* PATH_MAX, of a cgroup */
#define TD_TOP_NAME_SIZE   256
#define TD_TOP_SAID_SIZE   512

/* What keys have changed so far. */
struct td_top_state {
	enum td_top_pane pane;
	enum td_top_sort sort;
	bool reversed;
	bool paused;
	bool typing; /* letters go to the filter */
	char filter[TD_TOP_FILTER_SIZE];
	/* the selected row of the table, as it was drawn; "": there is none */
	char id[TD_TOP_ID_SIZE], pmu[TD_TOP_NAME_SIZE];
	bool picks;   /* what is selected next is followed */
	bool follows; /* the selection stays at that row, wherever it moves */
	char opened[TD_TOP_ID_SIZE]; /* whose tree is shown; "": the whole's */
	/* the selected node of a tree; "": none */
	char node[TD_TOP_NAME_SIZE], node_pmu[TD_TOP_NAME_SIZE];
	size_t at, first;   /* the selected line, the first one shown */
	size_t page;        /* lines of the pane, of the last drawing */
	size_t nr;          /* and lines that there were to show */
	unsigned int sorts; /* bits 1 << td_top_sort: there is such a column */
	int wish_level;     /* of TD_TOP_LEVEL */
	char said[TD_TOP_SAID_SIZE]; /* in the last line until the next key */
};

/* What is told of the source, in the first lines. */
struct td_top_facts {
	const char *what;    /* "the whole machine", "process id 12" */
	const char *machine; /* the processor's name */
	const char *level;   /* "auto", "2" */
	const char *by;      /* what has a row: "CPU", "THREAD", "CGROUP" */
	size_t nr_cpus;
	bool tasks;  /* rows are of tasks */
	bool played; /* a recording */
	bool ended;  /* and its end was reached */
	int interval_ms;
	size_t nr_messages; /* that wait for the end */
};

/* --- keys.c: what keys do ------------------------------------------------- */

/* Keys that are no characters. */
enum td_top_key {
	TD_KEY_UP = 0x110000, /* behind the last character of Unicode */
	TD_KEY_DOWN,
	TD_KEY_LEFT,
	TD_KEY_RIGHT,
	TD_KEY_PAGE_UP,
	TD_KEY_PAGE_DOWN,
	TD_KEY_HOME,
	TD_KEY_END,
	TD_KEY_ENTER,
	TD_KEY_BACKSPACE,
	TD_KEY_ESCAPE,
	TD_KEY_F, /* plus a number from 1 to 12 */
};

/* What a key asks for that only a new beginning gives. */
enum td_top_wish {
	TD_TOP_NO_WISH,
	TD_TOP_QUIT,
	TD_TOP_LEVEL, /* state->wish_level; 0: auto */
	TD_TOP_SLOWER,
	TD_TOP_FASTER,
	TD_TOP_THREADS,
	TD_TOP_CORES,
	TD_TOP_BACK, /* the interval before, of a recording */
	TD_TOP_FORWARD,
};

/*
 * Changes the state as the key says.  Keys without a meaning do nothing.
 */
enum td_top_wish td_top_take_key(struct td_top_state *state, int key);

/* --- rows.c: rows in numbers ---------------------------------------------- */

/* Each has a letter of its own: R, S, F, B and T. */
char td_top_part_letter(enum td_part part);
/* "bad speculation", or where there are fewer columns, "bad spec." */
const char *td_top_part_name(enum td_part part, int width);
/* The part that a node of level 1 is; TD_NR_PARTS: none of level 1. */
enum td_part td_top_part_of(const struct td_report *report,
			    const struct td_node *node);

/* A row in numbers; NaN: unknown. */
struct td_top_parts {
	double pct[TD_NR_PARTS];
	bool over[TD_NR_PARTS];
	bool has[TD_NR_PARTS]; /* the row's tree has the node */
	enum td_part worst;    /* of those but retiring; NR_PARTS: unknown */
};

void td_top_parts_find(struct td_top_parts *parts,
		       const struct td_report *report,
		       const struct td_row *row);
/* Is there anything of level 1 in it? */
bool td_top_parts_exist(const struct td_top_parts *parts);
/* A cell's value, or NaN. */
double td_top_value(const struct td_row *row, const struct td_node *node);
/* Is the node marked, as in the text of tdstat? */
bool td_top_is_over(const struct td_row *row, const struct td_node *node);

/* A line of the table: a row of the report in numbers. */
struct td_top_line {
	const struct td_row *row;
	struct td_top_parts parts;
	/* its lost slots as a share of all slots of the table; NaN: unknown */
	double lost_pct;
};

struct td_top_lines {
	const struct td_report *report; /* borrowed */
	struct td_top_line *v;
	size_t nr;
	size_t nr_filtered; /* rows that the filter hides */
	bool has[5];        /* a line has this part of level 1 */
	bool show_pmu, has_busy, has_ipc;
};

/*
 * Lists the rows of the report, filtered and sorted as the state says; what is
 * unknown comes last.  Free with td_top_lines_free(), also after -ENOMEM.
 */
int td_top_lines_make(struct td_top_lines *lines,
		      const struct td_report *report,
		      const struct td_top_state *state);
void td_top_lines_free(struct td_top_lines *lines);
/* Is there something to sort by? */
bool td_top_lines_have(const struct td_top_lines *lines, enum td_top_sort sort);

/* --- bars.c: level 1 as bars, and as a cell for each row ------------------ */

/* The width from which the parts have names, and children below them. */
#define TD_TOP_NAMES_WIDTH 56

/* Fills a bar with the letters of the parts; '.' is what is not known. */
void td_top_put_bar(struct td_canvas *canvas, int y, int x, int width,
		    const struct td_top_parts *parts);
/* A line: the PMU, how busy it was, and its slots as a bar. */
void td_top_put_pmu(struct td_canvas *canvas, int y,
		    const struct td_report *report, const struct td_row *row);
/* A line: the values of level 1. */
void td_top_put_parts(struct td_canvas *canvas, int y,
		      const struct td_report *report, const struct td_row *row);
/* The most children that a part has on level 2. */
int td_top_count_children(const struct td_report *report,
			  const struct td_row *row);
/* So many lines below the parts: each part's children, the largest first. */
void td_top_put_children(struct td_canvas *canvas, int y, int lines,
			 const struct td_report *report,
			 const struct td_row *row);
/* "42.7", or "-" for what is not known. */
#define TD_TOP_NUMBER_SIZE 64
const char *td_top_number(char buf[TD_TOP_NUMBER_SIZE], double value);

/*
 * A cell for each row, in the order of the report: the letter of the part that
 * lost it most, and its tens of percent.  "--": next to nothing went on; "??":
 * unknown.
 */

/* The lines that all cells take in a window of this width. */
int td_top_heat_lines(const struct td_report *report, int width);
/* Fills so many lines; what has no room is counted in the last of them. */
void td_top_put_heat(struct td_canvas *canvas, int y, int lines,
		     const struct td_report *report);

/* --- path.c: the nodes that matter most ----------------------------------- */

/* The column where the path begins, and what is said of it below. */
#define TD_TOP_PATH_AT 12

/*
 * A line: the nodes that matter most, as the verdict says; where it cannot say,
 * the largest that are over their thresholds.  Of a row that was opened it is
 * always these, as the verdict is of the whole.  opened "": the whole.
 */
void td_top_put_path(struct td_canvas *canvas, int y,
		     const struct td_top_snapshot *snapshot,
		     const char *opened);

/* The last node of that path, and its kind of core; NULL: there is none. */
const char *td_top_path_end(const struct td_top_snapshot *snapshot,
			    const char *opened, const char **pmu);
/* What a node means on such cores; NULL: there is no text. */
const struct td_explanation *td_top_explanation(const char *node,
						const char *pmu);

/* --- panes.c: the lower part of the window -------------------------------- */

/* A part of the window. */
struct td_top_area {
	int y, lines;
};

/*
 * Scrolls so that the selected line of nr is shown, and tells the state how many
 * lines there are.
 */
void td_top_scroll(struct td_top_state *state, size_t nr, int lines);

/* pane_table.c: its first line is the header. */
void td_top_put_table(struct td_canvas *canvas, struct td_top_area area,
		      const struct td_top_lines *lines,
		      struct td_top_state *state,
		      const struct td_top_facts *facts);
/* The trees of the rows of this id. */
void td_top_put_tree(struct td_canvas *canvas, struct td_top_area area,
		     const struct td_report *report, const char *id,
		     struct td_top_state *state);
void td_top_put_help(struct td_canvas *canvas, struct td_top_area area,
		     struct td_top_state *state);
void td_top_put_meaning(struct td_canvas *canvas, struct td_top_area area,
			const char *node, const char *pmu,
			struct td_top_state *state);

/* --- draw.c: the whole window --------------------------------------------- */

/*
 * Draws all lines.  The selection stays at its row, or on the screen.  Returns
 * -ENOMEM if a part is missing.
 */
int td_top_draw(struct td_canvas *canvas, int width, int height,
		const struct td_top_snapshot *snapshot,
		struct td_top_state *state, const struct td_top_facts *facts);

/* --- terminal.c: what terminfo says of the terminal ----------------------- */

#define TD_TERMINAL_LEAVE 128

/* An error, with a remedy, if there is no terminal that can show a screen. */
int td_terminal_check(struct td_err *err);
/* What makes the terminal leave the screen; after a check without an error. */
const char *td_terminal_leave(char text[TD_TERMINAL_LEAVE]);

/* --- screen.c: the terminal ----------------------------------------------- */

/*
 * The terminal.  There is one at most, as ncurses has one.  Screens that are not
 * open do nothing.
 */
struct td_screen {
	bool is_open;
	/* ncurses'; the window is all of the terminal */
	struct screen *terminal;
	/* NOLINTNEXTLINE(bugprone-reserved-identifier): ncurses names it so */
	struct _win_st *window;
	bool utf8;   /* the locale's letters are those of UTF-8 */
	bool colour; /* else there are only bold and reverse */
	/* readable if there are keys or signals of the terminal to take */
	int fd;
	int signals;
};

#define TD_SCREEN_CLOSED ((struct td_screen){ .fd = -1, .signals = -1 })

/* What there was to take. */
enum td_screen_event {
	TD_SCREEN_NOTHING,
	TD_SCREEN_KEY,
	TD_SCREEN_CHANGED, /* the size, or somebody else wrote to it */
	TD_SCREEN_GONE,    /* the terminal was closed */
};

/*
 * Takes the signals of the terminal: SIGWINCH, SIGTSTP, SIGCONT.  To be called
 * before anything waits for screen->fd; it shows nothing yet.
 */
int td_screen_prepare(struct td_screen *screen, struct td_err *err);
/* Shows an empty screen.  The caller closes it in any case. */
int td_screen_open(struct td_screen *screen, struct td_err *err);
void td_screen_size(const struct td_screen *screen, int *width, int *height);
void td_screen_show(const struct td_screen *screen,
		    const struct td_canvas *canvas);
/* Does not wait.  *key is a character or one of enum td_top_key. */
enum td_screen_event td_screen_take(struct td_screen *screen, int *key);
/* Gives the terminal back as it was.  May be called twice. */
void td_screen_close(struct td_screen *screen);

/* --- viewer.c: the screen as a viewer of counts --------------------------- */

/*
 * Standard error while the screen is up: what is written there, by whomever, is
 * kept in memory and written when the screen has gone.
 */
struct td_top_said {
	int real; /* a copy of standard error; -1: it is not kept back */
	int kept;
};

/* The screen as a viewer of counts, of a live run or of a recording. */
struct td_top {
	struct td_screen screen;
	struct td_top_said said;
	struct td_canvas canvas;
	struct td_top_snapshot snapshot;
	struct td_top_state state;
	struct td_top_facts facts;
	char *what;     /* facts.what */
	char level[16]; /* facts.level */
	char by[16];    /* facts.by */
	char cpuid[48]; /* facts.machine, if the model has no name */
	/* why counting ends, if a key was the reason; the last reports do not
	 * count then */
	enum td_top_wish wish;
	bool gone;  /* the terminal was closed */
	bool begun; /* something was counted since td_top_describe() */
	struct td_viewer viewer;
};

/* Prepares all but the screen, which is shown when counting begins. */
int td_top_open(struct td_top *top, struct td_err *err);
/* What the first line says of a session that begins with these options. */
void td_top_describe(struct td_top *top, const struct td_request *request);
/* Draws again, as a fact has changed. */
int td_top_redraw(struct td_top *top, struct td_err *err);
/* Gives the terminal back, then writes the messages that came meanwhile. */
void td_top_close(struct td_top *top);

#endif
