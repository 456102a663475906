/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SEARCH_H
#define TD_LIB_SAMPLE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/machine/sysfs.h"
#include "lib/sample/spots.h"

/*
 * A search for symbols, and what it may still read and keep: files are made by
 * whoever could run a program, and each byte of theirs can cost us a thousand.
 */
struct td_search {
	const struct td_sysfs *fs; /* kallsyms, /proc/PID/root */
	bool lines;                /* of the source, too */
	uint64_t bytes;            /* of all files together, unpacked */
	uint64_t symbols;          /* of all files together */
	bool aliases;              /* keep all names of an address */
};

/* What the largest programs have is a tenth of it. */
#define TD_SEARCH_BYTES   ((uint64_t)16 << 30)
#define TD_SEARCH_SYMBOLS ((uint64_t)32 << 20)

/* The exit status of a process whose search found no memory. */
#define TD_NO_MEMORY 3

/* Takes it from what is left, if there is as much.  False: leave it out. */
static inline bool td_search_take(uint64_t *left, uint64_t nr)
{
	if (*left < nr)
		return false;
	*left -= nr;
	return true;
}

/*
 * Opens a file to read, if it is a regular one on a disk: nothing else is opened,
 * because a device may do something then, a fifo waits, and what the kernel tells
 * in files may have no end (/proc/kcore) or is gone once it was read
 * (/proc/kmsg, trace_pipe).  The path is below fs->proc if it is relative.
 * Returns the descriptor, or a negative errno; -EINVAL if it is something else.
 */
int td_regular_open(const struct td_sysfs *fs, const char *path);

/*
 * A path as a process sees it: below "PID/root", or as it is if pid is 0.  Free
 * it; NULL if memory ran out.
 */
char *td_regular_path(int pid, const char *path);

/*
 * Takes from this process, which was forked to read files that anybody could have
 * made, what it does not need for that: all descriptors but these two (-1: none)
 * and standard error, memory without end, capabilities, and all system calls but
 * those that open files to read them, read, and write to what is open.
 *
 * It keeps the rights to read files and what kallsyms hides, and to enter the root
 * folder of a process: which debug files there are to open is known only when the
 * first file was read, so nobody could open them before.
 */
void td_confine(int keep, int keep_too);

/* --- search_process.c ----------------------------------------------------- */

/*
 * Writes a name of C++ or Rust as its source has it, or returns false.  What
 * is longer than the buffer is cut.
 */
bool td_demangle(const char *name, char *buf, size_t size);

/*
 * Looks for the functions and lines of spots, given by their indices and sorted by
 * object, and writes what it finds (found.c).  Nothing of an object is kept.
 */
void td_search_objects(struct td_search *search, const struct td_spots *spots,
		       const int *unknown, size_t nr, FILE *fp);

/*
 * fork(), of a process that ends with this one, and that no signal of a terminal
 * reaches.
 */
pid_t td_search_fork(void);

/* A process that does so, confined, and writes to a pipe.  It ends with us. */
struct td_search_process {
	pid_t pid;
	int fd; /* to read from */
};

/* 0 or a negative errno. */
int td_search_start(struct td_search_process *process, struct td_search *search,
		    const struct td_spots *spots, const int *unknown,
		    size_t nr);
/*
 * Ends it.  0 if it had ended by itself; else how, -ENOMEM for lack of memory or
 * -EFAULT.
 */
int td_search_end(struct td_search_process *process);

/* --- found.c -------------------------------------------------------------- */

/*
 * What a search for symbols found, as bytes that one process writes and another
 * reads: for each object, in their order, that it is looked at, the functions of
 * its spots that are known, that these are all, their lines, and that it is done.  The reader trusts nothing of it.
 */

/* A spot in words. */
struct td_found_spot {
	int spot;
	const char *name; /* of its function; NULL: there is no symbol */
	uint64_t begin;   /* of the function, in the object */
	const char *file; /* of the source; NULL: its line is not known */
	int line;
};

void td_found_write_object(FILE *fp, int object);
void td_found_write(FILE *fp, const struct td_found_spot *found);
/* What follows of the object is lines. */
void td_found_write_named(FILE *fp, int object);
/* rc: 0, or the negative errno that says what is missing. */
void td_found_write_end(FILE *fp, int object, int rc);

/* Set spots, and object and after to -1; object, too, for each new process. */
struct td_found_reader {
	struct td_spots *spots;
	int object;    /* that is looked at, or -1 */
	int after;     /* the last that was; only those behind it follow */
	bool named;    /* the functions of its spots are all there */
	int rc;        /* of the object that is done */
	uint64_t text; /* bytes of names that were taken, of all */
};

enum td_found_kind {
	TD_FOUND_MORE, /* the bytes are not a whole record */
	TD_FOUND_OBJECT,
	TD_FOUND_SPOT,
	TD_FOUND_END,
	TD_FOUND_NAMED,
};

/* The longest record. */
#define TD_FOUND_MAX (1 << 14)

/*
 * Takes the record that size bytes begin with.  A spot's function and line are
 * added to the spots.  Returns its kind and sets *length, or -ENOMEM, or -EPROTO
 * if it is not as it should be.
 */
int td_found_take(struct td_found_reader *reader, const char *bytes,
		  size_t size, size_t *length);

#endif
