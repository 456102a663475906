/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CHEAP_H
#define TD_CHEAP_H

#include <stdbool.h>
#include <string.h>

/*
 * Repeated repetitions, "((.{255}){255}){255}" or "a+++++++++++++++++++++++++",
 * take regcomp(3) as much memory as there is.  Who types an expression or
 * writes a map is trusted so far, and the C library is not what is tested.
 */
static bool is_cheap(const char *expression)
{
	size_t repeated = 0;

	for (const char *c = expression; *c; c++)
		repeated += *c == '+' || *c == '*';
	return repeated < 5 && !strpbrk(expression, "{\\");
}

#endif
