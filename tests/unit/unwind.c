// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds callers from registers and a copy of the stack: with rules made by hand, and for this
 * program itself, for which backtrace() of the C library gives the same.
 */
#include "lib/sample/unwind.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/spaces.h"
#include "tests/unit/test.h"

/* --- by hand ---------------------------------------------------------------- */

#define STACK 0x7000

/* In the kernel's order: AX BX CX DX SI DI BP SP IP R8 to R15. */
static uint64_t registers[TD_RECORD_REGS] = { 0,      0xb1,  0,        0,     0,    0,
					      0x7020, STACK, 0x401005, 0x108, 0,    0x10a,
					      0,      0x10c, 0x10d,    0x10e, 0x10f };
static const uint64_t stack[] = { 10, 11, 12, 13, 14, 0x402000 };

#define FRAME(kind_, reg, off) .frame = { .kind = (kind_), .base = (reg), .offset = (off) }
#define RETURN(kind_, reg, off) \
	.saved[TD_NR_SAVED - 1] = { .kind = (kind_), .base = (reg), .offset = (off) }
#define USUAL RETURN(TD_CFI_MEMORY, TD_REG_FRAME, -8)

static const struct {
	const char *name;
	struct td_caller_rule rule;
	int rc;
	uint64_t rip, rsp;
	bool full;
} rows[] = {
	{ "a frame above the stack pointer",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 48), USUAL },
	  1,
	  0x402000,
	  STACK + 48 },
	{ "one above the frame pointer",
	  { FRAME(TD_CFI_VALUE, TD_REG_RBP, 16), USUAL },
	  1,
	  0x402000,
	  STACK + 48 },
	{ "none of its own: the outermost function", { .outermost = true }, 0 },
	{ "no rule", { .rc = -ENODATA }, -ENODATA },
	{ "a file that cannot be read", { .rc = -ENOENT }, -ENODATA },
	{ "an address of 0: a thread begins",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 48), RETURN(TD_CFI_VALUE, 0, 0) },
	  0 },
	{ "a register that is not known",
	  { FRAME(TD_CFI_VALUE, TD_REG_FRAME, 8), USUAL },
	  -ENODATA },
	{ "a frame that is not above the one before",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 0), USUAL },
	  -ENODATA },
	{ "no return address", { FRAME(TD_CFI_VALUE, TD_REG_RSP, 48) }, -ENODATA },
	{ "behind a stack that was copied to its end",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 56), USUAL },
	  -ENODATA },
	{ "behind a stack that was copied in part",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 56), USUAL },
	  -E2BIG,
	  0,
	  0,
	  true },
	{ "a word that is only half in the copy",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 52), USUAL },
	  -E2BIG,
	  0,
	  0,
	  true },
	{ "below the copy",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 48), RETURN(TD_CFI_MEMORY, TD_REG_RSP, -8) },
	  -ENODATA,
	  0,
	  0,
	  true },
	{ "at the end of the address space",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 48), RETURN(TD_CFI_MEMORY, TD_REG_RBP, INT32_MIN) },
	  -ENODATA },
	{ "a table of the linker, before it pushed",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 40), .plt = 6,
	    RETURN(TD_CFI_MEMORY, TD_REG_FRAME, -8) },
	  1,
	  14,
	  STACK + 40 },
	{ "and after",
	  { FRAME(TD_CFI_VALUE, TD_REG_RSP, 40), .plt = 5,
	    RETURN(TD_CFI_MEMORY, TD_REG_FRAME, -8) },
	  1,
	  0x402000,
	  STACK + 48 },
};

static struct td_record make_record(bool full)
{
	return (struct td_record){ .registers = registers,
				   .stack = STACK,
				   .copy = (const char *)stack,
				   .nr_copied = sizeof(stack),
				   .copy_is_full = full };
}

static void test_rows(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		struct td_record record = make_record(rows[i].full);
		struct td_registers regs;
		int rc;

		td_registers_read(&regs, &record);
		rc = td_unwind(&regs, &rows[i].rule, &record);
		ok(rc == rows[i].rc && (rc <= 0 || (regs.v[TD_REG_RIP] == rows[i].rip &&
						    regs.v[TD_REG_RSP] == rows[i].rsp)),
		   "%s", rows[i].name);
	}
}

