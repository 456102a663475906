/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_RUN_CONTROL_H
#define TD_CMD_RUN_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

/*
 * The two ends of --control: commands come in, a line each, and "ack" goes
 * out.  A line ends with a newline or a NUL, and may come in pieces.
 */

#define TD_CONTROL_MAX 4096 /* bytes of a line; more than that is no command */

enum td_control_word {
	TD_CONTROL_ENABLE,  /* argument: an event's name, or none */
	TD_CONTROL_DISABLE, /* the same */
	TD_CONTROL_EVLIST,  /* argument: -v, -g, -F or none */
	TD_CONTROL_PING,
	TD_CONTROL_STOP,
	TD_CONTROL_SNAPSHOT,
	TD_CONTROL_UNKNOWN, /* another word, or an argument that it has not */
};

/* The strings are the control's, until the next call with it. */
struct td_control_request {
	enum td_control_word word;
	const char *argument; /* never empty; NULL: none */
	/* All of it as it came (td_is_text()?); the start of one too long. */
	const char *line;
};

struct td_control {
	int fd;  /* to poll() for POLLIN; -1: none, or none any more */
	int ack; /* -1: none */
	bool close_them;
	bool skipping;   /* to the end of a line that was too long */
	size_t from, to; /* what of buf is still to be looked at */
	char buf[TD_CONTROL_MAX + 2];
};

#define TD_CONTROL_NONE ((struct td_control){ .fd = -1, .ack = -1 })

/*
 * text is "fd:CTL[,ACK]", descriptors that we have inherited, as
 * the command does, which may be who commands, or "fifo:CTL[,ACK]", paths.  A bad form is the caller's (usage), all else is not.  After
 * an error *control is TD_CONTROL_NONE.
 */
int td_control_open(struct td_control *control, const char *text,
		    struct td_err *err);
/*
 * poll() has returned anything for control->fd: one read(), which does not
 * block then.  Behind the end of file, which is no error, and behind an error
 * fd is -1.  Call td_control_next() until there is none, each time.
 */
int td_control_read(struct td_control *control, struct td_err *err);
/* The next whole line that is not empty; false: none yet. */
bool td_control_next(struct td_control *control,
		     struct td_control_request *request);
/* Does perf answer it? */
bool td_control_is_acked(enum td_control_word word);
/*
 * Answers, if there is somebody to answer to; never blocks.  -EPIPE: there is
 * no reader any more, -EAGAIN: it does not read.  SIGPIPE must be ignored.
 */
int td_control_ack(struct td_control *control);
/* Closes what was opened, not what was inherited; a zeroed one is fine. */
void td_control_close(struct td_control *control);

#endif
