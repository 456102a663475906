// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/sample/locations.h"

const char *td_stack_name(char buf[TD_STACK_NAME], const struct td_spots *spots, int function)
{
	const struct td_function *f = &spots->functions[function];
	const char *path, *slash;

	if (function < 0)
		return "[unknown]";
	if (f->name)
		return f->name;
	path = spots->objects[f->object].path;
	if (path[0] == '[')
		return path;
	slash = strrchr(path, '/');
	snprintf(buf, TD_STACK_NAME, "[%s]", slash ? slash + 1 : path);
	return buf;
}

/* --- functions of the same name --------------------------------------------- */

static int find_name(const struct td_index *index, const struct td_spots *spots, const char *name)
{
	char buf[TD_STACK_NAME];
	size_t step = 0, at;

	while ((at = td_index_next(index, td_hash_text(name), &step)) != TD_NOT_FOUND) {
		if (strcmp(td_stack_name(buf, spots, (int)at), name) == 0)
			return (int)at;
	}
	return -1;
}

/* Maps each function to the first one with the same name. */
static int *first_of_names(const struct td_spots *spots)
{
	int *first = td_calloc(spots->nr_functions + 1, sizeof(*first));
	struct td_index index = { 0 };
	char buf[TD_STACK_NAME];

	for (size_t i = 0; i < spots->nr_functions; i++) {
		const char *name = td_stack_name(buf, spots, (int)i);

		first[i] = find_name(&index, spots, name);
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

static int add_spot(struct td_stacks *stacks, int spot, int caller)
{
	int function = spot < 0 ? -1 : stacks->spots->v[spot].function;

	return add(stacks, function < 0 ? -1 : stacks->first[function], caller);
}

static void add_hits(struct td_stacks *stacks, const struct td_hits *hits, int event)
{
	const struct td_spots *spots = stacks->spots;
	td_autofree int *of_calls = td_calloc(spots->nr_calls + 1, sizeof(*of_calls));

	/* the caller of a call precedes it */
	for (size_t i = 0; i < spots->nr_calls; i++) {
		const struct td_call *call = &spots->calls[i];

		of_calls[i] = add_spot(stacks, call->spot,
				       call->caller < 0 ? -1 : of_calls[call->caller]);
	}
	for (size_t i = 0; i < hits->nr; i++) {
		const struct td_hit *hit = &hits->v[i];
		int at;

		if (hit->event != event)
			continue;
		at = add_spot(stacks, hit->spot, hit->caller < 0 ? -1 : of_calls[hit->caller]);
		stacks->v[at].own += hit->weight;
	}
}

static void sum_up(struct td_stacks *stacks)
{
	for (size_t i = stacks->nr; i-- > 0;) {
		struct td_stack *s = &stacks->v[i];

		s->all += s->own;
		*(s->caller < 0 ? &stacks->all : &stacks->v[s->caller].all) += s->all;
		if (s->all > 0 && s->depth >= stacks->depth)
			stacks->depth = s->depth + 1;
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
	return strcmp(td_stack_name(buf_a, stacks->spots, a->function),
		      td_stack_name(buf_b, stacks->spots, b->function));
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
		    const struct td_spots *spots, int event)
{
	*stacks = (struct td_stacks){ .spots = spots, .first = first_of_names(spots) };
	add_hits(stacks, hits, event);
	sum_up(stacks);
	place(stacks);
}

void td_stacks_free(struct td_stacks *stacks)
{
	free(stacks->v);
	free(stacks->first);
	td_index_free(&stacks->index);
	*stacks = (struct td_stacks){ 0 };
}
