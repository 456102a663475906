/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the length and the jump target of x86 instructions.  Pure.
 *
 * Source of the encodings: Intel SDM, volume 2, appendix A (opcode maps) and chapter 2
 * (prefixes, ModRM, VEX, EVEX).  Instructions of APX and XOP are not understood.
 */

enum td_insn_kind {
	TD_INSN_OTHER,
	TD_INSN_RETURN,
	TD_INSN_JUMP,     /* jump to target */
	TD_INSN_BRANCH,   /* conditional, to target */
	TD_INSN_COMPUTED, /* a jump to the address in a register or in memory */
	TD_INSN_TABLE,    /* a computed jump that uses the table of a switch */
};

struct td_insn {
	enum td_insn_kind kind;
	size_t size;    /* size in bytes */
	int64_t target; /* target of jumps and branches, relative to the instruction's end */
	/* computed jumps: the register that contains the address; -1: it is in memory */
	int reg;
	/*
	 * register to which the instruction adds, as before a jump with a table of offsets; -1:
	 * none
	 */
	int added;
	/* an operand in memory has a fixed address, to which an index may be added */
	enum {
		TD_PLACE_NONE,
		TD_PLACE_RELATIVE,
		TD_PLACE_ABSOLUTE
	} place_kind;
	int64_t place; /* fixed address of the operand, or relative to the instruction's end */
};

/*
 * Decodes the first instruction of code, in 64-bit mode if wide, else in 32-bit mode.  Returns
 * false if it is not understood, or longer than size.
 */
bool td_insn_decode(struct td_insn *insn, const uint8_t *code, size_t size, bool wide);

/* Returns true if code starts with a NOP of any length. */
bool td_insn_is_nop(const uint8_t *code, size_t size);
