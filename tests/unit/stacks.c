// SPDX-License-Identifier: GPL-2.0-only
/* Samples with chains of callers, as a tree of functions. */
#include "lib/sample/hits.h"

#include "tests/unit/test.h"

static struct td_locations locations;
static struct td_hits hits;

static int object(const char *path)
{
	const struct td_object of = { .kind = TD_OBJECT_FILE, .path = (char *)(uintptr_t)path };

	return td_locations_add_object(&locations, &of);
}

/* Add a location; a name of NULL means no symbol. */
static int location(const char *path, const char *name, uint64_t address)
{
	const struct td_function f = { (char *)(uintptr_t)name, object(path), address & ~15U };
	int at = td_locations_add(&locations, f.object, address);

	locations.v[at].function = td_locations_add_function(&locations, &f);
	return at;
}

static int call(int at, int caller)
{
	return td_locations_add_call(&locations, at, caller);
}

/* "main;f": a stack, or NULL */
static const struct td_stack *find(const struct td_stacks *stacks, const char *path)
{
	char words[100], buf[TD_STACK_NAME], *rest = words;
	const struct td_stack *found = NULL;
	int caller = -1;

	snprintf(words, sizeof(words), "%s", path);
	for (char *word; (word = strsep(&rest, ";"));) {
		found = NULL;
		for (size_t i = 0; i < stacks->nr; i++) {
			const struct td_stack *s = &stacks->v[i];

			if (s->caller == caller &&
			    strcmp(td_stack_name(buf, &locations, s->function), word) == 0)
				found = s;
		}
		if (!found)
			return NULL;
		caller = (int)(found - stacks->v);
	}
	return found;
}

static bool is(const struct td_stacks *stacks, const char *path, double own, double all,
	       double from)
{
	const struct td_stack *s = find(stacks, path);

	if (s)
		printf("# %s: %g %g %g\n", path, s->own, s->all, s->from);
	return s && s->own == own && s->all == all && s->from == from;
}

static void begin(void)
{
	td_locations_free(&locations);
	td_hits_free(&hits);
}

static void test_tree(void)
{
	struct td_stacks s;
	int main_f, main_g;

	begin();
	main_f = call(location("/x", "main", 0x10), -1);
	main_g = call(location("/x", "main", 0x14), -1);
	td_hits_add(&hits, 0, location("/x", "g", 0x30), main_g, 7);
	td_hits_add(&hits, 0, location("/x", "f", 0x20), main_f, 30);
	td_hits_add(&hits, 0, location("/x", "f", 0x24), main_g, 3);
	td_hits_add(&hits, 0, location("/x", "main", 0x18), -1, 2);
	td_hits_add(&hits, 0, location("/x", "h", 0x40), call(location("/x", "f", 0x28), main_f),
		    5);
	td_hits_add(&hits, 1, location("/x", "other", 0x50), -1, 100);
	td_stacks_make(&s, &hits, &locations, 0);
	ok(s.all == 47 && s.depth == 3, "the samples of one event");
	ok(is(&s, "main", 2, 47, 0), "from two places of a function");
	ok(is(&s, "main;f", 33, 38, 0), "what it calls, in the order of names");
	ok(is(&s, "main;f;h", 5, 5, 0), "and what that calls");
	ok(is(&s, "main;g", 7, 7, 38), "the next one begins behind");
	ok(!find(&s, "other"), "no other event");
	td_stacks_free(&s);
}

static void test_names(void)
{
	struct td_stacks s;
	char buf[TD_STACK_NAME];

	begin();
	td_hits_add(&hits, 0, location("/lib/libx.so", NULL, 0x10), -1, 1);
	td_hits_add(&hits, 0, location("/lib/libx.so", NULL, 0x20), -1, 2);
	td_hits_add(&hits, 0, location("/a", "same", 0x10), call(-1, -1), 4);
	td_hits_add(&hits, 0, location("/b", "same", 0x10), call(-1, -1), 8);
	td_stacks_make(&s, &hits, &locations, 0);
	ok(is(&s, "[libx.so]", 3, 3, 0), "without symbols: the file");
	ok(is(&s, "[unknown]", 0, 12, 3), "callers that are not known");
	ok(is(&s, "[unknown];same", 12, 12, 3), "two functions of one name");
	is_str(td_stack_name(buf, &locations, -1), "[unknown]", "unknown");
	td_stacks_free(&s);
}

static void test_none(void)
{
	struct td_stacks s;

	begin();
	call(location("/x", "main", 0x10), -1);
	td_stacks_make(&s, &hits, &locations, 0);
	ok(s.all == 0 && !s.depth, "without samples there is nothing");
	td_stacks_free(&s);
}

int main(void)
{
	test_tree();
	test_names();
	test_none();
	begin();
	return done_testing();
}
