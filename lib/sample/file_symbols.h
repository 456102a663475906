/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_FILE_SYMBOLS_H
#define TD_LIB_SAMPLE_FILE_SYMBOLS_H

#include "lib/sample/elf_file.h"
#include "lib/sample/elf_lines.h"
#include "lib/sample/symbol_table.h"

/* The symbols of what is mapped, by virtual address in files. */
struct td_file_symbols {
	/* Closed if it is none; debug and shared are open only for lines. */
	struct td_elf file, debug, shared;
	struct td_symbol_table table;
	struct td_elf_lines lines;
};

/*
 * Reads the symbols of a file or of the vDSO.  -ENOMEM, -ENODATA if it has none,
 * -ESTALE if it is not what ran, -ENOEXEC if it is no ELF, else -errno of
 * td_regular_open().  In any case it can be used and must be closed.
 */
int td_file_symbols_open(struct td_file_symbols *symbols,
			 const struct td_object *object,
			 const struct td_sysfs *fs, bool lines);
void td_file_symbols_close(struct td_file_symbols *symbols);

#endif
