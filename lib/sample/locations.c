// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/locations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/util.h"

#define PERCENT 100
#define Z95     1.959963984540054 /* 97.5 % quantile of the normal distribution */

/* --- hits ------------------------------------------------------------------- */

static uint64_t hash_of(int event, int spot, int caller)
{
	uint64_t hash = td_hash((uint32_t)event);

	hash = td_hash_more(hash, (uint32_t)spot);
	return td_hash_more(hash, (uint32_t)caller);
}

/* Returns the hit with these members; adds it if it is new. */
static struct td_hit *need_hit(struct td_hits *hits, int event, int spot, int caller)
{
	uint64_t hash = hash_of(event, spot, caller);
	struct td_hit *hit;
	size_t step = 0, at;

	while ((at = td_index_next(&hits->index, hash, &step)) != TD_NOT_FOUND) {
		hit = &hits->v[at];
		if (hit->event == event && hit->spot == spot && hit->caller == caller)
			return hit;
	}
	td_index_add(&hits->index, hash, hits->nr);
	hit = td_array_add(&hits->v, hits->nr++, sizeof(*hit));
	*hit = (struct td_hit){ .event = event, .spot = spot, .caller = caller };
	return hit;
}

void td_hits_add(struct td_hits *hits, int event, int spot, int caller, uint64_t period)
{
	struct td_hit *hit = need_hit(hits, event, spot, caller);
	double weight = (double)(period ? period : 1);

	hit->samples++;
	hit->weight += weight;
	hit->squares += weight * weight;
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

/* The sums of hits with the same key. */
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

/* Merges the entries with the same key. */
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

typedef void make_key(const struct td_spots *spots, const struct td_hit *hit, int key[2]);

static void no_key(const struct td_spots *spots, const struct td_hit *hit, int key[2])
{
	(void)spots;
	(void)hit;
	key[0] = key[1] = 0;
}

static void key_of_line(const struct td_spots *spots, const struct td_hit *hit, int key[2])
{
	key[0] = spots->v[hit->spot].file;
	key[1] = spots->v[hit->spot].line;
}

static void key_of_caller(const struct td_spots *spots, const struct td_hit *hit, int key[2])
{
	key[0] = td_spots_caller(spots, hit->spot, hit->caller);
	key[1] = 0;
}

static void sum_up(struct entries *entries, const struct td_hits *hits,
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
		td_array_push(&entries->v, &entries->nr, &entry, sizeof(entry));
	}
	collapse(entries);
}

/* --- shares ----------------------------------------------------------------- */

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

/* Adds the entries of a function from *at on.  They are sorted by function. */
static void add_details(struct td_details *details, int function, const struct entries *entries,
			size_t *at, const struct sums *all,
			struct td_detail (*make)(const struct entry *))
{
	while (*at < entries->nr && entries->v[*at].function == function) {
		const struct entry *entry = &entries->v[(*at)++];
		struct td_detail detail = make(entry);

		detail.share = share_of(&entry->sums, all);
		td_array_push(&details->v, &details->nr, &detail, sizeof(detail));
	}
}

static int by_share(const void *a, const void *b)
{
	const struct td_location *x = a, *y = b;

	if (x->share.percent != y->share.percent)
		return x->share.percent > y->share.percent ? -1 : 1;
	return compare_ints(x->function, y->function);
}

void td_locations_make(struct td_locations *locations, const struct td_hits *hits,
		       const struct td_spots *spots, int event)
{
	struct entries functions = { 0 }, lines = { 0 }, callers = { 0 };
	size_t line = 0, caller = 0;
	struct sums all = { 0 };

	sum_up(&functions, hits, spots, event, no_key);
	sum_up(&lines, hits, spots, event, key_of_line);
	sum_up(&callers, hits, spots, event, key_of_caller);
	for (size_t i = 0; i < functions.nr; i++)
		add_sums(&all, &functions.v[i].sums);
	*locations = (struct td_locations){ .samples = all.samples, .weight = all.weight };
	for (size_t i = 0; i < functions.nr; i++) {
		int function = functions.v[i].function;
		struct td_location location = {
			.function = function,
			.share = share_of(&functions.v[i].sums, &all),
		};

		add_details(&location.lines, function, &lines, &line, &all, line_of);
		add_details(&location.callers, function, &callers, &caller, &all, caller_of);
		td_array_push(&locations->v, &locations->nr, &location, sizeof(location));
	}
	if (locations->nr)
		qsort(locations->v, locations->nr, sizeof(*locations->v), by_share);
	free(functions.v);
	free(lines.v);
	free(callers.v);
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
