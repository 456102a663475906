/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/top: tdstat top, a live view of the counts.
 *
 * In: reports of a live run or of a recording, interval by interval, and keys.
 * Out: a canvas of text with styles, which screen.c draws with ncurses.  draw.c uses
 * no terminal, so that tests can read the canvas.
 */
#pragma once

#include "cmd/request.h"
#include "cmd/view/source.h"
#include "cmd/view/viewer.h"
#include "lib/count/report.h"
#include "metrics/explain/explain.h"
#include "metrics/verdict/verdict.h"

/* --- canvas.c: text with styles ------------------------------------------- */

/* The style of a cell; cells never differ only in colour. */
enum td_top_style {
	TD_TOP_PLAIN,
	TD_TOP_DIM,
	TD_TOP_BOLD,
	TD_TOP_HEAD,     /* headers of tables, names of keys */
	TD_TOP_SELECTED, /* the row that keys act on */
	TD_TOP_OVER,     /* above its threshold */
	/* parts of level 1, in the order of enum td_part */
	TD_TOP_PART,
	TD_TOP_NR_STYLES = TD_TOP_PART + 5
};

/* The contents of a window. */
struct td_canvas {
	int width, height;
	struct td_top_cell {
		int y, x, width; /* the text is cut at the width */
		enum td_top_style style;
		char *text; /* printable UTF-8 */
	} * cells;
	size_t nr;
};

/*
 * Put a text, cut at width columns and at the edge of the window.  Escapes unprintable characters.
 */
