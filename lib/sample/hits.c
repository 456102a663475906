// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/hits.h"

#include <math.h>

#include "lib/base/util.h"

#define PERCENT 100
#define Z95     1.959963984540054 /* 97.5 % quantile of the normal distribution */

/* --- hits ------------------------------------------------------------------- */

static uint64_t hash_of(int event, int location, int caller)
{
	uint64_t hash = td_hash((uint32_t)event);

	hash = td_hash_more(hash, (uint32_t)location);
	return td_hash_more(hash, (uint32_t)caller);
}

/* Returns the hit with these members; adds it if it is new. */
static struct td_hit *need_hit(struct td_hits *hits, int event, int location, int caller)
{
	uint64_t hash = hash_of(event, location, caller);
	struct td_hit *hit;
	size_t step = 0, at;

	while ((at = td_index_next(&hits->index, hash, &step)) != TD_NOT_FOUND) {
		hit = &hits->v[at];
		if (hit->event == event && hit->location == location && hit->caller == caller)
			return hit;
	}
	td_index_add(&hits->index, hash, hits->nr);
	hit = td_array_add(&hits->v, hits->nr++, sizeof(*hit));
	*hit = (struct td_hit){ .event = event, .location = location, .caller = caller };
	return hit;
}

void td_hits_add(struct td_hits *hits, int event, int location, int caller, uint64_t period)
{
	struct td_hit *hit = need_hit(hits, event, location, caller);
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

/* Sums of hits with the same key. */
struct entries {
	struct entry {
		int function, key[2];
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

static int compare_keys(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	int rc = compare_ints(a->function, b->function);

	rc = rc ?: compare_ints(a->key[0], b->key[0]);
	return rc ?: compare_ints(a->key[1], b->key[1]);
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
	qsort(entries->v, entries->nr, sizeof(*entries->v), compare_keys);
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

typedef void make_key(const struct td_locations *locations, const struct td_hit *hit, int key[2]);

static void no_key(const struct td_locations *locations, const struct td_hit *hit, int key[2])
{
	(void)locations;
	(void)hit;
	key[0] = key[1] = 0;
}

static void key_of_line(const struct td_locations *locations, const struct td_hit *hit, int key[2])
{
	key[0] = locations->v[hit->location].file;
	key[1] = locations->v[hit->location].line;
}

static void key_of_caller(const struct td_locations *locations, const struct td_hit *hit,
			  int key[2])
{
	key[0] = td_locations_caller(locations, hit->location, hit->caller);
	key[1] = 0;
}

static void sum_up(struct entries *entries, const struct td_hits *hits,
		   const struct td_locations *locations, int event, make_key *make)
{
	td_for_each(const struct td_hit, hit, hits->v, hits->nr) {
		struct entry entry = {
			.function = locations->v[hit->location].function,
			.sums = { hit->samples, hit->weight, hit->squares },
		};

		if (hit->event != event)
			continue;
		make(locations, hit, entry.key);
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
	const struct td_hot_function *x = a, *y = b;

	if (x->share.percent != y->share.percent)
		return x->share.percent > y->share.percent ? -1 : 1;
	return compare_ints(x->function, y->function);
}

void td_hot_functions_make(struct td_hot_functions *hot, const struct td_hits *hits,
			   const struct td_locations *locations, int event)
{
	struct entries functions = { 0 }, lines = { 0 }, callers = { 0 };
	size_t line = 0, caller = 0;
	struct sums all = { 0 };

	sum_up(&functions, hits, locations, event, no_key);
	sum_up(&lines, hits, locations, event, key_of_line);
	sum_up(&callers, hits, locations, event, key_of_caller);
	for (size_t i = 0; i < functions.nr; i++)
		add_sums(&all, &functions.v[i].sums);
	*hot = (struct td_hot_functions){ .samples = all.samples, .weight = all.weight };
	for (size_t i = 0; i < functions.nr; i++) {
		int function = functions.v[i].function;
		struct td_hot_function one = {
			.function = function,
			.share = share_of(&functions.v[i].sums, &all),
		};

		add_details(&one.lines, function, &lines, &line, &all, line_of);
		add_details(&one.callers, function, &callers, &caller, &all, caller_of);
		td_array_push(&hot->v, &hot->nr, &one, sizeof(one));
	}
	if (hot->nr)
		qsort(hot->v, hot->nr, sizeof(*hot->v), by_share);
	free(functions.v);
	free(lines.v);
	free(callers.v);
}

void td_hot_functions_free(struct td_hot_functions *hot)
{
	for (size_t i = 0; i < hot->nr; i++) {
		free(hot->v[i].lines.v);
		free(hot->v[i].callers.v);
	}
	free(hot->v);
	*hot = (struct td_hot_functions){ 0 };
}

/* --- stacks --------------------------------------------------------------------- */

const char *td_stack_name(char buf[TD_STACK_NAME], const struct td_locations *locations,
			  int function)
{
	const struct td_function *f = &locations->functions[function];
	const char *path, *slash;

	if (function < 0)
		return "[unknown]";
	if (f->name)
		return f->name;
	path = locations->objects[f->object].path;
	if (path[0] == '[')
		return path;
	slash = strrchr(path, '/');
	snprintf(buf, TD_STACK_NAME, "[%s]", slash ? slash + 1 : path);
	return buf;
}

/* --- functions of the same name --------------------------------------------- */

static int find_name(const struct td_index *index, const struct td_locations *locations,
		     const char *name)
{
	char buf[TD_STACK_NAME];
	size_t step = 0, at;

	while ((at = td_index_next(index, td_hash_text(name), &step)) != TD_NOT_FOUND) {
		if (strcmp(td_stack_name(buf, locations, (int)at), name) == 0)
			return (int)at;
	}
	return -1;
}

/* Maps each function to the first one with the same name. */
static int *first_of_names(const struct td_locations *locations)
{
	int *first = td_calloc(locations->nr_functions + 1, sizeof(*first));
	struct td_index index = { 0 };
	char buf[TD_STACK_NAME];

	for (size_t i = 0; i < locations->nr_functions; i++) {
		const char *name = td_stack_name(buf, locations, (int)i);

		first[i] = find_name(&index, locations, name);
		if (first[i] >= 0)
			continue;
		first[i] = (int)i;
		td_index_add(&index, td_hash_text(name), i);
	}
	td_index_free(&index);
	return first;
}

/* --- the tree --------------------------------------------------------------- */

static int add(struct td_stacks *stacks, int function, int caller)
{
	uint64_t hash = td_hash_more(td_hash((uint32_t)function), (uint32_t)caller);
	struct td_stack *new;
	size_t step = 0, at;

	while ((at = td_index_next(&stacks->index, hash, &step)) != TD_NOT_FOUND) {
		new = &stacks->v[at];
		if (new->function == function &&new->caller == caller)
			return (int)at;
	}
	new = td_array_add(&stacks->v, stacks->nr, sizeof(*new));
	td_index_add(&stacks->index, hash, stacks->nr);
	*new = (struct td_stack){
		.function = function,
		.caller = caller,
		.depth = caller < 0 ? 0 : stacks->v[caller].depth + 1,
	};
	return (int)stacks->nr++;
}

static int add_location(struct td_stacks *stacks, int location, int caller)
{
	int function = location < 0 ? -1 : stacks->locations->v[location].function;

	return add(stacks, function < 0 ? -1 : stacks->first[function], caller);
}

static void add_hits(struct td_stacks *stacks, const struct td_hits *hits, int event)
{
	const struct td_locations *locations = stacks->locations;
	td_autofree int *of_calls = td_calloc(locations->nr_calls + 1, sizeof(*of_calls));

	/* the caller of a call precedes it */
	for (size_t i = 0; i < locations->nr_calls; i++) {
		const struct td_call *call = &locations->calls[i];

		of_calls[i] = add_location(stacks, call->location,
					   call->caller < 0 ? -1 : of_calls[call->caller]);
	}
	td_for_each(const struct td_hit, hit, hits->v, hits->nr) {
		int at;

		if (hit->event != event)
			continue;
		at = add_location(stacks, hit->location,
				  hit->caller < 0 ? -1 : of_calls[hit->caller]);
		stacks->v[at].own += hit->weight;
	}
}

static int by_caller_and_name(const void *x, const void *y, void *ctx)
{
	const struct td_stacks *stacks = ctx;
	const struct td_stack *a = &stacks->v[*(const int *)x];
	const struct td_stack *b = &stacks->v[*(const int *)y];
	char buf_a[TD_STACK_NAME], buf_b[TD_STACK_NAME];

	if (a->caller != b->caller)
		return a->caller - b->caller;
	return strcmp(td_stack_name(buf_a, stacks->locations, a->function),
		      td_stack_name(buf_b, stacks->locations, b->function));
}

static void place(struct td_stacks *stacks)
{
	td_autofree int *order = td_calloc(stacks->nr + 1, sizeof(*order));
	td_autofree double *next = td_calloc(stacks->nr + 1, sizeof(*next));

	for (size_t i = 0; i < stacks->nr; i++)
		order[i] = (int)i;
	qsort_r(order, stacks->nr, sizeof(*order), by_caller_and_name, stacks);
	for (size_t i = 0; i < stacks->nr; i++) {
		struct td_stack *s = &stacks->v[order[i]];
		double *at = &next[s->caller + 1];

		s->from = *at;
		*at += s->all;
		next[order[i] + 1] = s->from;
	}
}

void td_stacks_make(struct td_stacks *stacks, const struct td_hits *hits,
		    const struct td_locations *locations, int event)
{
	*stacks = (struct td_stacks){ .locations = locations, .first = first_of_names(locations) };
	add_hits(stacks, hits, event);
	for (size_t i = stacks->nr; i-- > 0;) {
		struct td_stack *s = &stacks->v[i];

		s->all += s->own;
		*(s->caller < 0 ? &stacks->all : &stacks->v[s->caller].all) += s->all;
		if (s->all > 0 && s->depth >= stacks->depth)
			stacks->depth = s->depth + 1;
	}
	place(stacks);
}

void td_stacks_free(struct td_stacks *stacks)
{
	free(stacks->v);
	free(stacks->first);
	td_index_free(&stacks->index);
	*stacks = (struct td_stacks){ 0 };
}
