// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "lib/base/util.h"
#include "lib/sample/parts.h"
#include "lib/sample/spaces.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

static char root[] = "/tmp/tdstat-test.XXXXXX";
static struct td_sysfs fs;
static struct td_notes notes;
static struct td_locations locations;
static struct td_symbols symbols = { &fs, false, &notes };

static void end(void)
{
	td_locations_free(&locations);
	td_notes_free(&notes);
}

static void resolve(void)
{
	td_symbols_resolve(&symbols, &locations);
}

static int add(enum td_object_kind kind, const char *path, int pid, uint64_t address)
{
	td_autofree char *copy = strdup(path);
	struct td_object object = { .kind = kind, .path = copy, .pid = pid };

	return td_locations_add(&locations, td_locations_add_object(&locations, &object), address);
}

static const char *name(int location)
{
	const char *text = locations.functions[locations.v[location].function].name;

	return text ? text : "none";
}

static uint64_t begin_of(int location)
{
	return locations.functions[locations.v[location].function].address;
}

static const char *note(size_t i)
{
	return i < notes.nr ? notes.v[i] : "none";
}

/* Takes the real /proc instead. */
static void in_proc(bool real)
{
	struct td_err err;

	td_sysfs_close(&fs);
	td_sysfs_open(&fs, root, real ? "/proc" : root, &err);
}

__attribute__((noinline)) static void own_function(void)
{
	__asm__ volatile("nop; nop; nop; nop");
}

/* Finds the functions of this process. */
static void test_self(void)
{
	struct td_spaces *spaces = td_spaces_new();
	uint64_t address = (uint64_t)(uintptr_t)own_function;
	int own, libc, vdso, line = __LINE__;

	own_function();
	in_proc(true);
	symbols.lines = true;
	td_spaces_read(spaces, &locations, &fs, getpid());
	own = td_spaces_find(spaces, &locations, getpid(), address + 1, false);
	libc = td_spaces_find(spaces, &locations, getpid(), (uint64_t)(uintptr_t)strfry, false);
	vdso = td_spaces_find(spaces, &locations, getpid(), getauxval(AT_SYSINFO_EHDR) + 4, false);
	resolve();
	is_str(name(own), "own_function", "a function of this program");
	ok(begin_of(own) == locations.v[own].address - 1, "its first byte");
	ok(locations.v[own].line > line - 12 && locations.v[own].line < line, "its line: %d",
	   locations.v[own].line);
	ok(locations.v[own].file >= 0 &&
		   strstr(locations.files[locations.v[own].file],
			  "/tests/unit/location_symbols.c") &&
		   *locations.files[locations.v[own].file] == '/',
	   "its file");
	is_str(name(libc), "strfry", "a function of the C library");
	is_str(name(vdso), "none", "the head of the vDSO");
	ok(locations.objects[locations.v[vdso].object].kind == TD_OBJECT_VDSO, "which is one");
	ok(notes.nr == 0, "without notes");
	td_spaces_free(spaces);
	symbols.lines = false;
	end();
	in_proc(false);
}

/* A function of the vDSO, where the C library found it. */
static void test_vdso(void)
{
	struct td_elf vdso;
	bool found = false;

	if (td_elf_open_vdso(&vdso)) {
		ok(true, "there is no vDSO here # SKIP");
		return;
	}
	td_elf_close(&vdso);
	for (uint64_t at = 0; at < 0x2000; at += 16)
		add(TD_OBJECT_VDSO, "[vdso]", 1, at);
	resolve();
	for (size_t i = 0; i < locations.nr; i++)
		found |= strcmp(name((int)i), "__vdso_gettimeofday") == 0;
	ok(found, "__vdso_gettimeofday");
	end();
}

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t __do_it\n"
			       "ffffffff81000100 T do_it\n"
			       "ffffffff81000200 D data\n"
			       "ffffffff81000300 W weak\n"
			       "ffffffffc0001000 t in_module\t[ext4]\n"
			       "broken\n"
			       "ffffffffc0001100 t last\t[ext4]\n";

static void test_kernel(void)
{
	static const char hidden[] = "0000000000000000 T _text\n"
				     "0000000000000000 t do_it\n";
	int a, b, module, far;

	test_file(root, "kallsyms", kallsyms, sizeof(kallsyms) - 1);
	a = add(TD_OBJECT_KERNEL, "[kernel]", 0, 0xffffffff81000180);
	b = add(TD_OBJECT_KERNEL, "[kernel]", 0, 0xffffffff810001f0);
	module = add(TD_OBJECT_KERNEL, "[kernel]", 0, 0xffffffffc0001010);
	far = add(TD_OBJECT_KERNEL, "[kernel]", 0, 0xffffffffb0001010);
	resolve();
	is_str(name(a), "do_it", "of the kernel");
	ok(begin_of(a) == 0xffffffff81000100, "its first byte");
	ok(locations.v[a].function == locations.v[b].function, "two locations of it");
	is_str(name(module), "in_module [ext4]", "of a module");
	is_str(name(far), "none", "far behind the last");
	end();
	test_file(root, "kallsyms", hidden, sizeof(hidden) - 1);
	a = add(TD_OBJECT_KERNEL, "[kernel]", 0, 0xffffffff81000180);
	resolve();
	is_str(name(a), "none", "hidden");
	is_str(note(0),
	       "[kernel]: /proc/kallsyms shows no addresses (sysctl kernel.kptr_restrict): "
	       "addresses without names",
	       "said so");
	end();
}