void td_canvas_put(struct td_canvas *canvas, int y, int x, int width, enum td_top_style style,
		   const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Fill width columns with a character. */
void td_canvas_fill(struct td_canvas *canvas, int y, int x, int width, enum td_top_style style,
		    char sign);
/* Remove all cells and set the size. */
void td_canvas_clear(struct td_canvas *canvas, int width, int height);
void td_canvas_free(struct td_canvas *canvas);

/* --- the state of the view ------------------------------------------------ */

/*
 * The last interval, as a total and as rows, which keys show in different ways.  The ids of the
 * rows are owned; columns, nodes and names of PMUs belong to the source.
 */
struct td_top_snapshot {
	bool has_whole;         /* false for cgroups */
	struct td_report whole; /* the total */
	struct td_report rows;
	struct td_verdict verdict; /* verdict on the total, whose row is in whole */
};

/* rows.c: replace kept with a copy of a report, without rows of cgroups that were removed. */
void td_top_keep(struct td_report *kept, const struct td_report *report,
		 const struct td_cgroups *cgroups);

void td_top_snapshot_free(struct td_top_snapshot *snapshot);

/* The lower part of the window. */
enum td_top_pane {
	TD_TOP_TABLE,
	TD_TOP_TREE, /* tree of the total, or of the opened row */
	TD_TOP_MEANING,
	TD_TOP_HELP,
};

enum td_top_sort {
	TD_TOP_BY_LOST,
	TD_TOP_BY_BUSY,
	TD_TOP_BY_GHZ,
	TD_TOP_BY_IPC,
	TD_TOP_BY_PART, /* a sort for each part follows, in the order of enum td_part */
	TD_TOP_BY_NAME = TD_TOP_BY_PART + 5,
	TD_TOP_NR_SORTS
};

#define TD_TOP_FILTER_SIZE 64
#define TD_TOP_ID_SIZE     4096 /* PATH_MAX, for cgroups */
#define TD_TOP_NAME_SIZE   256
#define TD_TOP_NOTE_SIZE   512

/* The state that keys change. */
struct td_top_state {
	enum td_top_pane pane;
	enum td_top_sort sort;
	bool reversed, paused;
	bool typing; /* letters go to the filter */
	char filter[TD_TOP_FILTER_SIZE];
	/* selected row of the table as drawn; "": none */
	char id[TD_TOP_ID_SIZE], pmu[TD_TOP_NAME_SIZE];
	bool picks;                  /* follow the row that is selected next */
	bool follows;                /* the selection moves with its row */
	char opened[TD_TOP_ID_SIZE]; /* id of the row whose tree is shown; "": the total */
	/* selected node of a tree; "": none */
	char node[TD_TOP_NAME_SIZE], node_pmu[TD_TOP_NAME_SIZE];
	size_t at, first;            /* the selected line, the first line shown */
	size_t page;                 /* lines of the pane in the last drawing */
	size_t nr;                   /* lines to show in the last drawing */
	unsigned int sorts;          /* bits 1 << td_top_sort for the columns that exist */
	int wish_level;              /* level of TD_TOP_LEVEL */
	char note[TD_TOP_NOTE_SIZE]; /* shown in the last line until the next key */
};

/* The facts in the first line. */
struct td_top_facts {
	const char *what;    /* "the whole machine", "process id 12" */
	const char *machine; /* the processor's name */
	const char *level;   /* "auto", "2" */
	const char *by;      /* kind of rows: "CPU", "THREAD", "CGROUP" */
	size_t nr_cpus;
	bool tasks;  /* rows are tasks */
	bool played; /* the source is a recording */
	bool ended;  /* the end of the recording was reached */
	int interval_ms;
	size_t nr_messages; /* messages that are held back until the end */
};

/* --- keys.c: the meaning of keys ------------------------------------------ */

/* Keys that are not characters. */
enum td_top_key {
	TD_KEY_UP = 0x110000, /* after the last character of Unicode */
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

/* Requests that need a new session. */
enum td_top_wish {
	TD_TOP_NO_WISH,
	TD_TOP_QUIT,
	TD_TOP_LEVEL, /* state->wish_level; 0: auto */
	TD_TOP_SLOWER,
	TD_TOP_FASTER,
	TD_TOP_THREADS,
	TD_TOP_USERS,
	TD_TOP_CGROUPS,
	TD_TOP_CORES,
	TD_TOP_BACK, /* go to the previous interval of a recording */
	TD_TOP_FORWARD,
};

/* Change the state for a key, or return a wish.  Keys without a meaning are ignored. */
enum td_top_wish td_top_handle_key(struct td_top_state *state, int key);

/* --- rows.c: rows in numbers ---------------------------------------------- */

/* Return the letter of a node of level 1: R, S, F, B or T. */
char td_top_part_letter(enum td_part part);
/* Return "bad speculation", or in fewer columns "bad spec." */
const char *td_top_part_name(enum td_part part, int width);
/* Return which part of level 1 the node is; TD_NR_PARTS: none. */
enum td_part td_top_part_of(const struct td_report *report, const struct td_node *node);

/* A row in numbers; NaN: unknown. */
struct td_top_parts {
	double pct[TD_NR_PARTS];
	bool over[TD_NR_PARTS];
	bool has[TD_NR_PARTS]; /* the row's tree has the node */
	enum td_part worst;    /* largest loss; TD_NR_PARTS: unknown */
};

void td_top_parts_find(struct td_top_parts *parts, const struct td_report *report,
		       const struct td_row *row);
/* Does the row have a node of level 1? */
bool td_top_parts_exist(const struct td_top_parts *parts);
/* Return a node's value, or NaN. */
double td_top_value(const struct td_row *row, const struct td_node *node);
/* Is the node marked with *, as in the text format? */
bool td_top_is_over(const struct td_row *row, const struct td_node *node);

struct td_top_lines {
	const struct td_report *report; /* borrowed */
	/* A line of the table: a row of the report in numbers. */
	struct td_top_line {
		const struct td_row *row;
		struct td_top_parts parts;
		/* the row's lost slots as a share of all slots in the table; NaN: unknown */
		double lost_pct;
	} * v;
	size_t nr;
	size_t nr_filtered; /* rows that the filter hides */
	bool has[5];        /* some line has this node of level 1 */
	bool show_pmu, has_busy, has_ipc;
};

/*
 * List the rows of the report, filtered and sorted; unknown values come last.  Free
 * with td_top_lines_free().
 */
void td_top_lines_make(struct td_top_lines *lines, const struct td_report *report,
		       const struct td_top_state *state);
void td_top_lines_free(struct td_top_lines *lines);
/* Does the table have this column? */
bool td_top_lines_have(const struct td_top_lines *lines, enum td_top_sort sort);

/* --- bars.c: level 1 as bars, and as a cell for each row ------------------ */

/* Minimum width for names of the parts, and for children below them. */
#define TD_TOP_NAMES_WIDTH 56

/* Put a line with the PMU, its load, and its slots as a bar. */
void td_top_put_pmu(struct td_canvas *canvas, int y, const struct td_report *report,
		    const struct td_row *row);
/* Put a line with the values of level 1. */
void td_top_put_parts(struct td_canvas *canvas, int y, const struct td_report *report,
		      const struct td_row *row);
/* Return the maximum number of children of a node of level 1. */
int td_top_count_children(const struct td_report *report, const struct td_row *row);
/* Put the children of each node of level 1, the largest first, in this many lines. */
void td_top_put_children(struct td_canvas *canvas, int y, int lines, const struct td_report *report,
			 const struct td_row *row);
/* Format "42.7", or "-" for NaN. */
#define TD_TOP_NUMBER_SIZE 64
const char *td_top_number(char buf[TD_TOP_NUMBER_SIZE], double value);

/*
 * A heat map: a cell per row, in the order of the report, with the letter of its largest
 * loss and the tens of percent.  "--": almost idle; "??": unknown.
 */

/* Return the number of lines in a window of this width. */
int td_top_heat_lines(const struct td_report *report, int width);
/* Fill this many lines.  The last one gives the number of further rows. */
void td_top_put_heat(struct td_canvas *canvas, int y, int lines, const struct td_report *report);

/* --- path.c: the path to the bottleneck ----------------------------------- */

/* The column of the path and of the hint below it. */
#define TD_TOP_PATH_AT 12

/*
 * Put a line with the path of the verdict.  If there is no path, or for an opened row, put the
 * largest nodes above their thresholds, because the verdict is on the total.  opened: "" for the
 * total.
 */
void td_top_put_path(struct td_canvas *canvas, int y, const struct td_top_snapshot *snapshot,
		     const char *opened);

/* Return the last node of the path and its PMU; NULL: none. */
const char *td_top_path_end(const struct td_top_snapshot *snapshot, const char *opened,
			    const char **pmu);
/* Return the explanation of a node on such cores; NULL: none. */
const struct td_explanation *td_top_explanation(const char *node, const char *pmu);

/* --- draw.c: the whole window --------------------------------------------- */

/* Draw all lines.  The selection moves with its row, or stays at its line. */
void td_top_draw(struct td_canvas *canvas, int width, int height,
		 const struct td_top_snapshot *snapshot, struct td_top_state *state,
		 const struct td_top_facts *facts);

/* --- screen.c: the terminal ----------------------------------------------- */

/* The terminal.  ncurses supports only one.  Functions ignore closed screens. */
struct td_screen {
	bool is_open;
	/* ncurses; the window covers the terminal */
	struct screen *terminal;
	/* NOLINTNEXTLINE(bugprone-reserved-identifier): ncurses names it so */
	struct _win_st *window;
	bool utf8;   /* the locale uses UTF-8 */
	bool colour; /* otherwise there are only bold and reverse */
	int fd;      /* readable if there are keys or signals of the terminal */
	int signals; /* a signalfd */
};

#define TD_SCREEN_CLOSED ((struct td_screen){ .fd = -1, .signals = -1 })

/* Result of td_screen_read(). */
enum td_screen_event {
	TD_SCREEN_NOTHING,
	TD_SCREEN_KEY,
	TD_SCREEN_CHANGED, /* the size or contents changed */
	TD_SCREEN_GONE,    /* the terminal was closed */
};

/* Returns an error with a remedy if there is no terminal that can show a screen. */
int td_terminal_check(struct td_err *err);
/*
 * Take over the signals of the terminal, SIGWINCH, SIGTSTP and SIGCONT, and set
 * screen->fd.  The terminal does not change yet.
 */
int td_screen_prepare(struct td_screen *screen, struct td_err *err);
/* Show an empty screen.  On error too, call td_screen_close(). */
int td_screen_open(struct td_screen *screen, struct td_err *err);
void td_screen_size(const struct td_screen *screen, int *width, int *height);
void td_screen_show(const struct td_screen *screen, const struct td_canvas *canvas);
/* Read an event without waiting.  *key is a character or one of enum td_top_key. */
enum td_screen_event td_screen_read(struct td_screen *screen, int *key);
/* Restore the terminal.  May be called twice. */
void td_screen_close(struct td_screen *screen);
