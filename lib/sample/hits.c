// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/hits.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/count/batched.h"

static uint64_t hash_of(const struct td_hit *hit)
{
	uint64_t hash = td_hash((uint32_t)hit->event);

	hash = td_hash_more(hash, (uint32_t)hit->spot);
	hash = td_hash_more(hash, (uint32_t)hit->caller);
	return td_hash_more(hash, hit->part);
}

static struct td_hit *find(const struct td_hits *hits, uint64_t hash,
			   const struct td_hit *like)
{
	size_t step = 0, at;

	while ((at = td_index_next(&hits->index, hash, &step)) !=
	       TD_NOT_FOUND) {
		struct td_hit *hit = &hits->v[at];

		if (hit->event == like->event && hit->spot == like->spot &&
		    hit->caller == like->caller && hit->part == like->part)
			return hit;
	}
	return NULL;
}

/* Adds to the hit of the same place and part.  False: there is none. */
static bool add_to_same(const struct td_hits *hits, uint64_t hash,
			const struct td_hit *more)
{
	struct td_hit *hit = find(hits, hash, more);

	if (!hit)
		return false;
	hit->samples += more->samples;
	hit->weight += more->weight;
	hit->squares += more->squares;
	return true;
}

/* Joins each two parts of an event. */
static int join_parts(struct td_hits *hits, int event)
{
	size_t nr = hits->nr;

	td_index_clear(&hits->index);
	hits->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		struct td_hit hit = hits->v[i];
		uint64_t hash;

		if (hit.event == event)
			hit.part /= 2;
		hash = hash_of(&hit);
		if (add_to_same(hits, hash, &hit))
			continue;
		if (td_index_add(&hits->index, hash, hits->nr))
			return -ENOMEM;
		hits->v[hits->nr++] = hit;
	}
	return 0;
}

static int add(struct td_hits *hits, const struct td_hit *hit)
{
	uint64_t hash = hash_of(hit);
	struct td_hit *slot;

	if (add_to_same(hits, hash, hit))
		return 0;
	slot = td_array_add(&hits->v, hits->nr, sizeof(*slot));
	if (!slot || td_index_add(&hits->index, hash, hits->nr))
		return -ENOMEM;
	*slot = *hit;
	hits->nr++;
	return 0;
}

static uint64_t *samples_of(struct td_hits *hits, int event)
{
	while (hits->nr_events <= (size_t)event) {
		if (!td_array_add(&hits->samples, hits->nr_events,
				  sizeof(*hits->samples)))
			return NULL;
		hits->nr_events++;
	}
	return &hits->samples[event];
}

int td_hits_add(struct td_hits *hits, int event, int spot, int caller,
		uint64_t period)
{
	double weight = (double)(period ? period : 1);
	uint64_t *samples = samples_of(hits, event), size;

	if (!samples)
		return -ENOMEM;
	size = td_part_size(*samples + 1);
	if (size > td_part_size(*samples) && join_parts(hits, event))
		return -ENOMEM;
	return add(hits, &(struct td_hit){
				 .event = event,
				 .spot = spot,
				 .caller = caller,
				 .part = (unsigned int)((*samples)++ / size),
				 .samples = 1,
				 .weight = weight,
				 .squares = weight * weight,
			 });
}

void td_hits_free(struct td_hits *hits)
{
	free(hits->v);
	free(hits->samples);
	td_index_free(&hits->index);
	*hits = (struct td_hits){ 0 };
}