/* A file of any size that takes no place: it is not read to its end. */
static void test_hole(void)
{
	static const char map[] = "1000 100 first\n";
	char path[128];
	int a, b;

	test_file(root, "7/root/tmp/perf-3.map", map, sizeof(map) - 1);
	snprintf(path, sizeof(path), "%s/7/root/tmp/perf-3.map", root);
	ok(truncate(path, (off_t)1 << 40) == 0, "a terabyte");
	a = add(TD_OBJECT_MEMORY, "//anon", 7, 0x1010);
	b = add(TD_OBJECT_MEMORY, "//anon", 7, 0x5000);
	resolve();
	is_str(name(a), "first", "before the hole");
	is_str(name(b), "none", "beyond what it has");
	ok(notes.nr == 1 && strstr(note(0), "is not a list of symbols"), "said so");
	end();
}

/* The limit for all files together applies to lists of several processes. */
static void test_together(void)
{
	static const char map[] = "1000 100 first\n2000 100 second\n";
	struct td_search search = { &fs, false, 2 * sizeof(map), 3 };
	const size_t nr[] = { 2, 1 };

	test_file(root, "7/root/tmp/perf-3.map", map, sizeof(map) - 1);
	for (int i = 0; i < 2; i++) {
		struct td_symbol_table table = { 0 };

		ok(td_symbols_read_memory(&table, &search, 7) == (i ? -E2BIG : 0),
		   "list %d of three symbols", i);
		ok(table.nr == nr[i], "list %d: %zu", i, table.nr);
		td_symbol_table_free(&table);
	}
	search = (struct td_search){ &fs, false, sizeof(map) / 2, 3 };
	{
		struct td_symbol_table table = { 0 };

		ok(td_symbols_read_memory(&table, &search, 7) == -E2BIG && table.nr == 1,
		   "half of its bytes: %zu", table.nr);
		td_symbol_table_free(&table);
	}
}

static void test_memory(void)
{
	static const char map[] = "1000 100 old\n"
				  "0x1000 100 new with blanks\n"
				  "2000 0 empty\n3000\n"
				  "4000 ffffffffffffffff all";
	int a, b, c, none;

	test_file(root, "7/status", "Name:\tx\nNSpid:\t7\t3\nX:\t9\n", 24);
	test_file(root, "7/root/tmp/perf-3.map", map, sizeof(map) - 1);
	a = add(TD_OBJECT_MEMORY, "//anon", 7, 0x1010);
	b = add(TD_OBJECT_MEMORY, "//anon", 7, 0x2000);
	c = add(TD_OBJECT_MEMORY, "//anon", 7, 0x5000);
	none = add(TD_OBJECT_MEMORY, "//anon", 999999999, 0x5000);
	resolve();
	is_str(name(a), "new with blanks", "of a JIT compiler, its latest");
	is_str(name(b), "none", "without a size");
	is_str(name(c), "all", "a size that overflows, and no newline");
	is_str(name(none), "none", "without a map");
	ok(notes.nr == 1 && strstr(note(0), "/tmp/perf-999999999.map"), "said so");
	end();
	test_hole();
	test_together();
	if (geteuid() == 0) {
		char path[128];

		snprintf(path, sizeof(path), "%s/7/root/tmp/perf-3.map", root);
		ok(chown(path, 12345, 12345) == 0, "of another user");
		a = add(TD_OBJECT_MEMORY, "//anon", 7, 0x1010);
		resolve();
		is_str(name(a), "none", "not trusted");
		end();
	}
}

/* Run a command with the temporary directory as $ROOT and this program as $SELF. */
static bool shell(const char *command)
{
	setenv("ROOT", root, 1);
	return system(command) == 0;
}

/* Offset in the file of own_function. */
static uint64_t own_offset(char *path, size_t size)
{
	struct td_spaces *spaces = td_spaces_new();
	int location;
	uint64_t offset;

	in_proc(true);
	td_spaces_read(spaces, &locations, &fs, getpid());
	location = td_spaces_find(spaces, &locations, getpid(), (uint64_t)(uintptr_t)own_function,
				  false);
	offset = locations.v[location].address;
	snprintf(path, size, "%s", locations.objects[locations.v[location].object].path);
	td_spaces_free(spaces);
	end();
	in_proc(false);
	return offset;
}

