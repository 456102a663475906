/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VIEW_SINK_H
#define TD_CMD_VIEW_SINK_H

#include "cmd/out/format.h"
#include "cmd/out/out.h"
#include "cmd/request.h"

/* The stream of results, with the writer of its format. */
struct td_sink {
	struct td_frame frame;
	struct td_writer writer;
	bool unseen;      /* a viewer has what the stream loses: set before */
	bool to_file;     /* we close the stream */
	bool named;       /* by -o: it can be opened again */
	bool terminal;    /* it is one */
	bool is_new;      /* empty the file first */
	bool appends;     /* --append */
	bool with_date;   /* a new file begins with a line that has the date */
	bool with_head;   /* and with the head */
	bool begun;       /* what comes before the first result was written */
	bool waits;       /* say that ^C ends counting */
	bool attached;    /* and that the end of the tasks does, too */
	const char *name; /* of the stream, for errors */
};

/*
 * Opens request->show.output unless it is the name of the recording.  Otherwise results
 * go to standard error if a command runs, else to standard output.
 */
int td_sink_open(struct td_sink *sink, const struct td_request *request,
		 const struct td_frame *frame, struct td_err *err);
/* Empties the file and writes what comes before the first result. */
int td_sink_begin(struct td_sink *sink, struct td_err *err);
/* Asks a terminal for the size of its window, which its user may change. */
void td_sink_measure(struct td_sink *sink);
/*
 * After SIGHUP: if the name of -o has another file by now, or none, goes on in that.
 * An error leaves all as it was.
 */
int td_sink_reopen(struct td_sink *sink, struct td_err *err);
/* Flushes; an error if anything was not written. */
int td_sink_check(struct td_sink *sink, struct td_err *err);
/* An error if anything was not written.  May be called twice. */
int td_sink_close(struct td_sink *sink, struct td_err *err);
/*
 * Flushes and closes, if it is open.  rc tells what went wrong before, which comes
 * before what goes wrong now.
 */
int td_sink_end(struct td_sink *sink, int rc, struct td_err *err);

/*
 * With --append, an error if the file of an open sink begins otherwise than these
 * rows would: a reader finds columns by the first header.  columns: of rows of
 * metrics; sheet: of other rows; both NULL: of events as perf stat has them, which
 * have no header.  A file that cannot be read is taken as it is.
 */
int td_append_check(struct td_sink *sink, const struct td_report *columns,
		    const struct td_sheet *sheet, struct td_err *err);

#endif
