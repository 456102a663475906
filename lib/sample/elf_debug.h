/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_ELF_DEBUG_H
#define TD_LIB_SAMPLE_ELF_DEBUG_H

#include <elfutils/libdw.h>

#include "lib/sample/elf_file.h"
#include "lib/sample/search.h"

/*
 * Opens the separate debug file of a file, by its build id or .gnu_debuglink,
 * in the root folder of the process that file was opened in (0: ours), then in
 * ours.  Nothing is downloaded.  0, -ENOENT or -ENOMEM; -EFBIG if it is too large
 * to tell by its checksum whether it is the one.
 */
int td_elf_open_debug(struct td_elf *debug, const struct td_elf *file,
		      struct td_search *search, int pid);
/* The same for what several debug files share, by .gnu_debugaltlink. */
int td_elf_open_shared(struct td_elf *shared, const struct td_elf *debug,
		       struct td_search *search, int pid);

/* Lines of the source, of a file's debugging information. */
struct td_elf_lines {
	Dwarf *dwarf, *shared;
	struct td_elf_unit {
		uint64_t start, end;
		Dwarf_Off offset; /* of the unit that has these addresses */
	} * units;
	size_t nr;
};

/*
 * The debugging information of a file, which must stay open; NULL: it has none.  0, or
 * -EOVERFLOW if it is larger than what is read.
 */
int td_elf_begin_dwarf(Dwarf **dwarf, const struct td_elf *file,
		       struct td_search *search);
/*
 * Both files must stay open as long as the lines; shared may be NULL.  0, also
 * if there are no lines; -ENOMEM; -EOVERFLOW if they are larger than what is read.
 */
int td_elf_lines_open(struct td_elf_lines *lines, const struct td_elf *file,
		      const struct td_elf *shared, struct td_search *search);
/* The path of the source, to free, and the line; NULL if it is not known. */
char *td_elf_lines_find(const struct td_elf_lines *lines, uint64_t address,
			int *line);
void td_elf_lines_close(struct td_elf_lines *lines);

#endif
