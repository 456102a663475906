/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_UNWIND_H
#define TD_LIB_SAMPLE_UNWIND_H

#include <elfutils/libdw.h>

#include "lib/base/err.h"
#include "lib/machine/sysfs.h"
#include "lib/sample/record.h"
#include "lib/sample/spots.h"

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

/* A function keeps these for its caller; the last one is where it returns to. */
#define TD_NR_KEPT 7
extern const uint8_t td_regs_kept[TD_NR_KEPT];

/* Where a function's caller is, at one of its instructions. */
struct td_caller_rule {
	/* 0; -ENODATA: nothing tells it; else why its file cannot be read */
	int rc;
	bool outermost; /* it has no caller */
	/* it was interrupted: it goes on at the address itself */
	bool signal;
	/*
	 * Not 0: of a table of the linker (PLT).  Its frame is 8 bytes further if
	 * the last 4 bits of the address are at least this.
	 */
	uint8_t plt;
	struct td_cfi_value {
		enum td_cfi_kind {
			TD_CFI_UNKNOWN,
			TD_CFI_SAME,   /* it has not changed */
			TD_CFI_VALUE,  /* base + offset */
			TD_CFI_MEMORY, /* what is there in memory */
		} kind;
		uint8_t base; /* a register */
		int32_t offset;
	} frame, kept[TD_NR_KEPT];
	uint64_t used_ns; /* CPU time that it took to find it */
};

struct td_registers {
	uint64_t v[TD_NR_REGS];
	uint32_t known; /* a bit for each */
};

/* Those of a record with a copy of the stack. */
void td_registers_take(struct td_registers *regs,
		       const struct td_record *record);
/*
 * Makes the caller's registers of those of a function.  Pure.  1; 0 if there is no
 * caller; -ENODATA if it is not known; -E2BIG if it is behind the copied stack.
 */
int td_unwind(struct td_registers *regs, const struct td_caller_rule *rule,
	      const struct td_record *record);

/*
 * The rule at a virtual address, by the CFI that libdw made of a file's .eh_frame or
 * .debug_frame.  What the forms of rules do not hold, as no compiler writes it, is
 * not known.
 */
struct td_caller_rule td_elf_caller(Dwarf_CFI *cfi, uint64_t address);

/* --- unwinder.c ----------------------------------------------------------- */

/*
 * Knows the rule of each spot.  Another process, confined, reads the
 * files (symbols.h), one rule at a time, and sees no stacks; each rule is kept.
 */
struct td_unwinder;

/*
 * -ELIBACC if libdw is not there.  Notes tell, once each, which files have no
 * rules.  fs and notes must outlive it.
 */
int td_unwinder_new(struct td_unwinder **out, const struct td_sysfs *fs,
		    struct td_notes *notes, struct td_err *err);
void td_unwinder_free(struct td_unwinder *unwinder); /* NULL is fine */
/* NULL: memory ran out.  Valid until the next call. */
const struct td_caller_rule *td_unwinder_find(struct td_unwinder *unwinder,
					      const struct td_spots *spots,
					      int spot);

#endif
