// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/hits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

static uint64_t hash_of(int event, int spot, int caller)
{
	uint64_t hash = td_hash((uint32_t)event);

	hash = td_hash_more(hash, (uint32_t)spot);
	return td_hash_more(hash, (uint32_t)caller);
}

static struct td_hit *find(const struct td_hits *hits, uint64_t hash, int event,
			   int spot, int caller)
{
	size_t step = 0, at;

	while ((at = td_index_next(&hits->index, hash, &step)) !=
	       TD_NOT_FOUND) {
		struct td_hit *hit = &hits->v[at];

		if (hit->event == event && hit->spot == spot &&
		    hit->caller == caller)
			return hit;
	}
	return NULL;
}

static struct td_hit *add(struct td_hits *hits, uint64_t hash)
{
	struct td_hit *hit = td_array_add(&hits->v, hits->nr, sizeof(*hit));

	if (!hit || td_index_add(&hits->index, hash, hits->nr))
		return NULL;
	hits->nr++;
	return hit;
}

int td_hits_add(struct td_hits *hits, int event, int spot, int caller,
		uint64_t period)
{
	uint64_t hash = hash_of(event, spot, caller);
	struct td_hit *hit = find(hits, hash, event, spot, caller);
	double weight = (double)(period ? period : 1);

	if (!hit) {
		hit = add(hits, hash);
		if (!hit)
			return -ENOMEM;
		hit->event = event;
		hit->spot = spot;
		hit->caller = caller;
	}
	hit->samples++;
	hit->weight += weight;
	hit->squares += weight * weight;
	return 0;
}

void td_hits_free(struct td_hits *hits)
{
	free(hits->v);
	td_index_free(&hits->index);
	*hits = (struct td_hits){ 0 };
}
