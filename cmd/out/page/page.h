/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/out/page: results as one HTML page, or as a picture in SVG.
 *
 * In: finished reports.
 * Out: a page that needs nothing else: tables and pictures that stand without
 * scripts, and the rows over time as JSON for the script (page.js).
 */
#ifndef TD_CMD_OUT_PAGE_PAGE_H
#define TD_CMD_OUT_PAGE_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/out/out.h"
#include "cmd/out/where.h"

/*
 * Text of other programs in a page.  What is not printable is shown as \x1b; all
 * that is printable is a character of XML.
 */

/* In HTML and XML: between tags, or in an attribute with quotes. */
void td_page_put(FILE *fp, const char *text);
/* A JSON string with its quotes that may stand in a script element. */
void td_page_put_json(FILE *fp, const char *text);
/* A JSON number of six digits; null if there is none. */
void td_page_put_number(FILE *fp, double value);
/*
 * A cell of a table, with the exact value beside the one that is shown, for scripts;
 * empty if there is none.  sign: with a + before what is more than 0.
 */
void td_page_put_cell(FILE *fp, double value, int decimals, bool sign);

/* Begins a page, or ends it. */
void td_page_begin(FILE *fp, const char *title);
void td_page_end(FILE *fp);
/* What was measured, on what and when. */
void td_page_heading(const struct td_writer *writer);
/* The part of it below the title, with or without what was measured. */
void td_page_put_facts(const struct td_writer *writer, bool with_target);

/* rows.c: a table with a line for each of several rows */
void td_page_rows(struct td_writer *writer, const struct td_report *report);
/* The rows over time; name: "course" for metrics, "counts" for events */
void td_page_course_begin(FILE *fp, const char *name);
void td_page_course_add(struct td_writer *writer,
			const struct td_report *report);
void td_page_course_add_events(struct td_writer *writer,
			       const struct td_event_report *report);
void td_page_course_end(FILE *fp);
/* The nodes that the values of a row over time are of. */
void td_page_put_nodes(FILE *fp, const struct td_report *report);

/* tree.c */
/* A row's heading, icicle and table. */
void td_page_tree(struct td_writer *writer, const struct td_report *report,
		  size_t row);
/* "54.0 % of the slots, 12.0 % busy" */
void td_page_put_row_facts(FILE *fp, const struct td_report *report,
			   const struct td_row *row);

/* durations.c: bars and words of the calls of a timed function, by its index */
void td_page_durations(struct td_writer *writer, const struct td_report *report,
		       size_t timed);

/* diff.c: pages without a tree of one recording */
void td_page_diff(struct td_writer *writer, const struct td_diff *diff);

/* More pictures than this are left out, and their tables are there. */
#define TD_PAGE_PICTURES 32

/* flame.c */
/*
 * The stacks of an event as a flame graph: a bar for each function, above the one
 * that called it, as wide as its part of the event's samples.  Nothing if it has
 * none.
 */
void td_flame_put_figure(struct td_writer *writer, const struct td_where *where,
			 const struct td_where_event *event);

#endif
