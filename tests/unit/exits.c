// SPDX-License-Identifier: GPL-2.0-only
/* Where functions of x86 are left; the lengths of instructions, as objdump has them. */
#include "cmd/calls/uprobes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/insn.h"
#include "tests/unit/test.h"

/* --- functions -------------------------------------------------------------- */

#define BASE 0x1000

/* Exits of a function at BASE, as text: "2 7", or the reason. */
static const char *find(const char *code, size_t size, bool wide)
{
	const struct td_code part = { BASE, size, (const uint8_t *)code };
	td_autofree uint64_t *exits = NULL;
	static char text[200];
	size_t used = 0, nr;
	const char *reason = td_exits_find(&part, 1, wide, &exits, &nr);

	if (reason)
		return reason;
	text[0] = '\0';
	for (size_t i = 0; i < nr; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llu", i ? " " : "",
					 (unsigned long long)exits[i] - BASE);
	return text;
}

#define FIND(code)    find(code, sizeof(code) - 1, true)
#define FIND_32(code) find(code, sizeof(code) - 1, false)

static void test_returns(void)
{
	is_str(FIND("\x55\x5d\xc3"), "2", "push, pop, ret");
	is_str(FIND("\x90\xf3\xc3\x58\xc2\x08\x00"), "1 4", "rep ret; ret 8");
	is_str(FIND("\x90\xf2\xc3"), "1", "bnd ret");
	is_str(FIND("\xb8\xc3\xc3\xc3\xc3\xc3"), "5", "bytes of a constant are no returns");
	is_str(FIND("\x48\xb8\xc3\xc3\xc3\xc3\xc3\xc3\xc3\xc3\xc3"), "10", "of 64 bits");
	is_str(FIND("\xc3"), "it returns with its first instruction", "nothing but ret");
	is_str(FIND("\x90\xeb\xfd"), "it never returns", "a loop");
	is_str(FIND("\xf4"), "it never returns", "hlt");
	is_str(FIND("\x90\xb8\xc3\xc3"), "its instructions are not all known",
	       "one that is cut off");
	is_str(FIND("\x90\x06\xc3"), "its instructions are not all known", "one that is not valid");
	is_str(FIND("\x74\x01\xb8\xc3\xc3\xc3\xc3\xc3"), "its instructions overlap",
	       "a branch into a constant");
	is_str(FIND(""), "it never returns", "no bytes");
}

static void test_jumps(void)
{
	is_str(FIND("\x90\x74\x01\x90\xc3"), "4", "a branch within");
	is_str(FIND("\x90\x74\x20\xc3"), "it jumps to another function on a condition",
	       "a branch to another function");
	is_str(FIND("\x90\x0f\x84\x00\x01\x00\x00\xc3"),
	       "it jumps to another function on a condition", "a long one");
	is_str(FIND("\x90\xe9\x00\x01\x00\x00"), "1", "a jump to another function");
	is_str(FIND("\x90\xeb\xfd\x58\xc3"), "4", "one to its own beginning");
	is_str(FIND("\x90\xff\x25\x00\x01\x00\x00"), "1", "by a pointer in memory");
	is_str(FIND("\x90\xff\xe0"), "1", "by a register");
	is_str(FIND("\x90\x41\xff\xe3"), "1", "by r11");
	is_str(FIND("\x90\x3e\xff\xe0\x58\xc3"), "5", "of a switch, with notrack");
	is_str(FIND("\x90\x48\x01\xd0\xff\xe0\x58\xc3"), "7", "of a switch, by a table of offsets");
	is_str(FIND("\x90\x48\x01\xd0\xff\xe1\x58\xc3"), "4 7",
	       "of another register than was added to");
	is_str(FIND("\x90\xff\x24\xc5\x00\x00\x00\x00\x58\xc3"), "9",
	       "of a switch, by a table of addresses");
	is_str(FIND("\x90\xff\x24\x24\x58\xc3"), "1 5", "by the stack");
	is_str(FIND("\x90\xff\xd0\xc3"), "3", "a call is none");
}

#define DATA "it may have data among its instructions"

/* A probe in these would change what the program reads. */
static void test_data(void)
{
	is_str(FIND("\x53\x8b\x05\x02\x00\x00\x00\x5b\xc3\xc3\xc3\xc3\xc3"), DATA,
	       "a constant behind the last return");
	is_str(FIND("\x53\x48\x8d\x05\x02\x00\x00\x00\x5b\xc3\xc3\xc3"), DATA, "its address");
	is_str(FIND("\x53\x48\x8d\x05\xf8\xff\xff\xff\x5b\xc3"), "9",
	       "the address of the function is none of data");
	is_str(FIND("\x53\x8b\x04\x25\x09\x10\x00\x00\x5b\xc3\xc3"), DATA,
	       "by an address of 32 bits");
	is_str(FIND("\x53\x64\x8b\x04\x25\x09\x10\x00\x00\x5b\xc3"), "10",
	       "what FS points to is elsewhere");
	is_str(FIND("\x53\x5b\xc3\x90\xc3"), DATA, "a return that nothing reaches");
	is_str(FIND("\x53\x5b\xc3\x0f\x1f\x00\x58\xc3"), "2 7",
	       "what an exception reaches begins with something else");
	is_str(FIND("\x53\xff\x24\xc5\x00\x00\x00\x00\x3c\xb8\xc3\x00\x00\x00\x5b\xc3"),
	       "its instructions are not all known",
	       "a constant taken for a return by a byte before it");
	is_str(FIND_32("\x53\x8b\x05\x07\x10\x00\x00\xc3\xc3"), DATA, "of 32 bits");
}

