/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/out: results as text, CSV or JSON.
 *
 * In: finished reports.
 * Out: bytes on a stream.  A writer computes nothing.
 */
#ifndef TD_CMD_OUT_OUT_H
#define TD_CMD_OUT_OUT_H

#include <stdio.h>

#include "cmd/out/format.h"
#include "cmd/out/frame.h"
#include "lib/base/err.h"
#include "lib/count/report.h"

/* A table of more columns is no table: so many fit 150 characters. */
#define TD_MAX_COLUMNS 15

struct td_writer {
	const struct td_out *out;
	FILE *fp;
	const struct td_frame *frame;
	const char *separator; /* CSV */
	unsigned int lines;    /* text: since the header */
	/* text: each column's longest fraction so far, with its point */
	int parts[TD_MAX_COLUMNS];
	bool header_done;
	bool summary; /* of all intervals, not one of them */
};

/* text_events.c, csv_events.c, json_events.c */
void td_out_text_events(struct td_writer *writer,
			const struct td_event_report *report);
void td_out_csv_events(struct td_writer *writer,
		       const struct td_event_report *report);
void td_out_json_events(struct td_writer *writer,
			const struct td_event_report *report);

/* text_tree.c */
void td_out_text_tree(const struct td_writer *writer,
		      const struct td_report *report, const struct td_row *row);

/* text_start.c */
void td_out_text_title(struct td_writer *writer);
/* What an interval's lines begin with: time, id, PMU.  Returns the columns. */
int td_out_text_start(const struct td_writer *writer, uint64_t time_ns,
		      const struct td_row *row);
/* The header of that. */
void td_out_text_start_header(const struct td_writer *writer);

/* csv_field.c, json_number.c */
struct json_object;
void td_out_csv_field(const struct td_writer *writer, const char *text);
struct json_object *td_out_json_seconds(uint64_t ns);
struct json_object *td_out_json_percent(double value);

/*
 * For results: what a file holds stays until td_out_empty(), or for ever if it
 * is appended to.  NULL: err says why.
 */
FILE *td_out_open(const char *name, bool append, struct td_err *err);
bool td_out_has_content(FILE *fp);
void td_out_empty(FILE *fp);
/*
 * Flushes; what could not be written by now is an error that says name, and
 * whether it is a pipe that nobody reads any more.
 */
int td_out_check(FILE *fp, const char *name, struct td_err *err);

/* A number as all formats write it: never -0.0. */
const char *td_out_format(char buf[64], int decimals, double value);
void td_out_number(FILE *fp, int width, int decimals, double value);

/* Who is to read a metric's value, which says how exact it is. */
enum td_reader {
	TD_READER_HUMAN, /* percentages: 1 decimal; else 4 significant digits */
	TD_READER_SCRIPT, /* 2 decimals; 6 significant digits */
};

/* The largest double has 309 digits before its point. */
#define TD_VALUE_SIZE 320

/*
 * A value in the unit of its column, without an exponent.  What is no
 * percentage has two decimals, and more where the digits need them.
 */
const char *td_out_value(char buf[TD_VALUE_SIZE],
			 const struct td_column *column, double value,
			 enum td_reader reader);
/* How much of a value is its point and what stands behind it. */
int td_out_part(const char *value);

#endif
