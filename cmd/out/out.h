/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/out: results as text, CSV, JSON, a trace or a page (page/).
 *
 * In: finished reports.
 * Out: bytes on a stream.  Writers compute nothing.
 */
#ifndef TD_CMD_OUT_OUT_H
#define TD_CMD_OUT_OUT_H

#include <stdint.h>
#include <stdio.h>

#include "cmd/out/columns.h"
#include "cmd/out/format.h"
#include "cmd/out/frame.h"
#include "cmd/out/table.h"
#include "lib/base/err.h"
#include "lib/count/regions.h"
#include "lib/count/report.h"
#include "metrics/diff/diff.h"

/* The marks of a tree, or a table, that were shown: its legend has these. */
struct td_marks {
	unsigned int misfits; /* bits of enum td_misfit: ? and ~ */
	bool same_slices;     /* some were counted when the node above was */
	bool over;            /* * */
	bool any;             /* of an error: any share may be true */
	bool missing;         /* - */
	bool errata;          /* ! */
	const char *why;      /* of what is missing; NULL: it is unknown */
};

struct td_writer {
	const struct td_out *out;
	FILE *fp;
	const struct td_frame *frame;
	const char *separator;      /* CSV */
	unsigned int lines;         /* text: lines since the header */
	int widths[TD_MAX_COLUMNS]; /* text: of the columns of the header */
	/* text: length of each column's longest fraction so far, with point */
	int parts[TD_MAX_COLUMNS];
	struct td_table table;    /* text: of the interval before */
	struct td_marks marks;    /* text: of all intervals */
	struct td_tracks *tracks; /* a trace: what it has so far, owned */
	bool header_done;
	bool absent_said; /* text: why a kind of core has no row */
	bool summary;     /* of all intervals */
	/* HTML: the page has begun, and its rows over time have ended */
	bool page_begun, course_done;
	/* SVG: the picture so far, owned; its height comes before it in the file */
	FILE *drawing;
	char *drawn;
	size_t drawn_size;
	bool no_memory; /* something was left out for lack of it */
};

/*
 * head.c: who counted what and where, of the writer's frame.  Columns and keys of
 * rows are only added; for any other change this number rises.
 */
#define TD_ROWS_VERSION 1
void td_out_csv_head(struct td_writer *writer);
void td_out_json_head(struct td_writer *writer);

/* text_events.c */
void td_out_text_events(struct td_writer *writer,
			const struct td_event_report *report);

/* text_where.c, sheet_where.c */
void td_out_text_where(struct td_writer *writer, const struct td_where *where);
/* Its columns. */
struct td_sheet td_out_where_sheet(void);
void td_out_csv_where(struct td_writer *writer, const struct td_where *where);
void td_out_json_where(struct td_writer *writer, const struct td_where *where);

/*
 * diff.c: what it comes to, and how to have runs enough to tell, if there
 * are too few; NULL: there are enough, or was no memory.  To be freed.
 */
char *td_out_diff_sentence(const struct td_diff *diff);
char *td_out_diff_advice(const struct td_diff *diff);
/* text_diff.c */
void td_out_text_diff(struct td_writer *writer, const struct td_diff *diff);
/* Its columns. */
struct td_sheet td_out_diff_sheet(void);
/* in the writer's format, which has one for it, or is one of sheets */
void td_out_put_diff(struct td_writer *writer, const struct td_diff *diff);
/* The decimals of a row's values. */
int td_out_diff_row_decimals(const struct td_diff_row *row);
/* Are the values shares, whose difference is in points? */
bool td_out_diff_is_percent(const struct td_diff_row *row);
/* ", 5 runs", " and 2 more": what a side has besides its name. */
void td_out_diff_put_number(FILE *fp, const struct td_diff_side *side);
/* Of slots per slot, the points say it already. */
bool td_out_diff_has_slots(const struct td_diff *diff);

/* text_heading.c: one thread has no more than a CPU, whatever the clocks say */
double td_out_of_a_cpu(double busy_pct);
/* text_tree.c */
void td_out_text_tree(const struct td_writer *writer,
		      const struct td_report *report, const struct td_row *row);

