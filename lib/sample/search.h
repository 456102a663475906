/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SEARCH_H
#define TD_LIB_SAMPLE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/machine/sysfs.h"

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

#endif
