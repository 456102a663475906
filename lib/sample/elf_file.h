/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_ELF_FILE_H
#define TD_LIB_SAMPLE_ELF_FILE_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "lib/machine/sysfs.h"
#include "lib/sample/search.h"
#include "lib/sample/spots.h"

/*
 * An open ELF file.  None of what it says about itself can be trusted, which is why
 * libdwfl does not open it: that maps the file, unpacks .gnu_debugdata and whole
 * files of gzip of any size without asking, and finds no line of a unit without
 * .debug_aranges, which clang leaves out (elfutils 0.188).
 */
struct td_elf {
	int fd;     /* -1: it is in memory */
	char *path; /* or NULL */
	void *image;
	Elf *elf;
	Elf_Data *names; /* of the sections; NULL: they have none */
	struct td_build_id build_id;
	/* What is loaded into memory. */
	struct td_elf_segment {
		uint64_t offset, size, address;
	} * segments;
	size_t nr;
};

/* Loads libdw, as what follows does by itself.  -ELIBACC, with the reason. */
int td_elf_load(struct td_err *err);
/* Opens a path as td_regular_open() does.  -errno; -ENOEXEC if it is no ELF. */
int td_elf_open(struct td_elf *file, const struct td_sysfs *fs,
		const char *path);
/* The vDSO, which all processes of 64 bits share with this one. */
int td_elf_open_vdso(struct td_elf *file);
/* The virtual address of an offset in the file.  False if it is not loaded. */
bool td_elf_address(const struct td_elf *file, uint64_t offset,
		    uint64_t *address);
/*
 * A table of strings of at most so many bytes, or NULL.  Its last byte is 0: with
 * another one elf_strptr() looks for the end of each string in the whole table.
 */
Elf_Data *td_elf_strings(Elf *elf, size_t section, uint64_t most);
/* The text at a place in such a table (NULL is fine), or NULL. */
const char *td_elf_text(const Elf_Data *strings, size_t at);
/* The name of a section, or NULL. */
const char *td_elf_name(const struct td_elf *file, Elf_Scn *section);
bool td_elf_has(const struct td_elf *file, const char *name);
/* Has it a symbol of that name, or uses one of another file?  Of a small file. */
bool td_elf_names(const struct td_elf *file, const char *symbol);
/*
 * What a section of a name holds, or NULL: if it is empty, or larger than the few
 * bytes that names and build ids take.
 */
Elf_Data *td_elf_small(const struct td_elf *file, const char *name);
void td_elf_close(struct td_elf *file);

/* --- elf_debug.c ---------------------------------------------------------- */

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