/* text_verdict.c, json_verdict.c */
void td_out_text_verdict(struct td_writer *writer,
			 const struct td_report *report,
			 const struct td_advice *advice);
void td_out_json_verdict(struct td_writer *writer,
			 const struct td_report *report,
			 const struct td_advice *advice);
/* text_regions.c: the table of regions */
void td_out_text_regions(const struct td_writer *writer,
			 const struct td_report *report);
/*
 * text_calls.c, of a function whose calls are timed: a line above its table, and what
 * is said below.
 */
void td_out_text_quantiles(const struct td_writer *writer,
			   const struct td_timed *timed);
void td_out_text_slow(const struct td_writer *writer,
		      const struct td_report *report, size_t at);
/* Percentages from here on are printed as 100.0. */
#define TD_ALL_PCT 99.95

/* text_heading.c: the heading of a row's tree, which has this status */
/* Has the kind of core so few slots that its tree is not shown? */
bool td_out_is_slight(const struct td_writer *writer, const struct td_row *row);
void td_out_text_heading(const struct td_writer *writer,
			 const struct td_report *report,
			 const struct td_row *row, enum td_status status);
/* The best status of a row's cells. */
enum td_status td_out_row_status(const struct td_row *row);
/*
 * The reason of what has no value, where the ones before have this one, or NULL; of
 * different reasons, where they are told.
 */
const char *td_out_add_reason(const char *why, const struct td_cell *cell);
/* A line of a row in which next to nothing went on is dimmed. */
void td_out_text_begin_line(const struct td_writer *writer,
			    const struct td_row *row);
void td_out_text_end_line(const struct td_writer *writer,
			  const struct td_row *row);
/*
 * Where next to nothing went on, nothing is marked; of regions nothing that is over its
 * threshold by less than its error.
 */
bool td_out_is_over(const struct td_row *row, const struct td_cell *cell);
/* Of intervals: no task ran on this kind of core, but on another one. */
bool td_out_is_left_out(const struct td_report *report,
			const struct td_row *row);
/* A value that cannot be is not marked either. */
bool td_out_is_marked(const struct td_row *row, const struct td_cell *cell);
/*
 * Stands behind a value in a table: '?' if it cannot be, '*' if it is over its
 * threshold, '~' if it is lost in a correction; 0: nothing.
 */
char td_out_table_mark(const struct td_row *row, const struct td_cell *cell);

/* text_narrow.c: other is set if the columns are not those of the last header */
void td_out_text_narrow(struct td_writer *writer,
			const struct td_report *report, bool other);

/* text_heading.c, too */
void td_out_text_title(struct td_writer *writer);
/* Starts a line of an interval: time, id, PMU.  Returns the columns used. */
int td_out_text_start(const struct td_writer *writer, uint64_t time_ns,
		      const struct td_row *row);
/* The header of these columns. */
void td_out_text_start_header(const struct td_writer *writer);
/*
 * A blank, and a name in so many columns; of one that is too long its end, where
 * paths and names of C++ differ.
 */
void td_out_text_id(FILE *fp, int width, const char *id);

/* The facts of rows: a header, and those of a row; shown: td_facts_shown(). */
void td_out_text_facts_header(FILE *fp, unsigned int shown);
void td_out_text_facts(FILE *fp, unsigned int shown, const struct td_row *row);

/* sheet.c: one field, one object, one number */
struct json_object;
void td_out_csv_field(const struct td_writer *writer, const char *text);
/* Prints the object on a line of its own and frees it. */
void td_out_json_line(struct td_writer *writer, struct json_object *line);
struct json_object *td_out_json_percent(double value);
struct json_object *td_out_json_number(double value);

/* A header, if there was none before, and a line for each row. */
void td_out_csv_sheet(struct td_writer *writer, const struct td_sheet *sheet);
/* An object for each row. */
void td_out_json_sheet(struct td_writer *writer, const struct td_sheet *sheet);

/* Parts of lines: each name, or cell of a row, with a separator before it. */
void td_out_csv_names(const struct td_writer *writer,
		      const struct td_sheet_column *columns, size_t nr);
