// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/index.h"

#include <stdlib.h>
#include <time.h>

#include "tests/unit/pace.h"
#include "tests/unit/test.h"

#define MANY 100000

/* All values of a hash, as "1 5 2". */
static void describe(const struct td_index *index, uint64_t hash, char *out)
{
	size_t step = 0, at;

	*out = '\0';
	while ((at = td_index_next(index, hash, &step)) != TD_NOT_FOUND)
		out += sprintf(out, "%s%zu", step && *out ? " " : "", at);
}

static void test_empty(void)
{
	struct td_index index = { 0 };

	ok(td_index_find(&index, 0) == TD_NOT_FOUND, "nothing is in it");
	td_index_clear(&index);
	td_index_free(&index);
	ok(td_index_find(&index, td_hash(1)) == TD_NOT_FOUND, "nor later");
}

/* Also with neighbours in the same slots, and while the table grows. */
static void test_same_hash(void)
{
	struct td_index index = { 0 };
	size_t step = 0, seen = 0;
	bool in_order = true;

	for (size_t i = 0; i < 100; i++) {
		td_index_add(&index, 15, i); /* the last slot at first */
		td_index_add(&index, 14, 1000 + i);
		td_index_add(&index, 0, 2000 + i);
	}
	for (; seen < 101; seen++) {
		size_t at = td_index_next(&index, 15, &step);

		if (at == TD_NOT_FOUND)
			break;
		in_order &= at == seen;
	}
	ok(seen == 100 && in_order, "100 of one hash, in their order");
	ok(td_index_find(&index, 14) == 1000 && td_index_find(&index, 0) == 2000,
	   "the first of the others");
	ok(td_index_find(&index, 31) == TD_NOT_FOUND, "a hash that begins at the same slot");
	td_index_free(&index);
}

static void test_set(void)
{
	struct td_index index = { 0 };
	char text[64];
	size_t step = 0;

	td_index_set(&index, 7, 1);
	td_index_set(&index, 8, 2);
	td_index_set(&index, 7, 3);
	ok(td_index_next(&index, 7, &step) == 3 && td_index_next(&index, 7, &step) == TD_NOT_FOUND,
	   "set: the last one alone");
	ok(td_index_find(&index, 8) == 2 && index.nr == 2, "set: the others");
	describe(&index, 8, text);
	is_str(text, "2", "set: once");
	td_index_clear(&index);
	ok(td_index_find(&index, 7) == TD_NOT_FOUND && !index.nr, "cleared");
	td_index_add(&index, 7, 9);
	ok(td_index_find(&index, 7) == 9, "and used again");
	td_index_free(&index);
}

static clock_t time_numbers(size_t nr, bool *right)
{
	struct td_index index = { 0 };
	clock_t began = clock();

	for (size_t i = 0; i < nr; i++) {
		td_index_add(&index, td_hash(i << 32), i);
		*right &= true;
	}
	for (size_t i = 0; i < nr; i++)
		*right &= td_index_find(&index, td_hash(i << 32)) == i;
	*right &= td_index_find(&index, td_hash(nr << 32)) == TD_NOT_FOUND;
	td_index_free(&index);
	return clock() - began;
}

/* Hashes with equal low bits: a linear search would take a minute. */
static void test_many(void)
{
	bool right = true;
	clock_t took = time_numbers(MANY, &right);

	ok(right, "many numbers are told apart");
	ok(took < test_most_time(MANY), "many numbers: %ld us", (long)took);
}

static void test_hashes(void)
{
	ok(td_hash_any_case("TMA_l1_Bound") == td_hash_any_case("tma_L1_bound") &&
		   td_hash_any_case("ab") != td_hash_any_case("ba"),
	   "texts in any case");
	ok(td_hash_text("task-clock") == td_hash_text("task-clock") &&
		   td_hash_text("ab") != td_hash_text("ba") &&
		   td_hash_text("") != td_hash_text("a"),
	   "texts");
	ok(td_hash_more(td_hash(1), 2) != td_hash_more(td_hash(2), 1), "numbers in another order");
}

int main(void)
{
	test_empty();
	test_same_hash();
	test_set();
	test_many();
	test_hashes();
	return done_testing();
}
