/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_PRINTABLE_H
#define TD_LIB_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Print names of other programs safely on a terminal.  Printable is UTF-8 (RFC
 * 3629) without control characters, those that change the direction of text, and
 * U+FFFE and U+FFFF.  Every other byte is shown as \x1b.  All takes time in
 * proportion to the bytes that are read.
 */

/* True if all of text is printable. */
bool td_is_text(const char *text);
/* The number of bytes before the first unprintable one. */
size_t td_printable_span(const char *text);
/*
 * The length of the character at text that is not printable, with its *code; 0 if
 * that is not UTF-8: *code is the byte.
 */
size_t td_unprintable(const char *text, uint32_t *code);

/* The columns of text (or of its first len bytes), one for each character. */
int td_printable_width(const char *text);
int td_printable_width_n(const char *text, size_t len);

/* Print, and return the number of columns. */
int td_put_printable(FILE *fp, const char *text);
int td_put_printable_n(FILE *fp, const char *text, size_t len);
/*
 * Text of somebody else in a format with markup: put writes a character that can be
 * printed, a byte of it a time, and may look at the one behind it.  Every other
 * byte is its number in two digits behind escape, the format's spelling of "\x".
 */
void td_put_escaped(FILE *fp, const char *text,
		    void (*put)(FILE *fp, const char *letter),
		    const char *escape);
/* So many bytes as they are. */
void td_put_bytes(FILE *fp, const char *text, size_t len);
/* None if nr is negative. */
void td_put_blanks(FILE *fp, int nr);
/* Like printf's "%*s", of text that is printable. */
int td_put_right(FILE *fp, int width, const char *text);
/* The same of any text; a negative width aligns left.  Returns the columns. */
int td_put_padded(FILE *fp, int width, const char *text);

#define TD_LINE_WIDTH 80

/*
 * Writes the words of text from the column on, where the line is now, and ends
 * the line.  Further lines begin at the column as well, and end at column last
 * unless a word is longer.  What is not printable is escaped.
 */
void td_put_wrapped(FILE *fp, int column, int last, const char *text);
/* The same, dim, on a terminal. */
void td_put_wrapped_dim(FILE *fp, int column, int last, const char *text);

/*
 * Writes a word so that a shell reads it as it is.  Bytes that a terminal would
 * act on become octal numbers within $'...', which bash and zsh understand.
 */
void td_put_shell_word(FILE *fp, const char *word);

/* Does a shell read the text as words that blanks separate, and nothing else? */
bool td_is_plain_shell(const char *text);

#endif
