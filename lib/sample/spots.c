// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/spots.h"

#include "lib/base/util.h"

static uint64_t hash_place(int object, uint64_t address)
{
	return td_hash_more(td_hash((uint64_t)object), address);
}

/* Adds the last element to an index and to the count of elements.  Returns its position. */
static int add_indexed(struct td_index *index, uint64_t hash, size_t *nr)
{
	td_index_add(index, hash, *nr);
	return (int)(*nr)++;
}

int td_spots_add(struct td_spots *spots, int object, uint64_t address)
{
	uint64_t hash = hash_place(object, address);
	struct td_spot *spot;
	size_t step = 0, at;

	while ((at = td_index_next(&spots->by_address, hash, &step)) != TD_NOT_FOUND) {
		if (spots->v[at].object == object && spots->v[at].address == address)
			return (int)at;
	}
	spot = td_array_add(&spots->v, spots->nr, sizeof(*spot));
	*spot = (struct td_spot){
		.object = object, .address = address, .function = -1, .file = -1
	};
	return add_indexed(&spots->by_address, hash, &spots->nr);
}

static uint64_t hash_object(const struct td_object *object)
{
	uint64_t hash = td_hash_more(td_hash_text(object->path), object->kind);

	if (object->kind == TD_OBJECT_MEMORY)
		return td_hash_more(hash, (uint64_t)object->pid);
	for (size_t i = 0; i < object->build_id.size; i++)
		hash = td_hash_more(hash, object->build_id.v[i]);
	return hash;
}

bool td_build_id_same(const struct td_build_id *a, const struct td_build_id *b)
{
	return a->size == b->size && memcmp(a->v, b->v, a->size) == 0;
}

void td_build_id_text(char text[TD_BUILD_ID_TEXT], const struct td_build_id *id)
{
	text[0] = '\0';
	for (size_t i = 0; i < id->size; i++)
		snprintf(text + 2 * i, 3, "%02x", id->v[i]);
}

static bool same_object(const struct td_object *a, const struct td_object *b)
{
	if (a->kind != b->kind || strcmp(a->path, b->path) != 0)
		return false;
	if (a->kind == TD_OBJECT_MEMORY)
		return a->pid == b->pid;
	return td_build_id_same(&a->build_id, &b->build_id);
}

int td_spots_add_object(struct td_spots *spots, const struct td_object *object)
{
	uint64_t hash = hash_object(object);
	struct td_object *new;
	size_t step = 0, at;

	while ((at = td_index_next(&spots->by_object, hash, &step)) != TD_NOT_FOUND) {
		if (same_object(&spots->objects[at], object))
			return (int)at;
	}
	new = td_array_add(&spots->objects, spots->nr_objects, sizeof(*new));
	*new = *object;
	new->path = td_strdup(object->path);
	return add_indexed(&spots->by_object, hash, &spots->nr_objects);
}

int td_spots_add_function(struct td_spots *spots, const struct td_function *function)
{
	uint64_t hash = hash_place(function->object, function->address);
	struct td_function *new;
	size_t step = 0, at;

	if (function->name)
		hash = td_hash_more(hash, td_hash_text(function->name));
	while ((at = td_index_next(&spots->by_function, hash, &step)) != TD_NOT_FOUND) {
		new = &spots->functions[at];
		if (new->object == function->object &&new->address == function->address &&
		    td_same_text(new->name, function->name))
			return (int)at;
	}
	new = td_array_add(&spots->functions, spots->nr_functions, sizeof(*new));
	*new = *function;
	new->name = function->name ? td_strdup(function->name) : NULL;
	return add_indexed(&spots->by_function, hash, &spots->nr_functions);
}

void td_spots_add_nameless(struct td_spots *spots)
{
	td_for_each(struct td_spot, spot, spots->v, spots->nr) {
		const struct td_function nameless = { NULL, spot->object, spot->address };

		if (spot->function < 0)
			spot->function = td_spots_add_function(spots, &nameless);
	}
}

int td_spots_add_file(struct td_spots *spots, const char *path)
{
	uint64_t hash = td_hash_text(path);
	size_t step = 0, at;
	char **new;

	while ((at = td_index_next(&spots->by_file, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(spots->files[at], path) == 0)
			return (int)at;
	}
	new = td_array_add(&spots->files, spots->nr_files, sizeof(*new));
	*new = td_strdup(path);
	return add_indexed(&spots->by_file, hash, &spots->nr_files);
}

int td_spots_add_call(struct td_spots *spots, int spot, int caller)
{
	uint64_t hash = td_hash_more(td_hash((uint32_t)spot), (uint32_t)caller);
	struct td_call *new;
	size_t step = 0, at;

	while ((at = td_index_next(&spots->by_call, hash, &step)) != TD_NOT_FOUND) {
		new = &spots->calls[at];
		if (new->spot == spot &&new->caller == caller)
			return (int)at;
	}
	if (spots->nr_calls >= TD_MAX_CALLS)
		return -E2BIG;
	new = td_array_add(&spots->calls, spots->nr_calls, sizeof(*new));
	*new = (struct td_call){ spot, caller };
	return add_indexed(&spots->by_call, hash, &spots->nr_calls);
}

static bool is_kernel(const struct td_spots *spots, int spot)
{
	return spots->objects[spots->v[spot].object].kind == TD_OBJECT_KERNEL;
}

int td_spots_caller(const struct td_spots *spots, int spot, int call)
{
	int from = call < 0 ? -1 : spots->calls[call].spot;

	if (from < 0 || is_kernel(spots, spot) != is_kernel(spots, from))
		return -1;
	return spots->v[from].function;
}

static int by_object(const void *x, const void *y, void *ctx)
{
	const struct td_spot *v = ctx;
	int a = *(const int *)x, b = *(const int *)y;
	int difference = v[a].object - v[b].object;

	return difference ? difference : a - b;
}

int *td_spots_unknown(const struct td_spots *spots, size_t *nr)
{
	int *unknown = td_malloc((spots->nr + 1) * sizeof(*unknown));

	*nr = 0;
	for (size_t i = 0; i < spots->nr; i++) {
		const struct td_spot *spot = &spots->v[i];

		if (spot->function < 0 && !spots->objects[spot->object].given_up)
			unknown[(*nr)++] = (int)i;
	}
	qsort_r(unknown, *nr, sizeof(*unknown), by_object, spots->v);
	return unknown;
}

void td_spots_free(struct td_spots *spots)
{
	for (size_t i = 0; i < spots->nr_objects; i++)
		free(spots->objects[i].path);
	for (size_t i = 0; i < spots->nr_functions; i++)
		free(spots->functions[i].name);
	for (size_t i = 0; i < spots->nr_files; i++)
		free(spots->files[i]);
	free(spots->v);
	free(spots->objects);
	free(spots->functions);
	free(spots->files);
	free(spots->calls);
	td_index_free(&spots->by_address);
	td_index_free(&spots->by_object);
	td_index_free(&spots->by_function);
	td_index_free(&spots->by_file);
	td_index_free(&spots->by_call);
	*spots = (struct td_spots){ 0 };
}
