/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/out/page: results as one HTML page, or as a picture in SVG.
 *
 * In: finished reports.
 * Out: a page that needs nothing else: tables and pictures that stand without
 * scripts, and the rows over time as JSON for the script (page.js).
 */
#ifndef TD_CMD_OUT_PAGE_PARTS_H
#define TD_CMD_OUT_PAGE_PARTS_H

#include "cmd/out/out.h"
#include "cmd/out/page/picture.h"

/* head.c */
/* Begins a page, or ends it. */
void td_page_begin(FILE *fp, const char *title);
void td_page_end(FILE *fp);
/* What was measured, on what and when. */
void td_page_heading(const struct td_writer *writer);
/* The part of it below the title, with or without what was measured. */
void td_page_put_facts(const struct td_writer *writer, bool with_target);

/* course.c: the rows over time */
/* name: "course" for metrics, "counts" for events */
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

/* rows.c: a table with a line for each of several rows */
void td_page_rows(struct td_writer *writer, const struct td_report *report);

/* durations.c: bars and words of the calls of a timed function, by its index */
void td_page_durations(struct td_writer *writer, const struct td_report *report,
		       size_t timed);

/* diff.c: pages without a tree of one recording */
void td_page_diff(struct td_writer *writer, const struct td_diff *diff);

/* More pictures than this are left out, and their tables are there. */
#define TD_PAGE_PICTURES 32

#endif
