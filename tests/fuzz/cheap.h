/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CHEAP_H
#define TD_CHEAP_H

#include <stdbool.h>
#include <string.h>

/*
 * For nested repetitions, "((.{255}){255}){255}" or
 * "a+++++++++++++++++++++++++", regcomp(3) takes all memory.  They are skipped:
 * users are trusted not to type them, and the C library is not under test.
 */
static bool is_cheap(const char *expression)
{
	size_t repeated = 0;

	for (const char *c = expression; *c; c++)
		repeated += *c == '+' || *c == '*';
	return repeated < 5 && !strpbrk(expression, "{\\");
}

#endif
