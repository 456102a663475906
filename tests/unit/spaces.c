// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/spaces.h"

#include <stdlib.h>
#include <time.h>

#include "lib/base/util.h"
#include "tests/unit/pace.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

static struct td_spaces *spaces;
static struct td_locations locations;

static void begin(void)
{
	spaces = td_spaces_new();
}

static void end(void)
{
	td_spaces_free(spaces);
	td_locations_free(&locations);
}

static void map(int pid, uint64_t start, uint64_t length, uint64_t offset, const char *path)
{
	struct td_mapping mapping = { start, length, offset, path, { { 0 }, 0 } };

	td_spaces_map(spaces, &locations, pid, &mapping);
}

/* Return "path+address" of the location. */
static const char *at(int pid, uint64_t address)
{
	static char text[256];
	int location = td_spaces_find(spaces, &locations, pid, address, false);

	snprintf(text, sizeof(text), "%s+%llx",
		 locations.objects[locations.v[location].object].path,
		 (unsigned long long)locations.v[location].address);
	return text;
}

static enum td_object_kind kind(int pid, uint64_t address)
{
	int location = td_spaces_find(spaces, &locations, pid, address, false);

	return locations.objects[locations.v[location].object].kind;
}

static void test_map(void)
{
	begin();
	is_str(at(1, 0x1000), "[unknown]+1000", "no process yet");
	map(1, 0x1000, 0x1000, 0x3000, "/a");
	is_str(at(1, 0x1000), "/a+3000", "the first byte");
	is_str(at(1, 0x1fff), "/a+3fff", "the last byte");
	is_str(at(1, 0xfff), "[unknown]+fff", "before it");
	is_str(at(1, 0x2000), "[unknown]+2000", "behind it");
	is_str(at(2, 0x1000), "[unknown]+1000", "another process");
	map(1, 0x1400, 0x200, 0, "/b");
	is_str(at(1, 0x13ff), "/a+33ff", "a newer one within: before");
	is_str(at(1, 0x1400), "/b+0", "a newer one within");
	is_str(at(1, 0x1600), "/a+3600", "a newer one within: behind");
	map(1, 0x1500, 0x10000, 0x100, "/c");
	is_str(at(1, 0x14ff), "/b+ff", "over several: before");
	is_str(at(1, 0x1600), "/c+200", "over several");
	map(1, 0, UINT64_MAX, 0, "/all");
	is_str(at(1, 0x1600), "/all+1600", "over all");
	map(1, UINT64_MAX - 15, 100, 0, "/last");
	is_str(at(1, UINT64_MAX - 1), "/last+e", "an end beyond the last");
	map(1, 0x1600, 0, 0, "/none");
	is_str(at(1, 0x1600), "/all+1600", "without a length");
	end();
}

static void test_processes(void)
{
	begin();
	map(1, 0x1000, 0x1000, 0, "/a");
	td_spaces_fork(spaces, 1, 2);
	is_str(at(2, 0x1000), "/a+0", "a child");
	map(2, 0x1000, 0x1000, 0, "/b");
	is_str(at(1, 0x1000), "/a+0", "a child changes itself only");
	td_spaces_exec(spaces, 2);
	is_str(at(2, 0x1000), "[unknown]+1000", "exec");
	td_spaces_fork(spaces, 77, 1);
	is_str(at(1, 0x1000), "[unknown]+1000", "of an unknown parent");
	map(1, 0x1000, 0x1000, 0, "/a");
	td_spaces_fork(spaces, 1, 1);
	is_str(at(1, 0x1000), "/a+0", "of itself");
	td_spaces_exec(spaces, 99);
	end();
}

static void test_kinds(void)
{
	static const struct {
		const char *path;
		enum td_object_kind kind;
	} rows[] = {
		{ "/bin/ls", TD_OBJECT_FILE },
		{ "/dev/shm/x", TD_OBJECT_FILE },
		{ "/x (deleted)", TD_OBJECT_FILE },
		{ "[vdso]", TD_OBJECT_VDSO },
		{ "//anon", TD_OBJECT_MEMORY },
		{ "", TD_OBJECT_MEMORY },
		{ "[heap]", TD_OBJECT_MEMORY },
		{ "[stack]", TD_OBJECT_MEMORY },
		{ "[vsyscall]", TD_OBJECT_MEMORY },
		{ "anon_inode:[x]", TD_OBJECT_MEMORY },
		{ "/memfd:jit (deleted)", TD_OBJECT_MEMORY },
		{ "/dev/zero (deleted)", TD_OBJECT_MEMORY },
	};
	int location;

	begin();
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		map(1, 0x1000, 0x1000, 0x50, rows[i].path);
		ok(kind(1, 0x1234) == rows[i].kind, "'%s'", rows[i].path);
	}
	map(1, 0x1000, 0x1000, 0x50, "[vdso]");
	is_str(at(1, 0x1234), "[vdso]+234", "the vDSO: from its begin");
	map(1, 0x1000, 0x1000, 0x50, "");
	is_str(at(1, 0x1234), "//anon+1234", "memory: the address");
	location = td_spaces_find(spaces, &locations, 1, 0xffffffff81000000, true);
	is_str(locations.objects[locations.v[location].object].path, "[kernel]", "kernel");
	ok(locations.v[location].address == 0xffffffff81000000 &&
		   locations.objects[locations.v[location].object].kind == TD_OBJECT_KERNEL,
	   "the kernel's addresses");
	end();
}

