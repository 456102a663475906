// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/locations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/util.h"

#define PERCENT 100
#define Z95     1.959963984540054 /* of the normal distribution */

/* --- hits ------------------------------------------------------------------- */

static uint64_t hash_of(int event, int spot, int caller)
{
	uint64_t hash = td_hash((uint32_t)event);

	hash = td_hash_more(hash, (uint32_t)spot);
	return td_hash_more(hash, (uint32_t)caller);
}

static struct td_hit *find_hit(const struct td_hits *hits, uint64_t hash,
			       int event, int spot, int caller)
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

static struct td_hit *add_hit(struct td_hits *hits, uint64_t hash)
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
	struct td_hit *hit = find_hit(hits, hash, event, spot, caller);
	double weight = (double)(period ? period : 1);

	if (!hit) {
		hit = add_hit(hits, hash);
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

/* --- sums ------------------------------------------------------------------- */

struct sums {
	uint64_t samples;
	double weight, squares;
};

/* What hits of one key add up to. */
struct entries {
	struct entry {
		int function;
		int key[2];
		struct sums sums;
	} * v;
	size_t nr;
};

static void add_sums(struct sums *to, const struct sums *from)
{
	to->samples += from->samples;
	to->weight += from->weight;
	to->squares += from->squares;
}

static int compare_ints(int a, int b)
{
	return (a > b) - (a < b);
}

static int compare_keys(const struct entry *a, const struct entry *b)
{
	int rc = compare_ints(a->function, b->function);

	if (!rc)
		rc = compare_ints(a->key[0], b->key[0]);
	return rc ? rc : compare_ints(a->key[1], b->key[1]);
}

static int by_key(const void *a, const void *b)
{
	return compare_keys(a, b);
}

static int by_weight(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int rc = compare_ints(x->function, y->function);

	if (rc)
		return rc;
	if (x->sums.weight != y->sums.weight)
		return x->sums.weight > y->sums.weight ? -1 : 1;
	return compare_keys(x, y);
}

/* Makes one of all entries with the same key. */
static void collapse(struct entries *entries)
{
	size_t nr = 0;

	if (!entries->nr)
		return;
	qsort(entries->v, entries->nr, sizeof(*entries->v), by_key);
	for (size_t i = 1; i < entries->nr; i++) {
		if (compare_keys(&entries->v[nr], &entries->v[i]) == 0)
			add_sums(&entries->v[nr].sums, &entries->v[i].sums);
		else
			entries->v[++nr] = entries->v[i];
	}
	entries->nr = nr + 1;
	qsort(entries->v, entries->nr, sizeof(*entries->v), by_weight);
}

/* --- keys ------------------------------------------------------------------- */

typedef void make_key(const struct td_spots *spots, const struct td_hit *hit,
		      int key[2]);

static void no_key(const struct td_spots *spots, const struct td_hit *hit,
		   int key[2])
{
	(void)spots;
	(void)hit;
	key[0] = key[1] = 0;
}

static void key_of_line(const struct td_spots *spots, const struct td_hit *hit,
			int key[2])
{
	key[0] = spots->v[hit->spot].file;
	key[1] = spots->v[hit->spot].line;
}

static void key_of_caller(const struct td_spots *spots,
			  const struct td_hit *hit, int key[2])
{
	key[0] = td_spots_caller(spots, hit->spot, hit->caller);
	key[1] = 0;
}

static int sum_up(struct entries *entries, const struct td_hits *hits,
		  const struct td_spots *spots, int event, make_key *make)
{
	for (size_t i = 0; i < hits->nr; i++) {
		const struct td_hit *hit = &hits->v[i];
		struct entry entry = {
			.function = spots->v[hit->spot].function,
			.sums = { hit->samples, hit->weight, hit->squares },
		};

		if (hit->event != event)
			continue;
		make(spots, hit, entry.key);
		if (td_array_push(&entries->v, &entries->nr, &entry,
				  sizeof(entry)))
			return -ENOMEM;
	}
	collapse(entries);
	return 0;
}

/* --- shares ----------------------------------------------------------------- */

static struct sums sum_of(const struct entries *entries)
{
	struct sums all = { 0 };

	for (size_t i = 0; i < entries->nr; i++)
		add_sums(&all, &entries->v[i].sums);
	return all;
}

static struct td_share share_of(const struct sums *part, const struct sums *all)
{
	double p = part->weight / all->weight;
	double nr = all->weight * all->weight / all->squares;
	double z = Z95 * Z95 / nr;

	return (struct td_share){
		.samples = part->samples,
		.percent = PERCENT * p,
		.error = PERCENT * sqrt(z * p * (1 - p) + z * z / 4) / (1 + z),
	};
}

static struct td_detail line_of(const struct entry *entry)
{
	return (struct td_detail){ entry->key[0], entry->key[1], -1, { 0 } };
}

static struct td_detail caller_of(const struct entry *entry)
{
	return (struct td_detail){ -1, 0, entry->key[0], { 0 } };
}

/* Entries are in the order of functions; *at is the first of this one. */
static int add_details(struct td_details *details, int function,
		       const struct entries *entries, size_t *at,
		       const struct sums *all,
		       struct td_detail (*make)(const struct entry *))
{
	int rc = 0;

	while (!rc && *at < entries->nr &&
	       entries->v[*at].function == function) {
		const struct entry *entry = &entries->v[(*at)++];
		struct td_detail detail = make(entry);

		detail.share = share_of(&entry->sums, all);
		rc = td_array_push(&details->v, &details->nr, &detail,
				   sizeof(detail));
	}
	return rc;
}

static int add_location(struct td_locations *locations,
			const struct entry *entry, const struct sums *all)
{
	const struct td_location location = {
		.function = entry->function,
		.share = share_of(&entry->sums, all),
	};

	return td_array_push(&locations->v, &locations->nr, &location,
			     sizeof(location));
}

static int by_share(const void *a, const void *b)
{
	const struct td_location *x = a, *y = b;

	if (x->share.percent != y->share.percent)
		return x->share.percent > y->share.percent ? -1 : 1;
	return compare_ints(x->function, y->function);
}

/* The same hits by three keys. */
struct views {
	struct entries functions, lines, callers;
};

static int make_views(struct views *views, const struct td_hits *hits,
		      const struct td_spots *spots, int event)
{
	int rc = sum_up(&views->functions, hits, spots, event, no_key);

	if (!rc)
		rc = sum_up(&views->lines, hits, spots, event, key_of_line);
	if (!rc)
		rc = sum_up(&views->callers, hits, spots, event, key_of_caller);
	return rc;
}

static int fill(struct td_locations *locations, const struct views *views)
{
	struct sums all = sum_of(&views->functions);
	size_t line = 0, caller = 0;
	int rc = 0;

	locations->samples = all.samples;
	locations->weight = all.weight;
	for (size_t i = 0; !rc && i < views->functions.nr; i++) {
		const struct entry *entry = &views->functions.v[i];
		struct td_location *location;

		rc = add_location(locations, entry, &all);
		if (rc)
			break;
		location = &locations->v[i];
		rc = add_details(&location->lines, entry->function,
				 &views->lines, &line, &all, line_of);
		if (!rc)
			rc = add_details(&location->callers, entry->function,
					 &views->callers, &caller, &all,
					 caller_of);
	}
	return rc;
}

int td_locations_make(struct td_locations *locations,
		      const struct td_hits *hits, const struct td_spots *spots,
		      int event)
{
	struct views views = { 0 };
	int rc = make_views(&views, hits, spots, event);

	*locations = (struct td_locations){ 0 };
	if (!rc)
		rc = fill(locations, &views);
	if (!rc && locations->nr)
		qsort(locations->v, locations->nr, sizeof(*locations->v),
		      by_share);
	free(views.functions.v);
	free(views.lines.v);
	free(views.callers.v);
	return rc;
}

void td_locations_free(struct td_locations *locations)
{
	for (size_t i = 0; i < locations->nr; i++) {
		free(locations->v[i].lines.v);
		free(locations->v[i].callers.v);
	}
	free(locations->v);
	*locations = (struct td_locations){ 0 };
}
