/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_PRINTABLE_H
#define TD_LIB_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Names that others gave, on a terminal.  Printable is UTF-8 (RFC 3629) without
 * the control characters of ASCII and of U+0080 to U+009F.  Any other byte is
 * shown as \x1b.
 */

/* All of it is printable. */
bool td_is_text(const char *text);
/* How many bytes of text are, up to the first one that is not. */
size_t td_printable_span(const char *text);

/* The columns that text, or its first len bytes, takes: one a character. */
int td_printable_width(const char *text);
int td_printable_width_n(const char *text, size_t len);

/* Return the columns. */
int td_put_printable(FILE *fp, const char *text);
int td_put_printable_n(FILE *fp, const char *text, size_t len);
/* As printf's "%*s": a width below 0 puts the blanks behind the text. */
int td_put_padded(FILE *fp, int width, const char *text);

#endif
