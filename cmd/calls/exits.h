/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_CALLS_EXITS_H
#define TD_CMD_CALLS_EXITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds where a function of x86 is left: its return instructions, and its jumps to other
 * functions.  A probe there sees calls end without changing the stack, so exceptions,
 * cancellation and backtrace(3) find the return addresses that the program has put there.
 *
 * A probe within an instruction would break the program.  So a function whose code is not
 * fully understood gets a reason instead of exits.
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
 * Finds the exits of a function.  Its first part begins with its entry.  wide: 64-bit code.
 * Free *exits with td_exits_free().
 */
void td_exits_find(struct td_exits *exits, const struct td_code *parts, size_t nr, bool wide);
void td_exits_free(struct td_exits *exits);

#endif
