/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_INSN_H
#define TD_LIB_SAMPLE_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The length of an instruction of x86, and where it jumps to.  Pure.
 *
 * Source of the encodings: Intel SDM, volume 2, appendix A (opcode maps) and chapter 2
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
	/* Of an operand in memory at a fixed address, or one that an index is added to. */
	enum {
		TD_PLACE_NONE,
		TD_PLACE_RELATIVE,
		TD_PLACE_ABSOLUTE
	} place_kind;
	int64_t place; /* the address; if relative, from the instruction's end */
};

/*
 * Decodes the instruction at the start of the bytes, of a program of 64 bits or of 32.
 * Returns false if it is not understood, or does not end within them.
 */
bool td_insn_decode(struct td_insn *insn, const uint8_t *code, size_t size,
		    bool wide);

/* Is the instruction a NOP, which compilers have of any size? */
bool td_insn_is_nop(const uint8_t *code, size_t size);

#endif
