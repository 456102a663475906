/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_CURSOR_H
#define TD_LIB_EVENT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

/* A place in the user's text, which is borrowed. */
struct td_span {
	const char *text;
	size_t at, len;
};

/* Sets a usage error that points at the place. */
int td_span_error(struct td_err *err, const struct td_span *span,
		  const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The place of a parser in a text. */
struct td_cursor {
	const char *text;
	size_t at;
	struct td_err *err;
};

/* Sets a usage error that points at len characters of the text. */
int td_cursor_error(struct td_cursor *c, size_t at, size_t len,
		    const char *what);

/* Returns the next character; '\0' at the end. */
char td_cursor_peek(const struct td_cursor *c);
void td_cursor_skip_blanks(struct td_cursor *c);
/* Skips blanks, and want if it comes next.  Returns true if it did. */
bool td_cursor_take(struct td_cursor *c, char want);
/*
 * Skips a word up to a character of stop, a blank or the end.  Returns its
 * length.
 */
size_t td_cursor_take_word(struct td_cursor *c, const char *stop);

/* Copies a part of the text into *out. */
int td_cursor_copy(struct td_cursor *c, char **out, size_t at, size_t len);
/* Copies without blanks, except inside quotes; NULL without memory. */
char *td_without_blanks(const char *text, size_t len);

#endif
