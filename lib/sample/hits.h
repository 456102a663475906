/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/sample/locations.h"

struct td_hits {
	/* Samples of one event at one location, with one chain of callers. */
	struct td_hit {
		int event, location;
		int caller; /* the call (locations.h); -1: unknown */
		uint64_t samples;
		double weight;  /* the number of events: the sum of the samples' periods */
		double squares; /* the sum of the periods' squares */
	} * v;
	size_t nr;
	struct td_index index;
};

/* Adds one sample. */
void td_hits_add(struct td_hits *hits, int event, int location, int caller, uint64_t period);
void td_hits_free(struct td_hits *hits);

/* A share of an event's samples. */
struct td_share {
	uint64_t samples;
	double percent; /* share of the weight of all samples */
	double error;   /* half of the 95 % Wilson interval, using the effective sample size */
};

/* The functions of one event, the largest first. */
struct td_hot_functions {
	uint64_t samples; /* number of samples in all functions */
	double weight;    /* weight of all samples */
	struct td_hot_function {
		int function;
		struct td_share share;
		/* The rows shown under a function, the largest first. */
		struct td_details {
			struct td_detail {
				int file, line; /* the source line; file -1: unknown */
				int function;   /* the calling function; -1: unknown */
				struct td_share share;
			} * v;
			size_t nr;
		} lines, callers;
	} * v;
	size_t nr;
};

/* Sums up the hits of an event.  Their locations must be resolved. */
void td_hot_functions_make(struct td_hot_functions *functions, const struct td_hits *hits,
			   const struct td_locations *locations, int event);
void td_hot_functions_free(struct td_hot_functions *functions);

/* The samples of one event as a tree of functions.  Callers precede their callees. */
struct td_stacks {
	struct td_stack {
		int function; /* the first function with its name; -1: unknown */
		int caller;   /* index of the caller; -1: none */
		int depth;    /* number of callers */
		double own;   /* weight of the samples in this call */
		double all;   /* own weight, plus the weight of its callees; may be 0 */
		double from;  /* x offset in a flame graph; siblings are sorted by name */
	} * v;
	size_t nr;
	struct td_index index;
	const struct td_locations *locations;
	int *first; /* for each function, the first one with its name */
	double all; /* weight of all samples */
	int depth;  /* maximum depth of a stack with samples + 1, or 0 */
};

/* Makes the tree of an event's hits.  Their locations must be resolved. */
void td_stacks_make(struct td_stacks *stacks, const struct td_hits *hits,
		    const struct td_locations *locations, int event);
void td_stacks_free(struct td_stacks *stacks);

#define TD_STACK_NAME 300

/*
 * Returns the display name of a function: its name, "[libc.so.6]" if it has no symbol, or
 * "[unknown]".  buf may be used for it.
 */
const char *td_stack_name(char buf[TD_STACK_NAME], const struct td_locations *locations,
			  int function);
