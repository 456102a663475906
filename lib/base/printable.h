/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_PRINTABLE_H
#define TD_LIB_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Print names of other programs safely on a terminal.  Printable is UTF-8 (RFC
 * 3629) without the control characters of ASCII and U+0080 to U+009F. Every
 * other byte is shown as \x1b.
 */

/* True if all of text is printable. */
bool td_is_text(const char *text);
/* The number of bytes before the first unprintable one. */
size_t td_printable_span(const char *text);

/* The columns of text (or of its first len bytes), one for each character. */
int td_printable_width(const char *text);
int td_printable_width_n(const char *text, size_t len);

/* Print, and return the number of columns. */
int td_put_printable(FILE *fp, const char *text);
int td_put_printable_n(FILE *fp, const char *text, size_t len);
/* Like printf's "%*s": a negative width aligns left.  Returns the columns. */
int td_put_padded(FILE *fp, int width, const char *text);

#endif