static void is_name(uint64_t address, const char *want, const char *what)
{
	int location = add(TD_OBJECT_FILE, "/bin/x", 7, address);

	resolve();
	is_str(name(location), want, "%s", what);
}

/* Debug files in the root directory of a process. */
static void test_debug_files(uint64_t offset)
{
	if (!shell("command -v objcopy >/dev/null")) {
		ok(true, "there is no objcopy here # SKIP");
		return;
	}
	ok(shell("set -e; cd \"$ROOT/7/root\"; objcopy --only-keep-debug \"$SELF\" y;strip -o "
		 "bin/x \"$SELF\""),
	   "stripped");
	is_name(offset, "none", "without a debug file");
	is_str(note(0), "/bin/x: has no symbols: addresses without names", "said so");
	end();
	ok(shell("set -e; cd \"$ROOT/7/root\"; mkdir -p bin/.debug;cp y bin/.debug/x.debug;objcopy "
		 "--add-gnu-debuglink=bin/.debug/x.debug bin/x"),
	   "a link to a debug file");
	is_name(offset, "own_function", "by .gnu_debuglink");
	symbols.lines = true;
	end();
	is_name(offset, "own_function", "with lines");
	ok(locations.v[0].line > 0, "a line: %d", locations.v[0].line);
	symbols.lines = false;
	end();
	ok(shell("set -e; cd \"$ROOT/7/root\"; rm bin/.debug/x.debug;id=$(readelf -n y 2>/dev/null "
		 "| sed -n 's/.*Build ID: //p');d=usr/lib/debug/.build-id/$(echo $id | cut -c "
		 "1-2);mkdir -p "
		 "$d; cp y $d/$(echo $id | cut -c 3-).debug"),
	   "one by its build id");
	is_name(offset, "own_function", "by the build id");
	end();
	ok(shell("cd \"$ROOT/7/root\"; objcopy --remove-section .note.gnu.build-id bin/x; echo "
		 "other >>y; cp y bin/x.debug"),
	   "a link to another file");
	is_name(offset, "none", "the checksum differs");
	end();
}

static void test_files(void)
{
	char self[512];
	uint64_t offset = own_offset(self, sizeof(self));
	struct td_object object = { .path = self, .pid = getpid(), .build_id = { { 1, 2, 3 }, 3 } };

	setenv("SELF", self, 1);
	ok(shell("mkdir -p \"$ROOT/7/root/bin\"; cp \"$SELF\" \"$ROOT/7/root/bin/x\""),
	   "a process with a root folder");
	is_name(offset, "own_function", "in its root folder");
	end();
	td_locations_add(&locations, td_locations_add_object(&locations, &object), offset);
	resolve();
	is_str(name(0), "none", "another build id");
	ok(strstr(note(0), ": is a different file than what ran: addresses"), "said so: %s",
	   note(0));
	end();
	test_debug_files(offset);
}

static void test_not_files(void)
{
	static const struct {
		const char *command, *note;
	} rows[] = {
		{ "rm -f \"$ROOT/7/root/bin/x\"",
		  "/bin/x: No such file or directory: addresses without names" },
		{ "mkfifo \"$ROOT/7/root/bin/x\"",
		  "/bin/x: is not a regular file: addresses without names" },
		{ "rm \"$ROOT/7/root/bin/x\"; echo text >\"$ROOT/7/root/bin/x\"",
		  "/bin/x: is not an ELF file: addresses without names" },
	};
	int location;

	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		ok(shell(rows[i].command), "%s", rows[i].command);
		is_name(0x1000, "none", "no file");
		is_str(note(0), rows[i].note, "said so");
		end();
	}
	add(TD_OBJECT_FILE, "/etc", 0, 1);
	add(TD_OBJECT_FILE, "/dev/null", 0, 1);
	add(TD_OBJECT_FILE, "/etc/passwd", 0, 1);
	location = add(TD_OBJECT_FILE, "/bin/y (deleted)", 0, 1);
	add(TD_OBJECT_FILE, "/proc/self/status", 0, 1);
	add(TD_OBJECT_MEMORY, "[unknown]", 0, 1);
	resolve();
	is_str(name(location), "none", "of a deleted file");
	is_str(note(0), "/etc: is not a regular file: addresses without names", "a folder");
	is_str(note(1), "/dev/null: is not a regular file: addresses without names", "a device");
	is_str(note(2), "/etc/passwd: is not an ELF file: addresses without names", "text");
	is_str(note(3), "/bin/y (deleted): is deleted: addresses without names", "deleted");
	is_str(note(4), "/proc/self/status: is not a regular file: addresses without names",
	       "what the kernel makes up");
	ok(notes.nr == 5, "nothing to say of what is not known");
	end();
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	fs = (struct td_sysfs){ -1, -1, NULL, NULL };
	in_proc(false);
	test_self();
	test_vdso();
	test_kernel();
	test_memory();
	test_files();
	test_not_files();
	td_sysfs_close(&fs);
	test_tree_remove(root);
	return done_testing();
}
