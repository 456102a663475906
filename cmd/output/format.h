/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

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
	TD_NR_NAMED_FORMATS,
};

struct td_advice;
struct td_diff;
struct td_event_report;
struct td_report;
struct td_sheet;
struct td_usage;
struct td_where;
struct td_writer;

/* A format.  Writers get finished reports, and cannot fail; the caller checks the stream. */
struct td_out {
	const char *option, *letter; /* "--json-output", "-j"; NULL: none */
	const char *arg;             /* the separator, a file; NULL: none */
	const char *help;
	bool for_people;       /* has titles and, in a file, a line with the date */
	bool one_header;       /* one header per file, even if results are appended */
	bool own_file;         /* arg is the name of the file */
	bool begins_with_head; /* begins with the header unless --no-head is given */
	bool whole;            /* includes the total of all intervals and the verdict */
	/* Writes the header with command, host and versions; NULL: not in this format. */
	void (*head)(struct td_writer *writer);
	/* Writes the header of rows with these columns; NULL: none. */
	void (*header)(struct td_writer *writer, const struct td_report *report);
	void (*report)(struct td_writer *writer, const struct td_report *report);
	/* Writes the verdict after its report; NULL: not in this format. */
	void (*verdict)(struct td_writer *writer, const struct td_report *report,
			const struct td_advice *advice);
	/*
	 * Writes counts instead of metrics; a run has only one of them.  NULL: this format cannot
	 * show them, as for the following functions.
	 */
	void (*events)(struct td_writer *writer, const struct td_event_report *report);
	/* Writes the functions in which events were sampled. */
	void (*where)(struct td_writer *writer, const struct td_where *where);
	/* Writes the stacks after a report of functions. */
	void (*stacks)(struct td_writer *writer, const struct td_where *where);
	/* Writes the differences of two sides. */
	void (*diff)(struct td_writer *writer, const struct td_diff *diff);
	/* Writes results without their own function as a table. */
	void (*sheet)(struct td_writer *writer, const struct td_sheet *sheet);
	/* Writes the end of a run; NULL: nothing. */
	void (*end)(struct td_writer *writer, const struct td_usage *usage);
	/* Writes the end of the file, and frees; NULL: nothing. */
	void (*close)(struct td_writer *writer);
};

/* writers.c */
size_t td_nr_formats(void);
/* Returns NULL for a format of a wing that is not in the build. */
const struct td_out *td_out_find(enum td_format_kind format);
/* Return the name in messages, "-j" or "--json-output"; NULL like td_out_find(). */
const char *td_out_option(enum td_format_kind format);

/* The rows of the table in writers.c: ci.c, text.c, sheet.c, json.c */
extern const struct td_out td_out_markdown, td_out_text, td_out_csv, td_out_json;
