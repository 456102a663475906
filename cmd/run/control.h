/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_CONTROL_H
#define TD_CMD_RUN_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

/*
 * The --control option: commands come in, one on each line, and "ack" goes
 * out.  A line ends with a newline or a NUL, and may come in pieces.
 */

/* bytes of a line; a longer one is an unknown command */
#define TD_CONTROL_MAX 4096

enum td_control_word {
	TD_CONTROL_ENABLE,  /* argument: an event's name, or none */
	TD_CONTROL_DISABLE, /* likewise */
	TD_CONTROL_EVLIST,  /* argument: -v, -g, -F or none */
	TD_CONTROL_PING,
	TD_CONTROL_STOP,
	TD_CONTROL_SNAPSHOT,
	TD_CONTROL_UNKNOWN, /* an unknown word, or a wrong argument */
};

/* A command.  The strings are valid until the next call with this control. */
struct td_control_request {
	enum td_control_word word;
	const char *argument; /* not empty; NULL if there is none */
	/* The whole line (may be unprintable), or the start of a long one. */
	const char *line;
};

struct td_control {
	int fd;  /* poll it for POLLIN; -1: none, or closed */
	int ack; /* or -1 */
	bool close_them;
	bool skipping;   /* until the end of a line that is too long */
	size_t from, to; /* range of buf that is not parsed yet */
	char buf[TD_CONTROL_MAX + 2];
};

#define TD_CONTROL_NONE ((struct td_control){ .fd = -1, .ack = -1 })

/*
 * Opens "fd:CTL[,ACK]", inherited descriptors, or "fifo:CTL[,ACK]", paths.  The
 * command inherits the descriptors, too, so it can send commands.  A wrong form
 * is a usage error.  After an error, *control is TD_CONTROL_NONE.
 */
int td_control_open(struct td_control *control, const char *text,
		    struct td_err *err);
/*
 * Reads once; call it when poll() reports anything for control->fd, so that it
 * does not block.  At the end of file, which is no error, and after an error fd
 * becomes -1.  Call td_control_next() afterwards until it returns false.
 */
int td_control_read(struct td_control *control, struct td_err *err);
/* Returns the next line that is not empty, or false. */
bool td_control_next(struct td_control *control,
		     struct td_control_request *request);
/* True if perf answers this command. */
bool td_control_is_acked(enum td_control_word word);
/*
 * Answers, if there is an ack descriptor; never blocks. -EPIPE if the reader
 * has gone, -EAGAIN if it does not read.  SIGPIPE must be ignored.
 */
int td_control_ack(struct td_control *control);
/* Closes opened fifos, but not inherited descriptors. */
void td_control_close(struct td_control *control);

#endif
