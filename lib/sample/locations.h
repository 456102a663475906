/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_LOCATIONS_H
#define TD_LIB_SAMPLE_LOCATIONS_H

#include "lib/sample/hits.h"

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

#endif
