/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SERVE_PARTS_H
#define TD_CMD_SERVE_PARTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "cmd/out/openmetrics.h"
#include "lib/base/err.h"

/* --- listen.c: the socket ------------------------------------------------- */

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

/* --- http.c: the answers -------------------------------------------------- */

/*
 * Answers GET and HEAD of /metrics in a thread of its own, with the page that was
 * set last.  Few connections at a time, each with little memory and little time:
 * whoever is slow is cut off, and while others wait nobody gets a second answer.
 */
struct td_http;

/* Loads libmicrohttpd.  NULL on error.  Free with td_http_stop(). */
struct td_http *td_http_new(struct td_err *err);
/*
 * Serves on a socket that listens, which stays the caller's, when all pages were
 * set.  The thread has the signal mask and the rights of the caller.
 */
int td_http_start(struct td_http *http, int fd, struct td_err *err);
/* Takes over the text, on the heap, also on error. */
int td_http_set_page(struct td_http *http, enum td_exposition how, char *text,
		     size_t size, struct td_err *err);
/* A descriptor that can be read from when it is time for td_http_cut_off(). */
int td_http_timer(const struct td_http *http);
/* Ends connections that have taken too long, sooner if there is no room for more. */
void td_http_cut_off(struct td_http *http);
/* May be NULL. */
void td_http_stop(struct td_http *http);

#endif
