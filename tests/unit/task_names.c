// SPDX-License-Identifier: GPL-2.0-only
#include "lib/target/target.h"

#include <stdlib.h>
#include <time.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define MAX_STEPS 8

/* clang-format off */
/* Names that are set, and names that are found; told contains the new ones. */
static const struct {
	const char *name;
	struct {
		int tid;
		const char *name; /* NULL: report now, and compare with told */
		const char *told;
	} steps[MAX_STEPS];
	const char *found; /* at the end: "tid=name ..." of tids 0 to 9 */
} rows[] = {
	{ "none", { { 0, NULL, "" } }, "" },
	{ "one", { { 7, "make" }, { 0, NULL, "7=make" }, { 0, NULL, "" } },
	  "7=make" },
	{ "in any order",
	  { { 7, "g" }, { 3, "c" }, { 9, "i" }, { 1, "a" }, { 8, "h" },
	    { 0, "z" }, { 0, NULL, "7=g 3=c 9=i 1=a 8=h 0=z" } },
	  "0=z 1=a 3=c 7=g 8=h 9=i" },
	{ "a new name before it was told", { { 7, "a" }, { 7, "b" },
					     { 0, NULL, "7=b" } }, "7=b" },
	{ "a new name after it was told",
	  { { 7, "a" }, { 5, "x" }, { 0, NULL, "7=a 5=x" }, { 7, "b" },
	    { 0, NULL, "7=b" }, { 0, NULL, "" } }, "5=x 7=b" },
	{ "the same name is nothing new",
	  { { 7, "a" }, { 0, NULL, "7=a" }, { 7, "a" }, { 0, NULL, "" } },
	  "7=a" },
	{ "one that begins in between is told, the others are not again",
	  { { 3, "a" }, { 5, "b" }, { 0, NULL, "3=a 5=b" }, { 4, "c" },
	    { 1, "d" }, { 0, NULL, "4=c 1=d" } }, "1=d 3=a 4=c 5=b" },
	{ "two tasks of one name, and no name at all",
	  { { 3, "a" }, { 4, "a" }, { 5, "" },
	    { 0, NULL, "3=a 4=a 5=" } }, "3=a 4=a 5=" },
};

static const struct {
	const char *path, *text;
} files[] = {
	{ "7/comm", "make\n" },
	{ "8/comm", "with blanks - \303\251\n" },
	{ "9/comm", "\n" },
	{ "2147483647/comm", "last\n" },
};
/* clang-format on */

static char *tell(struct td_task_names *names)
{
	const struct td_task_name *name;
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	const char *blank = "";

	if (!fp)
		return NULL;
	while ((name = td_task_names_next(names))) {
		fprintf(fp, "%s%d=%s", blank, name->tid, name->name);
		blank = " ";
	}
	fclose(fp);
	return text;
}

static char *find_all(const struct td_task_names *names)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	const char *blank = "";

	if (!fp)
		return NULL;
	for (int tid = 0; tid < 10; tid++) {
		const char *name = td_task_names_find(names, tid);

		if (!name)
			continue;
		fprintf(fp, "%s%d=%s", blank, tid, name);
		blank = " ";
	}
	fclose(fp);
	return text;
}

static bool is_step(size_t r, size_t s)
{
	return s < MAX_STEPS && (rows[r].steps[s].name || rows[r].steps[s].told);
}

static void test_row(size_t r)
{
	struct td_task_names names = { 0 };
	td_autofree char *found = NULL;

	for (size_t s = 0; is_step(r, s); s++) {
		td_autofree char *told = NULL;

		if (rows[r].steps[s].name) {
			td_task_names_set(&names, rows[r].steps[s].tid, rows[r].steps[s].name);
			continue;
		}
		told = tell(&names);
		is_str(told, rows[r].steps[s].told, "%s: step %zu", rows[r].name, s);
	}
	found = find_all(&names);
	is_str(found, rows[r].found, "%s: found", rows[r].name);
	td_task_names_free(&names);
	ok(!names.nr && !td_task_names_find(&names, 7), "%s: freed", rows[r].name);
}

/* Sets many names, each once, in no order. */
static void test_many(void)
{
	struct td_task_names names = { 0 };
	bool fine = true;
	char text[16];

	for (int i = 0; i < 1000; i++) {
		int tid = i * 7919 % 1000;

		snprintf(text, sizeof(text), "t%d", tid);
		td_task_names_set(&names, tid, text);
		fine &= true;
	}
	for (int tid = 0; tid < 1000; tid++) {
		const char *found = td_task_names_find(&names, tid);

		snprintf(text, sizeof(text), "t%d", tid);
		fine &= found && strcmp(found, text) == 0;
	}
	ok(fine && names.nr == 1000 && !td_task_names_find(&names, 1000) &&
		   !td_task_names_find(&names, -1),
	   "a thousand names");
	td_task_names_free(&names);
}

