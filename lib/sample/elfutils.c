// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/elfutils.h"

#include "lib/base/library.h"
#include "lib/base/util.h"

/* libdw depends on libelf, and libelf on zlib, whose crc32() debug links have. */
/* clang-format off */
#define FUNCTIONS(f) \
	f(crc32) f(dwarf_attr) f(dwarf_begin_elf) f(dwarf_dieoffset) \
	f(dwarf_end) f(dwarf_formstring) f(dwarf_get_units) \
	f(dwarf_getsrc_die) f(dwarf_lineno) f(dwarf_linesrc) \
	f(dwarf_new_oom_handler) f(dwarf_offdie) f(dwarf_ranges) \
	f(dwarf_setalt) f(elf_begin) f(elf_end) f(elf_getdata) \
	f(elf_getdata_rawchunk) f(elf_getphdrnum) f(elf_getscn) \
	f(elf_getshdrstrndx) f(elf_kind) f(elf_memory) f(elf_ndxscn) \
	f(elf_nextscn) f(elf_version) f(gelf_fsize) f(gelf_getchdr) \
	f(gelf_getnote) f(gelf_getphdr) f(gelf_getshdr) f(gelf_getsymshndx)
/* clang-format on */

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(
	TD_LIBRARY_ROW) };

int td_elfutils_load(void)
{
	struct td_err err;

	return td_library_load("libdw.so.1", functions,
			       TD_ARRAY_SIZE(functions), &err);
}
