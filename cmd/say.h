/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdarg.h>
#include <stdio.h>

/*
 * Print a line to standard error; fmt includes the line feed.  Unprintable characters are
 * escaped, so that quoted text cannot control the terminal.
 */
void td_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void td_vsay(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

struct td_notes;
/* Print the notes that were not printed yet. */
void td_say_notes(struct td_notes *notes);

struct td_err;
/* Print an error with its hints, in up to four lines. */
void td_say_error(const struct td_err *err);

/*
 * Return a stream that escapes lines in the same way, to replace stderr while a library
 * writes to it.  The caller closes it.
 */
FILE *td_say_open(void);
