/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/serve/counters.h"

/* --- http.c: the answers -------------------------------------------------- */

/*
 * A thread that answers GET and HEAD of /metrics with the newest page.  The number,
 * memory and time of connections are limited: slow ones are cut off, and while clients
 * wait, no connection gets a second answer.
 */
struct td_http;

/* Load libmicrohttpd.  Returns NULL on error.  Free with td_http_stop(). */
struct td_http *td_http_new(struct td_err *err);
/*
 * Serve on a listening socket, which the caller keeps; all pages must be set.  The
 * thread has the caller's signal mask and rights.
 */
int td_http_start(struct td_http *http, int fd, struct td_err *err);
/* Take ownership of the text, which is on the heap. */
void td_http_set_page(struct td_http *http, enum td_exposition how, char *text, size_t size);
/* Return a descriptor that is readable when td_http_cut_off() is due. */
int td_http_timer(const struct td_http *http);
/* End connections that have taken too long, or earlier if there is no room for more. */
void td_http_cut_off(struct td_http *http);
/* http may be NULL. */
void td_http_stop(struct td_http *http);
