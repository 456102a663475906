/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_ERR_H
#define TD_LIB_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The one error: owned by main(), passed last, printed once.
 * code is a negative errno; msg says what and why, hint what to do about it
 * (may be empty).  usage is set when the caller's words were wrong,
 * reader_gone when results went into a pipe that nobody reads any more.
 * Of a text that is too long, the middle is left out: a name, not the reason.
 */
struct td_err {
	int code;
	bool usage;
	bool reader_gone; /* of a pipe: no error to tell, but the end */
	char msg[512];
	char hint[512];
	char place[256]; /* the user's text and a caret below it, or empty */
};

/* Replaces the error.  Returns code, so that it can be returned at once. */
int td_err_set(struct td_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for words of the user's that make no sense: -EINVAL. */
int td_err_usage(struct td_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int td_err_vusage(struct td_err *err, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Puts "text: " before the message.  Returns err->code. */
int td_err_wrap(struct td_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets the second line, the remedy.  Returns err->code. */
int td_err_hint(struct td_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Shows where in text the error is: len bytes from at.  Of a long text, what
 * stands around.  Returns err->code.
 */
int td_err_point(struct td_err *err, const char *text, size_t at, size_t len);
int td_err_nomem(struct td_err *err);
/* "PATH:LINE: what", of a file that somebody wrote: -EINVAL. */
int td_err_line(struct td_err *err, const char *path, size_t line,
		const char *what);

#endif
