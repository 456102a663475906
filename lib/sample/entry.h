/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_ENTRY_H
#define TD_LIB_SAMPLE_ENTRY_H

#include "lib/sample/symbols.h"

/* Where a function begins: what a probe needs. */
struct td_entry_point {
	char *name;      /* as the user typed it */
	char *path;      /* of the file */
	uint64_t offset; /* in the file */
	uint64_t size;   /* in bytes */
	int fd;          /* the file, open to read */
	bool stepped;    /* the kernel steps over its first instruction */
	bool kernel;     /* it is the kernel's own: there is no file */
	bool moves; /* stacks do, as Go's: a probe at a return ends the program */
	/* The file has marks of libtdstat, and not several functions of the name. */
	bool marked;
};

/*
 * Finds a function in a file, as the process sees it, by a name as
 * the linker or the source has it, with or without parameters.  Another process
 * reads the file (symbols.h).  Wrong usage, with a hint, if there is no such function
 * or several are; -ENOENT if the file has no symbols.  Notes tell of parts of the
 * function that are elsewhere.  Free *entry even then.
 */
int td_entry_find(struct td_entry_point *entry,
		  const struct td_symbols *symbols,
		  const struct td_object *object, const char *name,
		  struct td_err *err);
void td_entry_free(struct td_entry_point *entry);

#endif
