/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_EXITS_H
#define TD_LIB_SAMPLE_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds where a function of x86 is left: its return instructions, and its jumps to other
 * functions.  A probe there sees calls end without changing the stack, so exceptions,
 * cancellation and backtrace(3) find the return addresses that the program has put there.
 *
 * A probe within an instruction would break the program.  So a function whose code is not
 * fully understood has no exits here, but a reason.
 *
 * Pure.
 */

/* A function, or a part of it that the compiler has put elsewhere. */
struct td_code {
	uint64_t address;
	size_t size;
	const uint8_t *bytes;
};

struct td_exits {
	uint64_t *v; /* addresses, ascending within each part */
	size_t nr;
	const char *reason; /* why there are none; NULL if there are */
};

/*
 * Finds the exits of a function that has these parts, the first of which begins with its
 * entry.  Returns 0 also if there is a reason, or -ENOMEM.  Free *exits.
 */
int td_exits_find(struct td_exits *exits, const struct td_code *parts,
		  size_t nr, bool wide);
void td_exits_free(struct td_exits *exits);

#endif
