/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SYMBOLS_H
#define TD_LIB_SAMPLE_SYMBOLS_H

#include "lib/base/err.h"
#include "lib/machine/sysfs.h"
#include "lib/sample/spots.h"

/*
 * Finds the functions of spots, in processes of their own: whoever can run a
 * program makes the files that are read for it.  No file of theirs can end us,
 * take more than so much time and memory, or cost more than its own names.
 */
struct td_symbols {
	const struct td_sysfs *fs; /* kallsyms, /proc/PID/root */
	bool lines;                /* of the source, too */
	struct td_notes *notes;    /* what cannot be read, once each */
	/*
	 * The search ends when this is readable, and is_unwanted() says so; what was
	 * found until then stays.  is_unwanted NULL: nobody ends it.
	 */
	int stop;
	bool (*is_unwanted)(void *ctx);
	void *ctx;

	/* Of td_symbols_resolve(): */
	uint64_t spent_ns; /* by all searches */
	bool ended;        /* nothing is looked for any more */
};

/* Why an object cannot be read, of a negative errno. */
const char *td_symbols_reason(const struct td_object *object, int rc);

/*
 * Resolves the spots that have no function yet.  One without a symbol becomes a
 * function without a name, at the spot's address; notes say why.  The only error
 * is -ENOMEM.
 */
int td_symbols_resolve(struct td_symbols *symbols, struct td_spots *spots,
		       struct td_err *err);

/* --- entry.c -------------------------------------------------------------- */

/* Where a function begins and where it is left: what probes need. */
struct td_entry_point {
	char *name;      /* as the user typed it */
	char *path;      /* of the file */
	uint64_t offset; /* in the file */
	uint64_t size;   /* in bytes */
	/* Offsets of its returns and of its jumps to other functions: lib/sample/exits.h */
	uint64_t *exits;
	size_t nr_exits;
	char *no_probes; /* why there are no exits, or NULL */
	int fd;          /* the file, open to read */
	bool stepped;    /* the kernel steps over its first instruction */
	bool nop_of_5;   /* that is a NOP of five bytes */
	bool kernel;     /* it is the kernel's own: there is no file */
	bool moves; /* goroutines change stacks and threads, so calls have no place */
	/* The file has marks of libtdstat, and not several functions of the name. */
	bool marked;
};

/*
 * Finds a function in a file, as the process sees it, by a name as
 * the linker or the source has it, with or without parameters.  Another process
 * reads the file.  Wrong usage, with a hint, if there is no such function
 * or several are; -ENOENT if the file has no symbols.  Notes tell of parts of the
 * function that are elsewhere.  Free *entry even then.
 */
int td_entry_find(struct td_entry_point *entry,
		  const struct td_symbols *symbols,
		  const struct td_object *object, const char *name,
		  struct td_err *err);
void td_entry_free(struct td_entry_point *entry);

#endif
