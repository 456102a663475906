/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_ENTRY_H
#define TD_LIB_SAMPLE_ENTRY_H

#include "lib/base/err.h"
#include "lib/base/notes.h"
#include "lib/machine/sysfs.h"

/* Where a function begins: what a probe needs. */
struct td_entry {
	char *name;      /* as the user typed it */
	char *path;      /* of the file */
	uint64_t offset; /* in the file */
	int fd;          /* the file, open to read */
	bool stepped;    /* the kernel steps over its first instruction */
};

/*
 * Finds a function in a file, as the process pid sees it (0: as we do), by a name as
 * the linker or the source has it, with or without parameters.  Another process
 * reads the file (symbols.h).  -ENOENT with a similar name as the hint; -EINVAL if
 * several functions have the name, or returns cannot be probed in the file.  Notes
 * tell of parts of the function that are elsewhere.  Free *entry even then.
 */
int td_entry_find(struct td_entry *entry, const struct td_sysfs *fs, int pid,
		  const char *path, const char *name, struct td_notes *notes,
		  struct td_err *err);
void td_entry_free(struct td_entry *entry);

#endif