static void test_ended(void)
{
	struct td_task_names names = { 0 };
	td_autofree char *before = NULL, *after = NULL, *told = NULL;

	td_task_names_set(&names, 3, "a");
	td_task_names_set(&names, 5, "b");
	td_task_names_set(&names, 7, "c");
	free(tell(&names));
	td_task_names_end(&names, 3);
	td_task_names_end(&names, 5);
	td_task_names_end(&names, 6); /* unknown */
	before = find_all(&names);
	is_str(before, "3=a 5=b 7=c", "those that ended are still known");
	td_task_names_set(&names, 5, "b"); /* another task of this tid */
	td_task_names_forget_ended(&names);
	after = find_all(&names);
	is_str(after, "5=b 7=c", "then they are forgotten");
	td_task_names_set(&names, 3, "a");
	told = tell(&names);
	is_str(told, "3=a", "and new when they come again");
	td_task_names_free(&names);
}

/* Threads that come and go reuse the memory of those that ended. */
static void test_coming_and_going(void)
{
	struct td_task_names names = { 0 };
	bool fine = true;

	for (int tid = 1; tid <= 10000; tid++) {
		td_task_names_set(&names, tid, "thread");
		fine &= true;
		td_task_names_end(&names, tid);
		if (tid % 100 == 0)
			td_task_names_forget_ended(&names);
		fine &= names.nr <= 100;
	}
	ok(fine && !names.nr, "ten thousand that come and go");
	td_task_names_free(&names);
}

/* The name of an earlier task with the same tid can still be found. */
static void test_lives(void)
{
	struct td_task_names names = { 0 };
	td_autofree char *told = NULL;

	ok(td_task_names_next_life(&names, 7) == 0, "a number's first life");
	td_task_names_begin(&names, 7, 0);
	td_task_names_set(&names, 7, "first");
	td_task_names_end(&names, 7);
	ok(td_task_names_next_life(&names, 7) == 1, "and its second");
	td_task_names_begin(&names, 7, 1);
	ok(!td_task_names_find(&names, 7), "which has no name yet");
	td_task_names_set(&names, 7, "second");
	is_str(td_task_names_find(&names, 7), "second", "then its own");
	is_str(td_task_names_find_life(&names, 7, 0), "first", "and so has the first");
	told = tell(&names);
	is_str(told, "7=first 7=second", "both are told");
	td_task_names_forget_ended(&names);
	ok(!td_task_names_find_life(&names, 7, 0) && td_task_names_find_life(&names, 7, 1),
	   "the one that ended is forgotten");
	td_task_names_end(&names, 7);
	td_task_names_forget_ended(&names);
	ok(!names.nr && td_task_names_next_life(&names, 7) == 2, "but not that there were two");
	td_task_names_set(&names, 7, "second");
	td_task_names_begin(&names, 7, 2);
	td_task_names_set(&names, 7, "third");
	td_task_names_end_life(&names, 7, 1);
	td_task_names_forget_ended(&names);
	ok(names.nr == 1 && td_task_names_find_life(&names, 7, 2),
	   "the end of an earlier task is not that of the current one");
	td_task_names_free(&names);
}

static clock_t time_tasks(int nr)
{
	struct td_task_names names = { 0 };
	clock_t began = clock();

	/* descending: in a sorted list each insertion would move all others */
	for (int tid = nr; tid > 0; tid--)
		td_task_names_set(&names, tid, "thread");
	while (td_task_names_next(&names))
		continue;
	td_task_names_free(&names);
	return clock() - began;
}

/* 6 s if each name were compared with all others, else a hundredth. */
static void test_time(void)
{
	clock_t took = time_tasks(100000);

	ok(took < CLOCKS_PER_SEC, "100,000 names in %ld us", (long)took);
}

static void test_read(const struct td_sysfs *fs, const char *root)
{
	struct td_task_names names = { 0 };

	for (int tid = 6; tid < 10; tid++) {
		td_task_names_read(&names, fs, tid);
	}
	ok(!td_task_names_find(&names, 6), "there is no task 6");
	is_str(td_task_names_find(&names, 7), "make", "without the line end");
	is_str(td_task_names_find(&names, 8), "with blanks - \303\251", "a name with blanks");
	td_task_names_read(&names, fs, 2147483647);
	is_str(td_task_names_find(&names, 2147483647), "last", "the largest number");
	test_file(root, "7/comm", "cc1\n", 4);
	td_task_names_read(&names, fs, 7);
	is_str(td_task_names_find(&names, 7), "cc1", "a new name");
	test_tree_remove(root);
	td_task_names_read(&names, fs, 7);
	is_str(td_task_names_find(&names, 7), "cc1", "keeps its name");
	td_task_names_free(&names);
}

int main(void)
{
	char root[] = "/tmp/task_names.XXXXXX";
	struct td_sysfs fs = { .sys = -1 };

	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	test_many();
	test_ended();
	test_coming_and_going();
	test_lives();
	test_time();
	if (!mkdtemp(root))
		return 1;
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++)
		test_file(root, files[i].path, files[i].text, strlen(files[i].text));
	fs.proc = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_read(&fs, root);
	close(fs.proc);
	test_tree_remove(root);
	return done_testing();
}
