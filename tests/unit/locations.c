// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/locations.h"

#include "lib/base/util.h"
#include "tests/unit/test.h"

static char text_a[] = "/bin/a", text_b[] = "/bin/b", text_anon[] = "//anon";

static int add_object(struct td_locations *locations, enum td_object_kind kind, char *path, int pid,
		      uint8_t id)
{
	struct td_object object = { kind, path, pid, { { id }, id ? 1 : 0 } };

	return td_locations_add_object(locations, &object);
}

static void test_objects(void)
{
	struct td_locations locations = { 0 };

	ok(add_object(&locations, TD_OBJECT_FILE, text_a, 1, 0) == 0, "an object");
	ok(add_object(&locations, TD_OBJECT_FILE, text_a, 2, 0) == 0 &&
		   locations.objects[0].pid == 1,
	   "the same in another process");
	ok(add_object(&locations, TD_OBJECT_FILE, text_b, 1, 0) == 1, "another path");
	ok(add_object(&locations, TD_OBJECT_FILE, text_a, 1, 5) == 2 &&
		   add_object(&locations, TD_OBJECT_FILE, text_a, 1, 6) == 3 &&
		   add_object(&locations, TD_OBJECT_FILE, text_a, 9, 5) == 2,
	   "other build ids");
	ok(add_object(&locations, TD_OBJECT_MEMORY, text_anon, 1, 0) == 4 &&
		   add_object(&locations, TD_OBJECT_MEMORY, text_anon, 2, 0) == 5 &&
		   add_object(&locations, TD_OBJECT_MEMORY, text_anon, 1, 7) == 4,
	   "memory is told apart by process");
	ok(locations.objects[0].path != text_a, "the path is copied");
	td_locations_free(&locations);
	ok(!locations.nr_objects && !locations.objects, "freed");
}

static void test_locations(void)
{
	struct td_locations locations = { 0 };
	bool right = true;

	ok(td_locations_add(&locations, 0, 7) == 0 && td_locations_add(&locations, 1, 7) == 1 &&
		   td_locations_add(&locations, 0, 8) == 2 &&
		   td_locations_add(&locations, 1, 7) == 1,
	   "locations by object and address");
	ok(locations.v[2].function == -1 && locations.v[2].file == -1 && locations.v[2].line == 0 &&
		   locations.v[2].address == 8,
	   "a new one is not resolved");
	for (int i = 0; i < 100000; i++)
		right &= td_locations_add(&locations, 2, (uint64_t)i << 12) == 3 + i;
	for (int i = 0; i < 100000; i++)
		right &= td_locations_add(&locations, 2, (uint64_t)i << 12) == 3 + i;
	ok(right && locations.nr == 100003, "many");
	td_locations_free(&locations);
}

static int add_function(struct td_locations *locations, char *name, int object, uint64_t address)
{
	struct td_function function = { name, object, address };

	return td_locations_add_function(locations, &function);
}

static void test_functions(void)
{
	struct td_locations locations = { 0 };
	char empty[] = "";

	ok(add_function(&locations, text_a, 0, 1) == 0 &&
		   add_function(&locations, text_b, 0, 1) == 1 &&
		   add_function(&locations, text_a, 1, 1) == 2 &&
		   add_function(&locations, text_a, 0, 2) == 3 &&
		   add_function(&locations, text_a, 0, 1) == 0,
	   "functions by object, address and name");
	ok(add_function(&locations, NULL, 0, 1) == 4 && add_function(&locations, NULL, 0, 1) == 4 &&
		   add_function(&locations, empty, 0, 1) == 5,
	   "without a name, and with an empty one");
	ok(td_locations_add_file(&locations, "a.c") == 0 &&
		   td_locations_add_file(&locations, "b.c") == 1 &&
		   td_locations_add_file(&locations, "a.c") == 0,
	   "files");
	td_locations_free(&locations);
}

/* Every second location has a function, and all locations of every third object. */
static void test_unknown(void)
{
	struct td_locations locations = { 0 };
	td_autofree int *unknown = NULL, *none = NULL;
	bool sorted = true, right = true;
	size_t nr, nr_none;

	for (int i = 0; i < 10; i++)
		add_object(&locations, TD_OBJECT_MEMORY, text_anon, i, 0);
	for (int i = 0; i < 1000; i++) {
		struct td_location *location;

		td_locations_add(&locations, i * 7 % 10, (uint64_t)i);
		location = &locations.v[i];
		if (i / 10 % 2 || location->object % 3 == 0)
			location->function = 0;
	}
	locations.objects[5].given_up = true;
	unknown = td_locations_unknown(&locations, &nr);
	ok(nr == 5 * 50, "the unknown locations of five objects");
	for (size_t i = 0; i < nr; i++) {
		const struct td_location *location = &locations.v[unknown[i]];

		right &= location->function < 0 && location->object != 5;
		sorted &= !i || locations.v[unknown[i - 1]].object < location->object ||
			  (locations.v[unknown[i - 1]].object == location->object &&
			   unknown[i - 1] < unknown[i]);
	}
	ok(right, "none is known, or of one that was given up");
	ok(sorted, "sorted by object");
	td_locations_free(&locations);
	none = td_locations_unknown(&locations, &nr_none);
	ok(nr_none == 0, "of no locations");
}

int main(void)
{
	test_unknown();
	test_objects();
	test_locations();
	test_functions();
	return done_testing();
}
