/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_HITS_H
#define TD_LIB_SAMPLE_HITS_H

#include "lib/sample/spots.h"

/* How often an event was sampled at a spot, and called from another. */
struct td_hit {
	int event;
	int spot;
	int caller; /* the spot of the call; -1: not known */
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

#endif
