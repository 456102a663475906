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
 * Pure.  Source of the encodings: Intel SDM, volume 2, appendix A (opcode maps) and chapter 2
 * (prefixes, ModRM, VEX, EVEX).  Instructions of APX and XOP are not understood.
 */

enum td_insn_kind {
	TD_INSN_OTHER,
	TD_INSN_RETURN,
	TD_INSN_JUMP,     /* to target */
	TD_INSN_BRANCH,   /* conditional, to target */
	TD_INSN_COMPUTED, /* a jump to the address in a register or in memory */
	TD_INSN_TABLE,    /* such a jump, by a table of a switch */
};

struct td_insn {
	enum td_insn_kind kind;
	size_t size;    /* in bytes */
	int64_t target; /* of jumps, from the instruction's end */
	/* Of COMPUTED: the register that holds the address; -1: it is in memory. */
	int reg;
	/* Adds to this register, as a jump by a table of offsets does before it; or -1. */
	int added;
};

/*
 * Decodes the instruction at the start of the bytes, of a program of 64 bits or of 32.
 * Returns false if it is not understood, or does not end within them.
 */
bool td_insn_decode(struct td_insn *insn, const uint8_t *code, size_t size,
		    bool wide);

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
