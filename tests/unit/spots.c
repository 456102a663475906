// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/spots.h"

#include "lib/base/util.h"
#include "tests/unit/test.h"

static char text_a[] = "/bin/a", text_b[] = "/bin/b", text_anon[] = "//anon";

static int add_object(struct td_spots *spots, enum td_object_kind kind, char *path, int pid,
		      uint8_t id)
{
	struct td_object object = { kind, path, pid, { { id }, id ? 1 : 0 } };

	return td_spots_add_object(spots, &object);
}

static void test_objects(void)
{
	struct td_spots spots = { 0 };

	ok(add_object(&spots, TD_OBJECT_FILE, text_a, 1, 0) == 0, "an object");
	ok(add_object(&spots, TD_OBJECT_FILE, text_a, 2, 0) == 0 && spots.objects[0].pid == 1,
	   "the same in another process");
	ok(add_object(&spots, TD_OBJECT_FILE, text_b, 1, 0) == 1, "another path");
	ok(add_object(&spots, TD_OBJECT_FILE, text_a, 1, 5) == 2 &&
		   add_object(&spots, TD_OBJECT_FILE, text_a, 1, 6) == 3 &&
		   add_object(&spots, TD_OBJECT_FILE, text_a, 9, 5) == 2,
	   "other build ids");
	ok(add_object(&spots, TD_OBJECT_MEMORY, text_anon, 1, 0) == 4 &&
		   add_object(&spots, TD_OBJECT_MEMORY, text_anon, 2, 0) == 5 &&
		   add_object(&spots, TD_OBJECT_MEMORY, text_anon, 1, 7) == 4,
	   "memory is told apart by process");
	ok(spots.objects[0].path != text_a, "the path is copied");
	td_spots_free(&spots);
	ok(!spots.nr_objects && !spots.objects, "freed");
}

static void test_spots(void)
{
	struct td_spots spots = { 0 };
	bool right = true;

	ok(td_spots_add(&spots, 0, 7) == 0 && td_spots_add(&spots, 1, 7) == 1 &&
		   td_spots_add(&spots, 0, 8) == 2 && td_spots_add(&spots, 1, 7) == 1,
	   "spots by object and address");
	ok(spots.v[2].function == -1 && spots.v[2].file == -1 && spots.v[2].line == 0 &&
		   spots.v[2].address == 8,
	   "a new one is not resolved");
	for (int i = 0; i < 100000; i++)
		right &= td_spots_add(&spots, 2, (uint64_t)i << 12) == 3 + i;
	for (int i = 0; i < 100000; i++)
		right &= td_spots_add(&spots, 2, (uint64_t)i << 12) == 3 + i;
	ok(right && spots.nr == 100003, "many");
	td_spots_free(&spots);
}

static int add_function(struct td_spots *spots, char *name, int object, uint64_t address)
{
	struct td_function function = { name, object, address };

	return td_spots_add_function(spots, &function);
}

static void test_functions(void)
{
	struct td_spots spots = { 0 };
	char empty[] = "";

	ok(add_function(&spots, text_a, 0, 1) == 0 && add_function(&spots, text_b, 0, 1) == 1 &&
		   add_function(&spots, text_a, 1, 1) == 2 &&
		   add_function(&spots, text_a, 0, 2) == 3 &&
		   add_function(&spots, text_a, 0, 1) == 0,
	   "functions by object, address and name");
	ok(add_function(&spots, NULL, 0, 1) == 4 && add_function(&spots, NULL, 0, 1) == 4 &&
		   add_function(&spots, empty, 0, 1) == 5,
	   "without a name, and with an empty one");
	ok(td_spots_add_file(&spots, "a.c") == 0 && td_spots_add_file(&spots, "b.c") == 1 &&
		   td_spots_add_file(&spots, "a.c") == 0,
	   "files");
	td_spots_free(&spots);
}

/* Every second spot is known, of every third object all. */
static void test_unknown(void)
{
	struct td_spots spots = { 0 };
	td_autofree int *unknown = NULL, *none = NULL;
	bool sorted = true, right = true;
	size_t nr, nr_none;

	for (int i = 0; i < 10; i++)
		add_object(&spots, TD_OBJECT_MEMORY, text_anon, i, 0);
	for (int i = 0; i < 1000; i++) {
		struct td_spot *spot;

		td_spots_add(&spots, i * 7 % 10, (uint64_t)i);
		spot = &spots.v[i];
		if (i / 10 % 2 || spot->object % 3 == 0)
			spot->function = 0;
	}
	spots.objects[5].given_up = true;
	unknown = td_spots_unknown(&spots, &nr);
	ok(nr == 5 * 50, "the unknown spots of five objects");
	for (size_t i = 0; i < nr; i++) {
		const struct td_spot *spot = &spots.v[unknown[i]];

		right &= spot->function < 0 && spot->object != 5;
		sorted &= !i || spots.v[unknown[i - 1]].object < spot->object ||
			  (spots.v[unknown[i - 1]].object == spot->object &&
			   unknown[i - 1] < unknown[i]);
	}
	ok(right, "none is known, or of one that was given up");
	ok(sorted, "sorted by object");
	td_spots_free(&spots);
	none = td_spots_unknown(&spots, &nr_none);
	ok(nr_none == 0, "of no spots");
}

int main(void)
{
	test_unknown();
	test_objects();
	test_spots();
	test_functions();
	return done_testing();
}
