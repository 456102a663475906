/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/output: results as text, CSV, JSON or Markdown.
 *
 * In: finished reports.
 * Out: bytes on a stream.  Writers do not compute.
 */
#pragma once

#include "cmd/output/columns.h"
#include "cmd/output/format.h"
#include "cmd/output/frame.h"
#include "cmd/output/table.h"
#include "lib/count/regions.h"
#include "lib/count/report.h"
#include "metrics/diff/diff.h"

struct td_writer {
	const struct td_out *out;
	FILE *fp;
	const struct td_frame *frame;
	const char *separator;      /* CSV */
	unsigned int lines;         /* text: lines since the header */
	int widths[TD_MAX_COLUMNS]; /* text: widths of the header's columns */
	int parts[TD_MAX_COLUMNS];  /* text: longest fraction so far per column, with point */
	struct td_table table;      /* text: the previous interval */
	/* text: the marks in trees and tables of all intervals, for the legend */
	struct td_marks {
		unsigned int misfits; /* bits of enum td_misfit: ? and ~ */
		bool same_slices;     /* some nodes were measured together with their parents */
		bool over;            /* '*': some value is above its threshold */
		bool any;             /* '±?': some error includes any share */
		bool errors;          /* some value has an error */
		bool no_error;        /* some value has no error */
		bool in_step;         /* some value has none because of td_report.in_step */
		bool missing;         /* '-': some value is missing */
		bool errata;          /* '!': some event has errata */
		const char *why;      /* reason for missing values; NULL: unknown */
	} marks;
	struct td_tracks *tracks; /* trace: the tracks so far, owned */
	bool header_done;
	bool absent_noted;    /* text: the note about missing rows was written */
	bool summary;         /* the results are the summary of all intervals */
	bool page_begun;      /* HTML: the page has begun */
	bool timeline_done;   /* HTML: the rows over time have ended */
	uint64_t timeline_ns; /* HTML: end of the last row over time */
	/* SVG: the chart so far, owned; the height precedes it in the file */
	FILE *drawing;
	char *drawn;
	size_t drawn_size;
};

/*
 * sheet.c: the header with command, host and versions.  Columns and keys of rows are
 * only added; any other change increments this number.
 */
#define TD_ROWS_VERSION 1
void td_out_json_head(struct td_writer *writer);

/* sheet.c: sampled functions, and their columns */
struct td_sheet td_out_where_sheet(void);
void td_out_json_where(struct td_writer *writer, const struct td_where *where);

/*
 * diff.c: returns the result as a sentence, and the advice to use more runs (NULL: there are
 * enough).  The caller frees both.
 */
char *td_out_diff_sentence(const struct td_diff *diff);
char *td_out_diff_advice(const struct td_diff *diff);
/* text_diff.c */
void td_out_text_diff(struct td_writer *writer, const struct td_diff *diff);
/* Return the table of differences. */
struct td_sheet td_out_diff_sheet(void);
/* Write the differences in the writer's format, or as a table. */
void td_out_put_diff(struct td_writer *writer, const struct td_diff *diff);
/* Return the number of decimals of a row's values. */
int td_out_diff_row_decimals(const struct td_diff_row *row);
/* Are the row's values shares, with differences in points? */
bool td_out_diff_is_percent(const struct td_diff_row *row);
/* Put ", 5 runs" or " and 2 more" after the name of a side. */
void td_out_diff_put_number(FILE *fp, const struct td_diff_side *side);
/* Does the mark belong only to the slots, because the points are 0.00? */
bool td_out_diff_marks_slots(const struct td_diff_row *row);
/* Are slots shown?  Slots per slot would repeat the points. */
bool td_out_diff_has_slots(const struct td_diff *diff);
/* Return the number of rows with a property. */
size_t td_out_diff_count(const struct td_diff *diff,
			 bool (*has)(const struct td_diff *diff, const struct td_diff_row *row));
/* Return the meaning of the mark; NULL: no row has it.  The caller frees it. */
char *td_out_diff_mark(const struct td_diff *diff);

/* text_heading.c: limit the CPU time of one thread to 100 % */
double td_out_of_a_cpu(double busy_pct);
/* text_tree.c */
void td_out_text_tree(const struct td_writer *writer, const struct td_report *report,
		      const struct td_row *row);

/* text_verdict.c */
void td_out_text_verdict(struct td_writer *writer, const struct td_report *report,
			 const struct td_advice *advice);
/* text_regions.c: the table of regions */
void td_out_text_regions(const struct td_writer *writer, const struct td_report *report);
/* text_calls.c: put the line above, or the lines below, the table of a function with timed calls */
void td_out_text_quantiles(const struct td_writer *writer, const struct td_timed *timed);
void td_out_text_slow(const struct td_writer *writer, const struct td_report *report, size_t at);
#define TD_ALL_PCT 99.95 /* larger percentages are printed as 100.0 */

/* text_heading.c: does the core type have so few slots that its tree is not shown? */
bool td_out_is_slight(const struct td_writer *writer, const struct td_row *row);
/* Put the heading of a row's tree.  status is td_out_row_status() of the row. */
void td_out_text_heading(const struct td_writer *writer, const struct td_report *report,
			 const struct td_row *row, enum td_status status);
/* Return the best status of a row's cells. */
enum td_status td_out_row_status(const struct td_row *row);
/*
 * Add the reason of a missing value to the reason of the previous ones, which may be NULL.
 * Different reasons become a reference to -v.
 */
