/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_LOCATIONS_H
#define TD_LIB_SAMPLE_LOCATIONS_H

#include "lib/sample/spots.h"

/* How often an event was sampled at a spot that was called from there. */
struct td_hit {
	int event;
	int spot;
	int caller; /* the call (spots.h); -1: not known */
	uint64_t samples;
	/* the sum of their periods, which is how many events they stand for */
	double weight;
	double squares; /* the sum of the periods' squares */
};

struct td_hits {
	struct td_hit *v;
	size_t nr;
	struct td_index index;
};

/* Adds one sample.  0 or -ENOMEM. */
int td_hits_add(struct td_hits *hits, int event, int spot, int caller,
		uint64_t period);
void td_hits_free(struct td_hits *hits);

/* A part of an event's samples. */
struct td_share {
	uint64_t samples;
	double percent; /* of the events that all samples stand for */
	/*
	 * Half the width of the 95 % interval of Wilson, for as many samples of
	 * equal weight as these are worth.
	 */
	double error;
};

/* What is below a function: a line of its source, or who called it. */
struct td_detail {
	int file, line; /* of a line; file -1: not known */
	int function;   /* of a caller; -1: not known */
	struct td_share share;
};

struct td_details {
	struct td_detail *v; /* the largest first */
	size_t nr;
};

struct td_location {
	int function;
	struct td_share share;
	struct td_details lines, callers;
};

/* The functions of one event, the largest first. */
struct td_locations {
	uint64_t samples; /* of all of them */
	double weight;    /* how many events these stand for */
	struct td_location *v;
	size_t nr;
};

/* Sums up hits of resolved spots.  0 or -ENOMEM; free it even then. */
int td_locations_make(struct td_locations *locations,
		      const struct td_hits *hits, const struct td_spots *spots,
		      int event);
void td_locations_free(struct td_locations *locations);

/* --- stacks.c ------------------------------------------------------------- */

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
