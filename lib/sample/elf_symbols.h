/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_ELF_SYMBOLS_H
#define TD_LIB_SAMPLE_ELF_SYMBOLS_H

#include "lib/sample/elf_file.h"
#include "lib/sample/search.h"
#include "lib/sample/symbol_table.h"

/*
 * Adds the functions of a symbol table, by virtual address: SHT_SYMTAB, or
 * SHT_DYNSYM.  The caller finishes the table.  0, also if there is none; -ENOMEM;
 * -E2BIG if it is larger than what is read.
 */
int td_elf_read_symbols(const struct td_elf *file, uint32_t type,
			struct td_search *search,
			struct td_symbol_table *table);

#endif