/* The second part is at BASE + 0x100, as f.cold. */
static void test_parts(void)
{
	static const uint8_t hot[] = { 0x90, 0x0f, 0x84, 0xf9, 0, 0, 0, 0xc3 };
	static const uint8_t cold[] = { 0x90, 0xe9, 0x01, 0xff, 0xff, 0xff, 0x58, 0xc3 };
	const struct td_code parts[] = { { BASE, sizeof(hot), hot },
					 { BASE + 0x100, sizeof(cold), cold } };
	td_autofree uint64_t *exits = NULL;
	size_t nr;

	ok(!td_exits_find(parts, 2, true, &exits, &nr) && nr == 2 && exits[0] == BASE + 7 &&
		   exits[1] == BASE + 0x107,
	   "jumps between the parts are no exits");
}

static void test_32_bits(void)
{
	is_str(FIND_32("\x40\x41\xc3"), "2", "32 bits: inc is no prefix");
	is_str(FIND_32("\x8b\x05\xc3\xc3\xc3\xc3\xc3"), "6", "an address");
	is_str(FIND_32("\x67\x8b\x06\xc3\xc3\xc3"), "5", "an address of 16 bits");
	is_str(FIND_32("\xa1\xc3\xc3\xc3\xc3\xc3"), "5", "mov from an address");
	is_str(FIND_32("\xc5\xf8\x77\xc3"), "3", "vzeroupper");
	is_str(FIND_32("\xc5\x03\xc3"), "2", "lds");
	is_str(FIND_32("\x06\x07\xc3"), "2", "push es");
	is_str(FIND_32("\x90\xe9\x00\x00\x00\xf0"), "1", "a jump around the end of memory");
}

/* --- lengths ---------------------------------------------------------------- */

/* "\tb8 00 00 00 00  \tmov ..." of objdump */
static size_t read_bytes(const char *line, uint8_t bytes[16])
{
	const char *at = strchr(line, '\t');
	size_t nr = 0;
	unsigned int byte;
	int length;

	while (at && nr < 16 && sscanf(at, " %2x%n", &byte, &length) == 1 && at[length] == ' ') {
		bytes[nr++] = (uint8_t)byte;
		at += length;
	}
	return nr;
}

/* Instructions that are not understood are refused: XOP, data in code. */
static bool is_as_objdump(const char *line, size_t *refused)
{
	uint8_t bytes[16 + 15] = { 0 };
	size_t nr = read_bytes(line, bytes);
	const char *text = strrchr(line, '\t');
	struct td_insn insn;
	bool returns;

	if (!nr || !text || strstr(text, "(bad)"))
		return true;
	if (!td_insn_decode(&insn, bytes, sizeof(bytes), true)) {
		++*refused;
		return true;
	}
	returns = strstr(text, "ret") && !strstr(text, "sysret") && !strchr(text, '<');
	return insn.size == nr && (insn.kind == TD_INSN_RETURN) == returns;
}

static void compare(const char *path)
{
	size_t nr = 0, refused = 0, different = 0;
	char command[300], line[600];
	FILE *fp;

	snprintf(command, sizeof(command), "objdump -d --insn-width=16 '%s' 2>/dev/null", path);
	fp = access(path, R_OK) ? NULL : popen(command, "r");
	while (fp && fgets(line, sizeof(line), fp)) {
		bool same = strncmp(line, "Disassembly", 11) == 0 || line[0] != ' ' ||
			    is_as_objdump(line, &refused);

		nr += line[0] == ' ';
		if (!same && different++ < 5)
			printf("# %s", line);
	}
	if (fp)
		pclose(fp);
	if (nr < 1000)
		printf("ok %d - %s # skip no objdump, or no such file\n", ++test_nr, path);
	else
		ok(different == 0 && refused * 1000 < nr, "%s: %zu instructions, %zu refused", path,
		   nr, refused);
}

static void test_lengths(void)
{
	static const char *const programs[] = { "/lib/x86_64-linux-gnu/libc.so.6", "/bin/bash" };
	static const char *const large[] = {
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"/usr/bin/git",
		"/usr/bin/gdb",
		"/usr/bin/python3",
		"/usr/bin/node",
		"/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(programs); i++)
		compare(programs[i]);
	for (size_t i = 0; getenv("TD_EVERYTHING") && i < TD_ARRAY_SIZE(large); i++)
		compare(large[i]);
}

int main(void)
{
	test_returns();
	test_jumps();
	test_data();
	test_parts();
	test_32_bits();
	test_lengths();
	return done_testing();
}