void td_out_csv_cells(const struct td_writer *writer,
		      const struct td_sheet_column *columns, size_t nr,
		      const void *row);
/* Adds a row's cells to an object. */
void td_out_json_cells(struct json_object *to,
		       const struct td_sheet_column *columns, size_t nr,
		       const void *row);

/* sheet_where.c: what rows of regions have besides */
void td_out_csv_region_names(const struct td_writer *writer);
void td_out_csv_region(const struct td_writer *writer,
		       const struct td_region_facts *of);
/* Do they have a column of this name?  It is not to stand there twice. */
bool td_out_is_of_regions(const char *key);
void td_out_json_region(struct json_object *to,
			const struct td_region_facts *of);

/*
 * Opens a file for results.  Its old content is kept until td_out_empty(), or
 * for good if append is set.  NULL on error.
 */
FILE *td_out_open(const char *name, bool append, struct td_err *err);
bool td_out_has_content(FILE *fp);
void td_out_empty(FILE *fp);
/*
 * Flushes.  An error, with name, if anything could not be written so far; it
 * also tells whether the reader of a pipe has gone.
 */
int td_out_check(FILE *fp, const char *name, struct td_err *err);
/* Writes all at once, so that an error has its reason.  0 or an error, with name. */
int td_out_put(FILE *fp, const char *name, const void *bytes, size_t size,
	       struct td_err *err);

/* True unless the row is of "all". */
bool td_out_has_id(const struct td_event_row *row);
/* The text in place of a value, or NULL if there is a value. */
const char *td_out_missing(enum td_status status);

/* Formats a number for all formats; never "-0.0". */
const char *td_out_format(char buf[64], int decimals, double value);
void td_out_number(FILE *fp, int width, int decimals, double value);
/* A formatted number in groups of three digits: 1,234,567.5 */
void td_out_grouped(FILE *fp, int width, const char *number);
/* For people: a number in such groups, unless the user wants none. */
void td_out_count(const struct td_writer *writer, int width, int decimals,
		  double value);

/* Who reads a metric's value, which decides how many digits it has. */
enum td_reader {
	TD_READER_HUMAN, /* percentages: 1 decimal; else 4 significant digits */
	TD_READER_SCRIPT, /* 2 decimals; 6 significant digits */
};

/* The largest double has 309 digits before its point. */
#define TD_VALUE_SIZE 320

/*
 * Formats a value in its column's unit, without an exponent.  What is not a
 * percentage has two decimals, or more if it is small.
 */
const char *td_out_value(char buf[TD_VALUE_SIZE],
			 const struct td_column *column, double value,
			 enum td_reader reader);
/*
 * For people: the error of a value, rounded up to the value's digits; "?" if the
 * value may be any share.
 */
const char *td_out_error(char buf[TD_VALUE_SIZE],
			 const struct td_column *column, double value,
			 double error);
/* The length of a value's fraction, with its point. */
int td_out_part(const char *value);

/* "range"; NULL if the value fits. */
const char *td_out_misfit_word(enum td_misfit misfit);
/* What stands behind the value's name in a tree: "  ?"; "" if it fits. */
const char *td_out_misfit_mark(enum td_misfit misfit);

/* Notes a cell of a tree, as it is shown. */
void td_out_marks_add_node(struct td_marks *marks, const struct td_cell *cell);
/* The same of a table, in which only one mark is behind a value. */
void td_out_marks_add(struct td_marks *marks, const struct td_row *row,
		      const struct td_cell *cell);
/* A line of a legend, or more if it is too long for one. */
void td_out_legend_put(const struct td_writer *writer, const char *start,
		       const char *text);
/* Says what the marks mean that were shown, each in a line that begins so. */
void td_out_marks_put(const struct td_writer *writer,
		      const struct td_marks *marks, const char *start);

struct td_limits;
/*
 * ci.c: writes a test case for each limit.  why: what went wrong besides, or why
 * nothing was compared; NULL: nothing did.
 */
void td_out_junit(FILE *fp, const struct td_limits *limits, const char *why);

#endif
