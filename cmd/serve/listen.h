/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SERVE_LISTEN_H
#define TD_CMD_SERVE_LISTEN_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/err.h"

#define TD_LISTEN_DEFAULT "127.0.0.1:9878"
#define TD_LISTEN_NAME    320

/* A socket that waits for connections. */
struct td_listener {
	int fd;           /* -1: none */
	const char *path; /* of a unix socket that we made; NULL: none */
	dev_t dev;        /* which file that is */
	ino_t ino;
};

#define TD_LISTENER_NONE ((struct td_listener){ .fd = -1 })

/*
 * Opens where, "ADDR:PORT", "[ADDR]:PORT" or "unix:PATH".  If it is NULL: the
 * socket that systemd hands over (LISTEN_FDS), else TD_LISTEN_DEFAULT.  A unix
 * socket that nobody listens on is replaced.  Close even after an error.
 */
int td_listener_open(struct td_listener *listener, const char *where,
		     struct td_err *err);
/* Returns 0 if where could be opened, or a usage error. */
int td_listener_check(const char *where, struct td_err *err);
/* For people: "http://127.0.0.1:9878/metrics"; where is as it was opened. */
void td_listener_name(const struct td_listener *listener, const char *where,
		      char name[TD_LISTEN_NAME]);
/* Removes our unix socket. */
void td_listener_close(struct td_listener *listener);

#endif
