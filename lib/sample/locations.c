// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/locations.h"

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

int td_locations_add(struct td_locations *locations, int object, uint64_t address)
{
	uint64_t hash = hash_place(object, address);
	struct td_location *location;
	size_t step = 0, at;

	while ((at = td_index_next(&locations->by_address, hash, &step)) != TD_NOT_FOUND) {
		if (locations->v[at].object == object && locations->v[at].address == address)
			return (int)at;
	}
	location = td_array_add(&locations->v, locations->nr, sizeof(*location));
	*location = (struct td_location){
		.object = object, .address = address, .function = -1, .file = -1
	};
	return add_indexed(&locations->by_address, hash, &locations->nr);
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

int td_locations_add_object(struct td_locations *locations, const struct td_object *object)
{
	uint64_t hash = hash_object(object);
	struct td_object *new;
	size_t step = 0, at;

	while ((at = td_index_next(&locations->by_object, hash, &step)) != TD_NOT_FOUND) {
		if (same_object(&locations->objects[at], object))
			return (int)at;
	}
	new = td_array_add(&locations->objects, locations->nr_objects, sizeof(*new));
	*new = *object;
	new->path = td_strdup(object->path);
	return add_indexed(&locations->by_object, hash, &locations->nr_objects);
}

int td_locations_add_function(struct td_locations *locations, const struct td_function *function)
{
	uint64_t hash = hash_place(function->object, function->address);
	struct td_function *new;
	size_t step = 0, at;

	if (function->name)
		hash = td_hash_more(hash, td_hash_text(function->name));
	while ((at = td_index_next(&locations->by_function, hash, &step)) != TD_NOT_FOUND) {
		new = &locations->functions[at];
		if (new->object == function->object &&new->address == function->address &&
		    td_same_text(new->name, function->name))
			return (int)at;
	}
	new = td_array_add(&locations->functions, locations->nr_functions, sizeof(*new));
	*new = *function;
	new->name = function->name ? td_strdup(function->name) : NULL;
	return add_indexed(&locations->by_function, hash, &locations->nr_functions);
}

void td_locations_add_nameless(struct td_locations *locations)
{
	td_for_each(struct td_location, location, locations->v, locations->nr) {
		const struct td_function nameless = { NULL, location->object, location->address };

		if (location->function < 0)
			location->function = td_locations_add_function(locations, &nameless);
	}
}

int td_locations_add_file(struct td_locations *locations, const char *path)
{
	uint64_t hash = td_hash_text(path);
	size_t step = 0, at;
	char **new;

	while ((at = td_index_next(&locations->by_file, hash, &step)) != TD_NOT_FOUND) {
		if (strcmp(locations->files[at], path) == 0)
			return (int)at;
	}
	new = td_array_add(&locations->files, locations->nr_files, sizeof(*new));
	*new = td_strdup(path);
	return add_indexed(&locations->by_file, hash, &locations->nr_files);
}

int td_locations_add_call(struct td_locations *locations, int location, int caller)
{
	uint64_t hash = td_hash_more(td_hash((uint32_t)location), (uint32_t)caller);
	struct td_call *new;
	size_t step = 0, at;

	while ((at = td_index_next(&locations->by_call, hash, &step)) != TD_NOT_FOUND) {
		new = &locations->calls[at];
		if (new->location == location &&new->caller == caller)
			return (int)at;
	}
	if (locations->nr_calls >= TD_MAX_CALLS)
		return -E2BIG;
	new = td_array_add(&locations->calls, locations->nr_calls, sizeof(*new));
	*new = (struct td_call){ location, caller };
	return add_indexed(&locations->by_call, hash, &locations->nr_calls);
}

static bool is_kernel(const struct td_locations *locations, int location)
{
	return locations->objects[locations->v[location].object].kind == TD_OBJECT_KERNEL;
}

int td_locations_caller(const struct td_locations *locations, int location, int call)
{
	int from = call < 0 ? -1 : locations->calls[call].location;

	if (from < 0 || is_kernel(locations, location) != is_kernel(locations, from))
		return -1;
	return locations->v[from].function;
}

static int by_object(const void *x, const void *y, void *ctx)
{
	const struct td_location *v = ctx;
	int a = *(const int *)x, b = *(const int *)y;
	int difference = v[a].object - v[b].object;

	return difference ? difference : a - b;
}

int *td_locations_unknown(const struct td_locations *locations, size_t *nr)
{
	int *unknown = td_malloc((locations->nr + 1) * sizeof(*unknown));

	*nr = 0;
	for (size_t i = 0; i < locations->nr; i++) {
		const struct td_location *location = &locations->v[i];

		if (location->function < 0 && !locations->objects[location->object].given_up)
			unknown[(*nr)++] = (int)i;
	}
	qsort_r(unknown, *nr, sizeof(*unknown), by_object, locations->v);
	return unknown;
}

void td_locations_free(struct td_locations *locations)
{
	for (size_t i = 0; i < locations->nr_objects; i++)
		free(locations->objects[i].path);
	for (size_t i = 0; i < locations->nr_functions; i++)
		free(locations->functions[i].name);
	for (size_t i = 0; i < locations->nr_files; i++)
		free(locations->files[i]);
	free(locations->v);
	free(locations->objects);
	free(locations->functions);
	free(locations->files);
	free(locations->calls);
	td_index_free(&locations->by_address);
	td_index_free(&locations->by_object);
	td_index_free(&locations->by_function);
	td_index_free(&locations->by_file);
	td_index_free(&locations->by_call);
	*locations = (struct td_locations){ 0 };
}
