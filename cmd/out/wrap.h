/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_WRAP_H
#define TD_CMD_OUT_WRAP_H

#include <stdio.h>

#define TD_LINE_WIDTH 80

/*
 * Writes the words of text from the column on, where the line is now, and ends
 * the line.  Further lines begin at the column as well, and end at column last
 * unless a word is longer.  What is not printable is escaped.
 */
void td_put_wrapped(FILE *fp, int column, int last, const char *text);
/* The same, dim, on a terminal. */
void td_put_wrapped_dim(FILE *fp, int column, int last, const char *text);

#endif
