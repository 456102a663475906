/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_ELF_FILE_H
#define TD_LIB_SAMPLE_ELF_FILE_H

#include <libelf.h>

#include "lib/machine/sysfs.h"
#include "lib/sample/spots.h"

/* An open ELF file.  None of what it says about itself can be trusted. */
struct td_elf {
	int fd;     /* -1: it is in memory */
	char *path; /* or NULL */
	void *image;
	Elf *elf;
	struct td_build_id build_id;
	/* What is loaded into memory. */
	struct td_elf_segment {
		uint64_t offset, size, address;
	} * segments;
	size_t nr;
};

/* Opens a path as td_regular_open() does.  -errno; -ENOEXEC if it is no ELF. */
int td_elf_open(struct td_elf *file, const struct td_sysfs *fs,
		const char *path);
/* The vDSO, which all processes of 64 bits share with this one. */
int td_elf_open_vdso(struct td_elf *file);
/* The virtual address of an offset in the file.  False if it is not loaded. */
bool td_elf_address(const struct td_elf *file, uint64_t offset,
		    uint64_t *address);
/* A section of a name, or NULL; *data is all of it, and never NULL then. */
Elf_Scn *td_elf_section(const struct td_elf *file, const char *name,
			Elf_Data **data);
/* Closes it, but td_elf_address() still works. */
void td_elf_done(struct td_elf *file);
void td_elf_close(struct td_elf *file);

#endif
