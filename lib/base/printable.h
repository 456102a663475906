/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Functions that print foreign text safely on a terminal.  Printable text is UTF-8 (RFC
 * 3629) without control characters, characters that change the direction of text, U+FFFE and
 * U+FFFF.  Every other byte is shown like \x1b.  All functions take linear time.
 */

/* Is the whole text printable? */
bool td_is_text(const char *text);
/* Returns the number of bytes before the first unprintable one. */
size_t td_printable_span(const char *text);
/*
 * Returns the length of the unprintable character at text, and sets *code to its code point.
 * Returns 0 and sets *code to the first byte if it is not UTF-8.
 */
size_t td_unprintable(const char *text, uint32_t *code);

/* Return the width of text, or of its first len bytes, in columns.  Each character has one. */
int td_printable_width(const char *text);
int td_printable_width_n(const char *text, size_t len);

/* Print text (or its first len bytes) with escapes.  Return the number of columns. */
int td_put_printable(FILE *fp, const char *text);
int td_put_printable_n(FILE *fp, const char *text, size_t len);
/*
 * Writes foreign text in a format with markup.  put writes one byte of a printable
 * character and may look at the next byte.  Every other byte becomes two hexadecimal
 * digits after escape, the format's spelling of "\x".
 */
void td_put_escaped(FILE *fp, const char *text, void (*put)(FILE *fp, const char *letter),
		    const char *escape);
/* Writes text for HTML and XML, between tags or in a quoted attribute. */
void td_put_html(FILE *fp, const char *text);
/* Writes len bytes unchanged. */
void td_put_bytes(FILE *fp, const char *text, size_t len);
/* Writes nr blanks, or none if nr is negative. */
void td_put_blanks(FILE *fp, int nr);
/* Writes printable text like printf's "%*s".  Returns the number of columns. */
int td_put_right(FILE *fp, int width, const char *text);
/* Writes any text; a negative width aligns left.  Returns the number of columns. */
int td_put_padded(FILE *fp, int width, const char *text);

#define TD_LINE_WIDTH 80

/*
 * Writes the words of text and a newline.  The current line must have reached column;
 * further lines are indented to it.  Lines end at column last unless a word is longer.
 * Unprintable bytes are escaped.
 */
void td_put_wrapped(FILE *fp, int column, int last, const char *text);
/* Writes text like td_put_wrapped(), but dim, for terminals. */
void td_put_wrapped_dim(FILE *fp, int column, int last, const char *text);

/*
 * Writes a word, quoted for any shell.  Bytes that control terminals become octal numbers,
 * which printf(1) turns into bytes.
 */
void td_put_shell_word(FILE *fp, const char *word);
/* Returns the same text; free it. */
char *td_shell_word(const char *word);

/* Does the text consist of words without characters that are special in a shell? */
bool td_is_plain_shell(const char *text);
