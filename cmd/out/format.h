/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_FORMAT_H
#define TD_CMD_OUT_FORMAT_H

#include <stdbool.h>

/*
 * The forms of results: an index of the table in writers.c.  Only those that
 * the code asks for have a name here.
 */
enum td_format_kind {
	TD_FORMAT_TEXT,
	TD_FORMAT_CSV,
	TD_FORMAT_JSON,
};

struct td_event_report;
struct td_report;
struct td_usage;
struct td_writer;

/*
 * All that there is to know of one form.  A writer sees finished reports: it
 * computes nothing, and cannot fail.  Who calls it checks the stream.
 */
struct td_out {
	/* Of the command line: */
	const char *option, *letter; /* "--json-output", "-j"; NULL: none */
	const char *arg;             /* the separator; NULL: none */
	const char *help;
	bool for_people; /* with titles, and the line that says when */
	bool one_header; /* for all that comes, also for what is appended */
	void (*report)(struct td_writer *writer,
		       const struct td_report *report);
	/* Counts instead of metrics; a run shows either. */
	void (*events)(struct td_writer *writer,
		       const struct td_event_report *report);
	/* A run is over; NULL: nothing is to be written. */
	void (*end)(struct td_writer *writer, const struct td_usage *usage);
};

#endif
