/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_STACKS_H
#define TD_LIB_SAMPLE_STACKS_H

#include "lib/sample/locations.h"

/* The samples of one event as a tree of functions, from the outermost one in. */
struct td_stacks {
	struct td_stack {
		int function; /* the first of this name; -1: not known */
		int caller;   /* comes before; -1: none */
		int depth;    /* 0: it has no caller */
		double own;   /* what samples in it stand for */
		double all;   /* the same, with what it called; may be 0 */
		double from;  /* where it begins among all: next to its callees
			       * and siblings, which are in the order of names */
	} * v;
	size_t nr;
	struct td_index index;
	const struct td_spots *spots;
	int *first; /* of each function, the first of its name */
	double all;
	int depth; /* the most of a stack with samples, and 1; 0: there is none */
};

/* Resolved spots.  0 or -ENOMEM; free it even then. */
int td_stacks_make(struct td_stacks *stacks, const struct td_hits *hits,
		   const struct td_spots *spots, int event);
void td_stacks_free(struct td_stacks *stacks);

#define TD_STACK_NAME 300

/*
 * What stacks call a function: by its name, or, without a symbol, by the file,
 * "[libc.so.6]"; "[unknown]".  buf may hold it.
 */
const char *td_stack_name(char buf[TD_STACK_NAME], const struct td_spots *spots,
			  int function);

#endif
