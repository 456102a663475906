/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAY_H
#define TD_CMD_SAY_H

#include <stdarg.h>
#include <stdio.h>

/*
 * Prints a line to standard error; fmt has the line feed.  What is not
 * printable is escaped, so that quoted text cannot control the terminal.
 */
void td_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void td_vsay(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

struct td_notes;
/* Prints the notes that were not printed yet. */
void td_say_notes(struct td_notes *notes);

struct td_err;
/* Prints an error with its hints, in up to four lines. */
void td_say_error(const struct td_err *err);

/*
 * A stream that prints such lines, to take the place of stderr while a library
 * writes to it.  NULL if out of memory.  The caller closes it.
 */
FILE *td_say_open(void);

#endif
