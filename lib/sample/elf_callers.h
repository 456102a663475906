/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_ELF_CALLERS_H
#define TD_LIB_SAMPLE_ELF_CALLERS_H

#include <elfutils/libdw.h>

#include "lib/sample/unwind.h"

/*
 * The rule at a virtual address, by the CFI that libdw made of a file's .eh_frame or
 * .debug_frame.  What the forms of rules do not hold, as no compiler writes it, is
 * not known.
 */
struct td_caller_rule td_elf_caller(Dwarf_CFI *cfi, uint64_t address);

#endif
