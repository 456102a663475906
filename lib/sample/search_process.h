/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SEARCH_PROCESS_H
#define TD_LIB_SAMPLE_SEARCH_PROCESS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/sample/search.h"
#include "lib/sample/spots.h"

/*
 * Writes a name of C++ or Rust as its source has it, or returns false.  What
 * is longer than the buffer is cut.
 */
bool td_demangle(const char *name, char *buf, size_t size);

/*
 * Looks for the functions and lines of spots, given by their indices and sorted by
 * object, and writes what it finds (found.h).  Nothing of an object is kept.
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

#endif
