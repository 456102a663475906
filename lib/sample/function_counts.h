/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_FUNCTION_COUNTS_H
#define TD_LIB_SAMPLE_FUNCTION_COUNTS_H

#include "lib/count/batched.h"
#include "lib/count/regions.h"
#include "lib/sample/spots.h"
#include "lib/sample/windows.h"

/*
 * Did a program stay in a function from one sample to the next?  Of functions that are
 * short and called in turns, both samples are in the same one by chance, too: where a
 * function has the share p of the samples, p^2 of all windows begin and end in it, and
 * what they count is what all functions around it do.
 */

/* So many windows that follow each other tell what is chance there and then. */
#define TD_STRETCH 32

/* The functions in which windows of one thread, or one CPU, began and ended. */
struct td_stretch {
	unsigned int nr;
	int from[TD_STRETCH], to[TD_STRETCH];
};

/* Of pairs of samples, how often a function is at both. */
struct td_stays_pairs {
	double ends; /* samples in it, half of each pair's two */
	double both; /* pairs with both in it */
	/* how many of these there would be if all were by chance */
	double chance;
};

/* What stretches say of a function; zeroed: nothing. */
struct td_stays {
	struct td_stays_pairs windows;
	struct td_stays_pairs twice; /* windows with the next one */
	double foreign; /* windows' chance in which another function would be */
};

/* The sums of the windows of one function, and of one group. */
struct td_function_count {
	int function; /* -1: windows that are not within one function */
	int group;
	struct td_group_parts parts;
	struct td_stays stays;
};

/* The last windows of a stream, until there are enough of them. */
struct td_function_stream {
	int group;
	struct td_stretch stretch;
};

/* A zeroed struct has none. */
struct td_function_counts {
	struct td_function_count *v;
	size_t nr;
	struct td_index index;
	struct td_function_stream *streams;
	size_t nr_streams;
};

/* Adds windows, whose spots are resolved.  Returns 0 or -ENOMEM. */
int td_function_counts_add(struct td_function_counts *counts,
			   const struct td_windows *windows,
			   const struct td_spots *spots);
/*
 * Makes regions of the functions, which have their names; what is not within one
 * function for sure is outside of all.  After the last windows, once.  Returns 0 or
 * -ENOMEM.
 */
int td_function_counts_to_regions(struct td_function_counts *counts,
				  const struct td_plan *plan,
				  const struct td_spots *spots,
				  struct td_regions *regions,
				  struct td_batched *batched);
void td_function_counts_free(struct td_function_counts *counts);

#endif