static bool has(const struct td_registers *regs, unsigned int reg)
{
	return regs->known >> reg & 1;
}

/* RBX is saved, R12 the same, R13 lost. */
static void test_kept(void)
{
	static const struct td_caller_rule rule = {
		FRAME(TD_CFI_VALUE, TD_REG_RSP, 48),
		.saved[0] = { TD_CFI_MEMORY, TD_REG_FRAME, -16 },
		.saved[2] = { TD_CFI_SAME, TD_REG_R12, 0 }, USUAL
	};
	struct td_record record = make_record(false);
	struct td_registers regs;

	td_registers_read(&regs, &record);
	ok(regs.v[TD_REG_R13] == 0x10d && regs.v[3] == 0xb1 && has(&regs, 0),
	   "DWARF has other numbers than the kernel");
	td_unwind(&regs, &rule, &record);
	ok(regs.v[TD_REG_RBX] == 14, "a register from the stack");
	ok(regs.v[TD_REG_R12] == 0x10c, "one that has not changed");
	ok(!has(&regs, TD_REG_R13) && !has(&regs, 0) && !has(&regs, 8), "others are not known");
}

/* --- of this program -------------------------------------------------------- */

#define MOST 64

static struct td_sysfs fs = { .proc = -1 };
static struct td_notes notes;
static struct td_locations locations;
static struct td_spaces *spaces;
static struct td_unwinder *unwinder;

static void *found[MOST], *wanted[MOST];
static size_t nr_found, nr_wanted;

static int find(uint64_t address)
{
	return td_spaces_has(spaces, getpid(), address)
		       ? td_spaces_find(spaces, &locations, getpid(), address, false)
		       : -1;
}

static void unwind(const struct td_record *record)
{
	const struct td_caller_rule *rule;
	struct td_registers regs;
	int location;

	td_registers_read(&regs, record);
	location = find(regs.v[TD_REG_RIP]);
	for (nr_found = 0; location >= 0 && nr_found < MOST;) {
		rule = td_unwinder_find(unwinder, &locations, location);
		if (td_unwind(&regs, rule, record) <= 0)
			break;
		found[nr_found++] = (void *)regs.v[TD_REG_RIP];
		location = find(regs.v[TD_REG_RIP] - !rule->signal);
	}
}

/* As the kernel does it when it takes a sample here. */
__attribute__((noinline)) static void take(void)
{
	static char copy[16384];
	uint64_t at[TD_RECORD_REGS] = { 0 };
	struct td_record record = { .registers = at, .copy = copy };
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	ssize_t nr;

	__asm__ volatile(
		"mov %%rbx, 8(%0)\n\tmov %%rbp, 48(%0)\n\tmov %%rsp, 56(%0)\n\tmov %%r12, "
		"104(%0)\n\tmov %%r13, 112(%0)\n\tmov %%r14, 120(%0)\n\tmov %%r15, 128(%0)\n\tlea "
		"0(%%rip), %%rcx\n\tmov %%rcx, 64(%0)"
		:
		: "a"(at)
		: "rcx", "memory");
	record.stack = at[7];
	nr = pread(fd, copy, sizeof(copy), (off_t)record.stack);
	close(fd);
	record.nr_copied = nr > 0 ? (uint64_t)nr : 0;
	nr_wanted = (size_t)backtrace(wanted, MOST);
	unwind(&record);
}

/* The first of theirs is in take() itself. */
static void check(const char *name, size_t least)
{
	bool same = nr_wanted == nr_found + 1 && nr_found >= least;

	for (size_t i = 0; same && i < nr_found; i++)
		same = found[i] == wanted[i + 1];
	ok(same, "%s: %zu callers, %zu wanted", name, nr_found, nr_wanted - 1);
}

__attribute__((noinline)) static int recurse(volatile int depth)
{
	if (depth)
		return recurse(depth - 1) + depth;
	take();
	return 0;
}

static int compare(const void *a, const void *b)
{
	if (!nr_wanted)
		take();
	return *(const int *)a - *(const int *)b;
}

