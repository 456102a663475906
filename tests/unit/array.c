// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/util.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* Larger than what malloc() rounds a size up by. */
struct element {
	uint64_t v[8];
};

/* True if v can grow from nr to 20 elements, and all keep their values. */
static bool grows(struct element *v, size_t nr)
{
	bool kept = true;

	for (; nr < 20; nr++) {
		struct element *new = td_array_add(&v, nr, sizeof(*new));

		if (malloc_usable_size(v) < (nr + 1) * sizeof(*v) || new->v[0])
			return false;
		new->v[0] = nr + 1;
	}
	for (size_t i = 0; i < nr; i++)
		kept &= v[i].v[0] == i + 1;
	free(v);
	return kept;
}

static struct element *filled(struct element *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		v[i].v[0] = i + 1;
	return v;
}

static void test_own(void)
{
	struct element *v = NULL;

	for (size_t i = 0; i < 6; i++)
		td_array_add(&v, i, sizeof(*v));
	ok(grows(filled(v, 3), 3), "elements taken off, then added anew");
	ok(grows(NULL, 0), "from NULL");
}

/* Arrays whose capacity is not a power of two. */
static void test_others(void)
{
	for (size_t nr = 1; nr < 10; nr++)
		ok(grows(filled(calloc(nr, sizeof(struct element)), nr), nr),
		   "from calloc() with %zu elements", nr);
}

static void test_cut(void)
{
	struct element *v = NULL, *cut;

	for (size_t i = 0; i < 9; i++)
		td_array_add(&v, i, sizeof(*v));
	cut = reallocarray(v, 5, sizeof(*v));
	ok(cut && grows(filled(cut, 5), 5), "cut to its size");
}

static void test_push(void)
{
	struct element *v = NULL, element = { 0 };
	bool kept = true;
	size_t nr = 0;

	while (nr < 20) {
		element.v[0] = nr + 1;
		td_array_push(&v, &nr, &element, sizeof(element));
	}
	for (size_t i = 0; i < nr; i++)
		kept &= v[i].v[0] == i + 1;
	ok(kept, "copies, each counted");
	free(v);
}

static void end(void)
{
	_exit(7);
}

/* A failed allocation ends the process by its handler. */
static bool ends(void (*ask)(void), int as)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(0);
		if (as == 7)
			td_memory_on_failure(end);
		ask();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == as;
}

static void ask_array(void)
{
	struct element *v = NULL, element = { 0 };
	size_t nr = 1000;

	td_array_push(&v, &nr, &element, SIZE_MAX / 4);
}

static void ask_library(void)
{
	free(td_need(NULL));
	_exit(8);
}

static void ask_nothing(void)
{
	void *none = td_reallocarray(NULL, 0, 8);

	free(none);
	_exit(9);
}

static void test_failure(void)
{
	ok(ends(ask_array, 1) && ends(ask_array, 7), "an array");
	ok(ends(ask_library, 1) && ends(ask_library, 7), "a library");
	ok(ends(ask_nothing, 9), "no elements are not a failure");
}

int main(void)
{
	test_push();
	test_failure();
	test_own();
	test_others();
	test_cut();
	return done_testing();
}
