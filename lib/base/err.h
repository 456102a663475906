/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

#include "lib/base/index.h"

/*
 * An error. main() owns it, functions have it as their last parameter, and it is
 * printed once.  code is a negative errno, msg the failure and its reason, and hint
 * the remedy (may be empty).  usage is set if the user's input was wrong.  A text that
 * is too long loses its middle, usually a name, because the reason is at the end.
 */
struct td_err {
	int code;
	bool usage;
	bool elsewhere; /* with usage: the input may be correct on another machine */
	/* the output pipe was closed, so the program ends without a message */
	bool reader_gone;
	char msg[512], hint[512];
	char place[256]; /* the user's text with a caret below it, or empty */
};

/* Replaces the error.  Returns code, for use in a return statement. */
int td_err_set(struct td_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Replaces the error by one for wrong input of the user.  Returns -EINVAL. */
int td_err_usage(struct td_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int td_err_vusage(struct td_err *err, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Puts the text and ": " before the message.  Returns err->code. */
int td_err_wrap(struct td_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets the hint, printed as a second line.  Returns err->code. */
int td_err_hint(struct td_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Adds the place of the error, len bytes of text starting at byte at, to the message.
 * Only a part of a long text is shown.  Returns err->code.
 */
int td_err_point(struct td_err *err, const char *text, size_t at, size_t len);
int td_err_nomem(struct td_err *err);
/* Sets "PATH:LINE: what" and -EINVAL, for an error in a user's file. */
int td_err_line(struct td_err *err, const char *path, size_t line, const char *what);

/* Notes to the user on deviations from the request; each is printed once. */
struct td_notes {
	char **v;
	size_t nr, said;       /* said: number of notes that were printed already */
	struct td_index index; /* index of the texts, to find duplicates */
};

/* Formats and adds a note, unless there is one with this text. */
void td_notes_add(struct td_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Keeps only the first nr notes. */
void td_notes_truncate(struct td_notes *notes, size_t nr);
void td_notes_free(struct td_notes *notes);