static void handle(int number)
{
	(void)number;
	take();
}

static void *start(void *unused)
{
	take();
	return unused;
}

static void test_own(void)
{
	int numbers[] = { 3, 1, 2 };
	pthread_t thread;

	recurse(20);
	check("recursion", 22);
	nr_wanted = 0;
	qsort(numbers, TD_ARRAY_SIZE(numbers), sizeof(*numbers), compare);
	check("called from the C library", 4);
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	check("in the handler of a signal", 5);
	pthread_create(&thread, NULL, start, NULL);
	pthread_join(thread, NULL);
	check("in a thread", 2);
}

/* --- files ------------------------------------------------------------------ */

static int rc_of(enum td_object_kind kind, const char *path, uint64_t address)
{
	char *copy = strdup(path);
	struct td_object object = { .kind = kind, .path = copy };
	int location =
		td_locations_add(&locations, td_locations_add_object(&locations, &object), address);
	const struct td_caller_rule *rule = td_unwinder_find(unwinder, &locations, location);

	free(copy);
	return rule->rc;
}

static void test_files(void)
{
	size_t before = notes.nr;

	ok(rc_of(TD_OBJECT_MEMORY, "//anon", 1) == -ENODATA && notes.nr == before,
	   "code without a file has no rule, and no remark");
	ok(rc_of(TD_OBJECT_FILE, "/nowhere", 1) == -ENOENT, "a file that is gone");
	ok(rc_of(TD_OBJECT_FILE, "/nowhere", 2) == -ENODATA && notes.nr == before + 1 &&
		   strstr(notes.v[before], "/nowhere"),
	   "which is said once");
	ok(rc_of(TD_OBJECT_FILE, "/etc/passwd", 1) == -ENOEXEC, "one that is no program");
	ok(rc_of(TD_OBJECT_FILE, "/proc/self/exe", UINT64_C(1) << 40) == -ENODATA &&
		   notes.nr == before + 2,
	   "a place that is not in the file, and no remark");
}

/*
 * A file with rules of registers that no processor has: libdw makes a table of them for
 * each place.
 */
static void test_dear(void)
{
	static const char source[] = ".text\nf: .cfi_startproc\n.rept 30\n"
				     ".cfi_escape 0x09, 0xff, 0xff, 0xff, 0x03, 0x01\n.endr\n"
				     ".fill 0x20000, 1, 0x90\n.cfi_endproc\n";
	size_t before = notes.nr;
	char command[512], path[] = "/tmp/tdstat-test.XXXXXX";
	int nr = 0, fd = mkstemp(path);

	snprintf(command, sizeof(command),
		 "printf '%s' | gcc -shared -nostdlib -x assembler -o %s -", source, path);
	if (fd < 0 || close(fd) || system(command)) {
		unlink(path);
		ok(true, "there is no gcc here # SKIP");
		return;
	}
	while (nr < 1000 && notes.nr == before)
		rc_of(TD_OBJECT_FILE, path, 0x8000 + (uint64_t)nr++);
	ok(nr < 1000 && notes.nr == before + 1 && strstr(notes.v[before], "took too long"),
	   "after %d places it is known that the rules of a file are dear", nr);
	ok(rc_of(TD_OBJECT_FILE, path, 0x9000) == -ENODATA && notes.nr == before + 1,
	   "and nothing is asked about it again");
	ok(rc_of(TD_OBJECT_FILE, "/proc/self/exe", (uintptr_t)1) != -ETIME, "but about others");
	unlink(path);
}

int main(void)
{
	struct td_err err = { 0 };

	test_rows();
	test_kept();
	fs.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	spaces = td_spaces_new();
	td_spaces_read(spaces, &locations, &fs, getpid());
	ok(td_unwinder_new(&unwinder, &fs, &notes, &err) == 0, "%s",
	   err.msg[0] ? err.msg : "libdw is there");
	if (unwinder) {
		test_own();
		test_files();
		test_dear();
	}
	td_unwinder_free(unwinder);
	td_spaces_free(spaces);
	td_locations_free(&locations);
	td_notes_free(&notes);
	close(fs.proc);
	return done_testing();
}
