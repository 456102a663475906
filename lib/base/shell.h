/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_SHELL_H
#define TD_LIB_BASE_SHELL_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Writes a word so that a shell reads it as it is.  Bytes that a terminal would
 * act on become octal numbers within $'...', which bash and zsh understand.
 */
void td_put_shell_word(FILE *fp, const char *word);

/* Does a shell read the text as words that blanks separate, and nothing else? */
bool td_is_plain_shell(const char *text);

#endif
