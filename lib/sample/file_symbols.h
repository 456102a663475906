/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_FILE_SYMBOLS_H
#define TD_LIB_SAMPLE_FILE_SYMBOLS_H

#include "lib/sample/elf_file.h"
#include "lib/sample/symbol_table.h"

/* The symbols of what is mapped, by virtual address in files. */
struct td_file_symbols {
	/* Closed if there is none. */
	struct td_elf file, debug, shared;
	struct td_symbol_table table;
	struct td_elf_lines lines;
	int root;   /* the process whose root folder the file is in, or 0 */
	bool sound; /* there may be lines, too */
};

/*
 * Reads the symbols of an object: of a file, the vDSO, the kernel, or what a JIT
 * compiler tells.  -ENOMEM, -ENODATA if it has none, -ESTALE if it is not what
 * ran, -ENOEXEC if it is no ELF, -EIDRM if it is deleted; -E2BIG and -EFBIG if
 * there are more symbols or a larger debug file than are read; else -errno of td_regular_open() or as in symbol_table.h.  In any case
 * what was read can be used, and must be closed.
 */
int td_file_symbols_open(struct td_file_symbols *symbols,
			 const struct td_object *object,
			 struct td_search *search);
/*
 * Only opens the file of one, or the vDSO, in the same way; *root is as in struct
 * td_file_symbols.  -ENOENT for what has no file.
 */
int td_file_symbols_open_elf(struct td_elf *file,
			     const struct td_object *object,
			     const struct td_sysfs *fs, int *root);
/* Then the lines.  Returns as td_elf_lines_open() does. */
int td_file_symbols_open_lines(struct td_file_symbols *symbols,
			       struct td_search *search);
/* Makes the symbols' address of a spot's.  False: it has none. */
bool td_file_symbols_address(const struct td_file_symbols *symbols,
			     const struct td_object *object, uint64_t *address);
void td_file_symbols_close(struct td_file_symbols *symbols);

#endif