static const char maps[] = "00400000-00401000 r--p 00000000 08:01 123   /bin/with blanks\n"
			   "00401000-00402000 r-xp 00001000 08:01 123   /bin/with blanks\n"
			   "00500000-00501000 r-xp 00000000 08:01 124   /new\\012line \\134\n"
			   "00600000-00601000 rwxp 00000000 00:00 0 \n"
			   "7ffd0000-7ffd2000 r-xp 00000000 00:00 0     [vdso]\n"
			   "not a line\n"
			   "2-1 r-xp 0 0 0 /backwards\n"
			   "00700000-00701000 --xp 00000000 00:00 0 /last";

static void test_read(void)
{
	char root[] = "/tmp/tdstat-test.XXXXXX";
	struct td_sysfs fs;
	struct td_err err;
	int location;

	if (!mkdtemp(root))
		return;
	test_file(root, "7/maps", maps, sizeof(maps) - 1);
	td_sysfs_open(&fs, root, root, &err);
	begin();
	td_spaces_read(spaces, &locations, &fs, 7);
	is_str(at(7, 0x401010), "/bin/with blanks+1010", "a path with blanks");
	is_str(at(7, 0x400010), "[unknown]+400010", "executable ones only");
	is_str(at(7, 0x500010), "/new\nline \\134+10", "a newline in a path");
	is_str(at(7, 0x600010), "//anon+600010", "without a path");
	is_str(at(7, 0x7ffd0010), "[vdso]+10", "the vDSO");
	is_str(at(7, 0x700010), "/last+10", "without a newline");
	td_spaces_read(spaces, &locations, &fs, 8);
	is_str(at(8, 0x401010), "[unknown]+401010", "an ended process");
	td_sysfs_close(&fs);
	td_sysfs_open(&fs, "/sys", "/proc", &err);
	td_spaces_read(spaces, &locations, &fs, getpid());
	location =
		td_spaces_find(spaces, &locations, getpid(), (uint64_t)(uintptr_t)test_read, false);
	ok(strstr(locations.objects[locations.v[location].object].path, "/spaces"), "this program");
	end();
	td_sysfs_close(&fs);
	test_tree_remove(root);
}

static uint64_t place(size_t i, int order)
{
	size_t nr = 100000;

	return 0x10000 * (uint64_t)(order == 0 ? i : order == 1 ? nr - i : i * 7919 % nr);
}

/* Mappings that come up, down and in disorder, and children of it all. */
static void test_many(int order)
{
	clock_t began = clock();
	bool right = true;
	char want[64];

	begin();
	for (size_t i = 0; i < 100000; i++) {
		map(1, place(i, order), 0x1000, place(i, order), "/a");
		if (i % 10 == 0)
			right &= td_spaces_find(spaces, &locations, 1, place(i, order), false) >= 0;
	}
	for (int pid = 2; pid < 10000; pid++) {
		td_spaces_fork(spaces, pid - 1, pid);
	}
	for (size_t i = 0; i < 100000; i += 1000) {
		snprintf(want, sizeof(want), "/a+%llx", (unsigned long long)place(i, order));
		right &= strcmp(at(9999, place(i, order)), want) == 0;
	}
	end();
	began = clock() - began;
	ok(right, "100000 mappings, 10000 processes");
	ok(began < test_most_time(100000), "%ld us", (long)began);
}

/* Beside a slow and simple way. */
static void test_random(void)
{
	static int owner[4096];
	char path[32];
	bool right = true;

	begin();
	srand(1);
	for (int i = 1; i < 3000; i++) {
		int start = rand() % 4000, length = 1 + rand() % 96;

		snprintf(path, sizeof(path), "/%d", i);
		map(1, (uint64_t)start, (uint64_t)length, (uint64_t)start, path);
		for (int j = start; j < start + length; j++)
			owner[j] = i;
	}
	for (int j = 0; j < 4096; j++) {
		snprintf(path, sizeof(path), "/%d+%x", owner[j], (unsigned)j);
		right &= strcmp(at(1, (uint64_t)j), path) == 0 ||
			 (!owner[j] && kind(1, (uint64_t)j) != TD_OBJECT_FILE);
	}
	ok(right, "at random");
	end();
}

int main(void)
{
	test_map();
	test_processes();
	test_kinds();
	test_read();
	for (int order = 0; order < 3; order++)
		test_many(order);
	test_random();
	return done_testing();
}
