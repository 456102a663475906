/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <elfutils/libdw.h>

#include "lib/machine/sysfs.h"
#include "lib/sample/locations.h"
#include "lib/sample/record.h"

/* Registers of x86-64 by their numbers in DWARF, and the frame's address. */
enum {
	TD_REG_RBX = 3,
	TD_REG_RBP = 6,
	TD_REG_RSP = 7,
	TD_REG_R12 = 12,
	TD_REG_R13 = 13,
	TD_REG_R14 = 14,
	TD_REG_R15 = 15,
	TD_REG_RIP = 16,
	TD_REG_FRAME = 17, /* the stack pointer before the call (CFA) */
	TD_NR_REGS
};

/* The registers that a function preserves for its caller; the last one is the return address. */
#define TD_NR_SAVED 7

/* How to find the caller's registers at one instruction of a function. */
struct td_caller_rule {
	int rc;         /* 0; -ENODATA: unknown; else why the file cannot be read */
	bool outermost; /* the function has no caller */
	bool signal;    /* the caller was interrupted: it has not made a call */
	/*
	 * For an entry of a linker's table (PLT): if the last 4 bits of the address are at least
	 * this number, the frame is 8 bytes further.  0: not in a PLT.
	 */
	uint8_t plt;
	struct td_cfi_value {
		enum td_cfi_kind {
			TD_CFI_UNKNOWN,
			TD_CFI_SAME,   /* unchanged */
			TD_CFI_VALUE,  /* base + offset */
			TD_CFI_MEMORY, /* the word at this address */
		} kind;
		uint8_t base; /* a register */
		int32_t offset;
	} frame, saved[TD_NR_SAVED];
	uint64_t used_ns; /* CPU time that was spent to find the rule */
};

struct td_registers {
	uint64_t v[TD_NR_REGS];
	uint32_t known; /* a bit for each register whose value is known */
};

/* Reads the registers of a record with a copy of the stack. */
void td_registers_read(struct td_registers *regs, const struct td_record *record);
/*
 * Replaces the registers of a function with those of its caller.  Pure.  Returns 1, 0 if there is
 * no caller, -ENODATA if the caller is unknown, or -E2BIG if it is beyond the copied stack.
 */
int td_unwind(struct td_registers *regs, const struct td_caller_rule *rule,
	      const struct td_record *record);

/*
 * Finds the rules of locations.  A confined process reads the files (symbols.h), one rule at a
 * time, without access to stacks.  Rules are cached.
 */
struct td_unwinder;

/*
 * Returns -ELIBACC if libdw is not installed.  Adds notes on files without rules.  fs and notes
 * must outlive it.
 */
int td_unwinder_new(struct td_unwinder **out, const struct td_sysfs *fs, struct td_notes *notes,
		    struct td_err *err);
void td_unwinder_free(struct td_unwinder *unwinder); /* NULL is fine */
/* Returns the rule of a location, which is valid until the next call. */
const struct td_caller_rule *td_unwinder_find(struct td_unwinder *unwinder,
					      const struct td_locations *locations, int location);
