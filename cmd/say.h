/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAY_H
#define TD_CMD_SAY_H

#include <stdarg.h>
#include <stdio.h>

/*
 * A line on standard error.  Whatever it quotes, it cannot command the
 * terminal, and is one line: fmt ends it as printf's would.
 */
void td_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void td_vsay(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

struct td_notes;
/* Prints the notes that were not printed yet. */
void td_say_notes(struct td_notes *notes);

struct td_err;
/* All that an error says, in up to four lines. */
void td_say_error(const struct td_err *err);

/*
 * A stream of such lines, to stand in for stderr while others write to it;
 * NULL: out of memory.  The caller closes it.
 */
FILE *td_say_open(void);

#endif
