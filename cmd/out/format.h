/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_FORMAT_H
#define TD_CMD_OUT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The formats of results: indices of the table in writers.c.  Only a format that
 * other code refers to needs a name here.
 */
enum td_format_kind {
	TD_FORMAT_TEXT,
	TD_FORMAT_CSV,
	TD_FORMAT_JSON,
	TD_FORMAT_HTML,
	TD_FORMAT_SVG,
	TD_FORMAT_MARKDOWN,
	TD_FORMAT_PERFETTO,
};

struct td_advice;
struct td_diff;
struct td_event_report;
struct td_report;
struct td_sheet;
struct td_usage;
struct td_where;
struct td_writer;

/*
 * A format.  Its writer gets finished reports, computes nothing and cannot
 * fail; the caller checks the stream.
 */
struct td_out {
	/* Of the command line: */
	const char *option, *letter; /* "--json-output", "-j"; NULL: none */
	const char *arg;             /* the separator, a file; NULL: none */
	const char *help;
	bool for_people; /* has titles and, in a file, a line with the date */
	bool one_header; /* for the whole file, also if results are appended */
	bool own_file;   /* arg is the name of the file */
	bool tells;      /* begins with its head unless it is not wanted */
	bool whole;      /* has the sum of all intervals and the verdict */
	/* Writes who counted what and where; NULL: this format has no place. */
	void (*head)(struct td_writer *writer);
	/* Writes what stands before rows of these columns; NULL: nothing. */
	void (*header)(struct td_writer *writer,
		       const struct td_report *report);
	void (*report)(struct td_writer *writer,
		       const struct td_report *report);
	/* Writes the verdict behind its report; NULL: this format has none. */
	void (*verdict)(struct td_writer *writer,
			const struct td_report *report,
			const struct td_advice *advice);
	/*
	 * Writes counts instead of metrics; a run has one or the other.  NULL, as
	 * for the next two: this format cannot show them.
	 */
	void (*events)(struct td_writer *writer,
		       const struct td_event_report *report);
	/* Writes where events were sampled. */
	void (*where)(struct td_writer *writer, const struct td_where *where);
	/* Writes the stacks behind a report of functions; NULL: has no place. */
	void (*stacks)(struct td_writer *writer, const struct td_where *where);
	/* Writes how two sides of recordings differ. */
	void (*diff)(struct td_writer *writer, const struct td_diff *diff);
	/* Writes any of these that has no function of its own as a table. */
	void (*sheet)(struct td_writer *writer, const struct td_sheet *sheet);
	/* Writes the end of a run; NULL: nothing. */
	void (*end)(struct td_writer *writer, const struct td_usage *usage);
	/* Writes the end of the file, and frees; NULL: nothing. */
	void (*close)(struct td_writer *writer);
};

/* writers.c */
size_t td_nr_formats(void);
const struct td_out *td_out_find(enum td_format_kind format);
/* "-j" or "--json-output", as messages name it. */
const char *td_out_option(enum td_format_kind format);

/* The rows of the table in writers.c: ci.c */
extern const struct td_out td_out_markdown;
/* text.c, csv.c, json.c, perfetto.c */
extern const struct td_out td_out_text, td_out_csv, td_out_json,
	td_out_perfetto;
/* page/html.c, page/svg.c */
extern const struct td_out td_out_html, td_out_svg;

#endif
