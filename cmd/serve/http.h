/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SERVE_HTTP_H
#define TD_CMD_SERVE_HTTP_H

#include "cmd/out/openmetrics.h"
#include "lib/base/err.h"

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
