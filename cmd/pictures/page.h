/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/pictures: results as an HTML page, as SVG, as a trace, and stacks as files.
 *
 * In: finished reports.
 * Out: for example a page without external files: tables and charts that need no
 * script, and the rows over time as JSON for the script (page.js).
 */
#pragma once

#include "cmd/output/out.h"
#include "cmd/output/where.h"

/* Write a text, escaped, between two pieces of markup. */
void td_page_put(FILE *fp, const char *before, const char *text, const char *after);
/* Write a JSON string in quotes, for a script element; escape bytes as \x1b. */
void td_page_put_json(FILE *fp, const char *text);
/* Write a JSON number with six digits; null if it is not finite. */
void td_page_put_number(FILE *fp, double value);
/*
 * Write a cell of a table with a value, and the exact value for scripts; empty if it
 * is NaN.  sign: with a + before positive values.
 */
void td_page_put_cell(FILE *fp, double value, int decimals, bool sign);

void td_page_begin(FILE *fp, const char *title);
void td_page_end(FILE *fp);
/* Write the target of the counting as text. */
void td_page_put_target(FILE *fp, const struct td_frame *frame);
/* Write the target, machine and time of the measurement. */
void td_page_heading(const struct td_writer *writer);
/* Write the facts below the title.  with_target: including the target. */
void td_page_put_facts(const struct td_writer *writer, bool with_target);

/* Return the nodes of a row in the order of the tree. */
const struct td_node *td_page_nodes(const struct td_row *row);
/* Write a table with a line per row. */
void td_page_rows(struct td_writer *writer, const struct td_report *report);
/* Write rows over time, for the script; name: "course" for metrics, "counts" for events. */
void td_page_timeline_begin(FILE *fp, const char *name);
void td_page_timeline_add(struct td_writer *writer, const struct td_report *report);
void td_page_timeline_add_events(struct td_writer *writer, const struct td_event_report *report);
void td_page_timeline_end(FILE *fp);
/* Write the nodes whose values are in the rows over time. */
void td_page_put_nodes(FILE *fp, const struct td_report *report);

/* Write a row's heading, icicle and table. */
void td_page_tree(struct td_writer *writer, const struct td_report *report, size_t row);

/* The maximum number of charts; further rows have only tables. */
#define TD_PAGE_CHARTS 32

/*
 * flame.c: write the stacks of an event, if any, as a flame graph.  Each function has a bar above
 * its caller, whose width is its share of the samples.
 */
void td_flame_put_figure(struct td_writer *writer, const struct td_where *where,
			 const struct td_where_event *event);

/* --- files of stacks: write() of struct td_stack_kind ---------------------- */

/* stacks.c: lines for flamegraph.pl, speedscope and others */
void td_folded_write(FILE *fp, const char *name, const struct td_where *where,
		     const struct td_frame *frame);
/* stacks.c: profile.proto in gzip, after td_gzip_load() */
void td_pprof_write(FILE *fp, const char *name, const struct td_where *where,
		    const struct td_frame *frame);
/* html.c: a page with flame graphs, or SVG if name ends in ".svg" */
void td_flame_write(FILE *fp, const char *name, const struct td_where *where,
		    const struct td_frame *frame);
/* flame.c: the graphs as SVG */
void td_flame_write_svg(FILE *fp, const struct td_where *where);

extern const struct td_out td_out_html, td_out_svg, td_out_perfetto;