const char *td_out_add_reason(const char *why, const struct td_cell *cell);
/* Begin and end a line, which is dimmed if the row was almost idle. */
void td_out_text_begin_line(const struct td_writer *writer, const struct td_row *row);
void td_out_text_end_line(const struct td_writer *writer, const struct td_row *row);
/*
 * Is the value above its threshold, in regions by more than its error?  Rows that were
 * almost idle have no marks.
 */
bool td_out_is_over(const struct td_row *row, const struct td_cell *cell);
/* Is the value above its threshold and possible? */
bool td_out_is_marked(const struct td_row *row, const struct td_cell *cell);
/*
 * Return the mark after a value: '?' if it is impossible, '*' if it is above its
 * threshold, '~' if it may be 0 because of a correction; 0: none.
 */
char td_out_table_mark(const struct td_row *row, const struct td_cell *cell);

void td_out_text_title(struct td_writer *writer);
/* Begin a line of an interval with time, id and PMU.  Returns the columns used. */
int td_out_text_start(const struct td_writer *writer, uint64_t time_ns, const struct td_row *row);
/* Put a blank and a name, cut to its end, where paths and names of C++ differ. */
void td_out_text_id(FILE *fp, int width, const char *id);

/* Put the header of facts, or the facts of a row; shown is from td_facts_shown(). */
void td_out_text_facts_header(FILE *fp, unsigned int shown);
void td_out_text_facts(struct td_writer *writer, unsigned int shown, const struct td_row *row);

/* sheet.c: fields, objects, numbers */
struct json_object;
/* Print the object on a line and free it. */
void td_out_json_line(struct td_writer *writer, struct json_object *line);
struct json_object *td_out_json_percent(double value);
struct json_object *td_out_json_number(double value);

/* Put an object per row. */
void td_out_json_sheet(struct td_writer *writer, const struct td_sheet *sheet);

/* Add a row's cells to an object. */
void td_out_json_cells(struct json_object *to, const struct td_sheet_column *columns, size_t nr,
		       const void *row);

/* Do regions have a column with this name? */
bool td_out_is_of_regions(const char *key);
void td_out_json_region(struct json_object *to, const struct td_region_facts *of);

/*
 * Open a file for results.  td_out_empty() truncates it unless append is set.  Returns
 * NULL on error.
 */
FILE *td_out_open(const char *name, bool append, struct td_err *err);
bool td_out_has_content(FILE *fp);
void td_out_empty(FILE *fp);
/*
 * Flush.  Returns an error with the name if anything could not be written so far; see
 * also err->reader_gone.
 */
int td_out_check(FILE *fp, const char *name, struct td_err *err);
/* Write and flush, so that an error has its reason.  Returns 0 or an error with the name. */
int td_out_put(FILE *fp, const char *name, const void *bytes, size_t size, struct td_err *err);

/* Does the row have an id other than "all"? */
bool td_out_has_id(const struct td_event_row *row);
/* Return the text that replaces a value, or NULL if there is a value. */
const char *td_out_missing(enum td_status status);

/* Format a number, never as "-0.0". */
const char *td_out_format(char buf[64], int decimals, double value);
void td_out_number(FILE *fp, int width, int decimals, double value);
/* Put a formatted number in groups of three digits: 1,234,567.5 */
void td_out_grouped(FILE *fp, int width, const char *number);
/* Put a number in groups of three digits, unless --no-big-num is given. */
void td_out_count(const struct td_writer *writer, int width, int decimals, double value);

/* Kind of reader of a metric's value, on which its digits depend. */
enum td_reader {
	TD_READER_HUMAN,  /* percentages: 1 decimal; else 4 significant digits */
	TD_READER_SCRIPT, /* 2 decimals; 6 significant digits */
};

/* The largest double has 309 digits before its point. */
#define TD_VALUE_SIZE 320

/*
 * Format a value in its column's unit, without an exponent.  Values that are not
 * percentages have two decimals, or more if they are small.
 */
const char *td_out_value(char buf[TD_VALUE_SIZE], const struct td_column *column, double value,
			 enum td_reader reader);
/* Format the error of a value, rounded up to its digits; "?" if any share is possible. */
const char *td_out_error(char buf[TD_VALUE_SIZE], const struct td_column *column, double value,
			 double error);
/* Return the length of a value's fraction, with its point. */
int td_out_part(const char *value);

/* Return the word for JSON, such as "range"; NULL: the value is possible. */
const char *td_out_misfit_word(enum td_misfit misfit);

/* Add the mark of a node of a tree. */
void td_out_marks_add_node(struct td_marks *marks, const struct td_cell *cell);
/* Add the mark of a cell of a table; a cell has at most one mark. */
void td_out_marks_add(struct td_marks *marks, const struct td_row *row, const struct td_cell *cell);
/* Put a line of a legend, wrapped if it is too long. */
void td_out_legend_put(const struct td_writer *writer, const char *start, const char *text);
/* Explain the marks, each in a line that begins with start. */
void td_out_marks_put(const struct td_writer *writer, const struct td_marks *marks,
		      const char *start);

struct td_limits;
/* ci.c: write a test case per limit.  why: why nothing could be compared; NULL: it could. */
void td_out_junit(FILE *fp, const struct td_limits *limits, const char *why);
