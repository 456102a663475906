/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "cmd/request.h"

/* The stream of results, with the writer of its format. */
struct td_sink {
	struct td_frame frame;
	struct td_writer writer;
	bool unseen;      /* nothing is written, because a viewer shows the results */
	bool to_file;     /* td_sink_close() closes the stream */
	bool named;       /* the file has the name of -o, and can be opened again */
	bool terminal;    /* the stream is a terminal */
	bool is_new;      /* empty the file first */
	bool appends;     /* --append */
	bool with_date;   /* a new file begins with the date */
	bool with_head;   /* a new file begins with the header */
	bool begun;       /* the beginning was written */
	bool waits;       /* print that ^C ends counting */
	bool attached;    /* print that the end of the tasks ends counting */
	const char *name; /* name of the stream, for errors */
};

/*
 * Open request->show.output, unless it is the name of the recording.  Otherwise results go
 * to standard error if a command runs, else to standard output.
 */
int td_sink_open(struct td_sink *sink, const struct td_request *request,
		 const struct td_frame *frame, struct td_err *err);
/* Empty the file and write the lines before the first result. */
int td_sink_begin(struct td_sink *sink, struct td_err *err);
/* Ask the terminal for the size of its window, which may have changed. */
void td_sink_measure(struct td_sink *sink);
/*
 * Continue in the file that has the name of -o now (after SIGHUP), and create it if it does not
 * exist.  Does nothing if it is the same file.  After an error, the old file continues.
 */
int td_sink_reopen(struct td_sink *sink, struct td_err *err);
/* Flush.  Returns an error if anything was not written. */
int td_sink_check(struct td_sink *sink, struct td_err *err);
/* Close; may be called twice.  Returns an error if anything was not written. */
int td_sink_close(struct td_sink *sink, struct td_err *err);
/* Flush and close, if open.  Returns rc or, if that is 0, an error of writing. */
int td_sink_end(struct td_sink *sink, int rc, struct td_err *err);

/*
 * With --append, return an error if the file of an open sink does not begin like these rows,
 * because readers find columns by the first header.  columns is for rows of metrics, sheet for
 * other rows.  Both are NULL for events as in perf stat, which have no header.  A file that cannot
 * be read is accepted.
 */
int td_append_check(struct td_sink *sink, const struct td_report *columns,
		    const struct td_sheet *sheet, struct td_err *err);
