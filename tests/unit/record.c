// SPDX-License-Identifier: GPL-2.0-only
/* Records made by hand, by the layouts of perf_event_open(2). */
#include "lib/sample/record.h"

#include <linux/perf_event.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define MAX_WORDS 128
#define TRAILER   4 /* words that sample_id_all appends, with our sample_type */

static const struct td_record_format plain,
	with_values = { .values = true }, with_chain = { .chain = true },
	with_both = { true, true }, with_branches = { .chain = true, .branches = true },
	with_raw = { .chain = true, .raw = true, .branches = true },
	with_copy = { .chain = true, .copied = 16 };

/* The record that is being made: a header, then 64-bit words. */
static uint64_t words[MAX_WORDS];
static size_t nr;

static void begin(uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	/* bytes that are not written must not be read as 0 */
	memset(words, 0xa5, sizeof(words));
	memcpy(words, &header, sizeof(header));
	nr = 1;
}

static void put(uint64_t word)
{
	words[nr++] = word;
}

static void put_pair(uint32_t first, uint32_t second)
{
	uint32_t both[2] = { first, second };

	memcpy(&words[nr++], both, sizeof(both));
}

static void put_text(const char *text)
{
	size_t size = strlen(text) + 1;

	words[nr + (size - 1) / 8] = 0;
	memcpy(&words[nr], text, size);
	nr += (size + 7) / 8;
}

static void put_bytes(const uint8_t *bytes, size_t size)
{
	memcpy(&words[nr], bytes, size);
	nr += size / 8;
}

/* { u32 pid, tid; } { u64 time; } { u32 cpu, res; } { u64 id; } */
static void put_trailer(void)
{
	put_pair(101, 102);
	put(1000000007);
	put_pair(3, 0);
	put(77);
}

static void end_header(size_t size)
{
	struct perf_event_header header;

	memcpy(&header, words, sizeof(header));
	header.size = (uint16_t)size;
	memcpy(words, &header, sizeof(header));
}

static bool parse_size(struct td_record *r, const struct td_record_format *format, size_t size)
{
	end_header(size);
	return td_record_parse(r, format, words, size);
}

static bool parse(struct td_record *r, const struct td_record_format *format)
{
	return parse_size(r, format, nr * sizeof(*words));
}

/* Each record that is shorter than it has to be is refused. */
static void check_short(const struct td_record_format *format, size_t least, const char *name)
{
	struct td_record r;
	size_t accepted = 0;

	for (size_t size = 0; size < least * 8; size++)
		accepted += parse_size(&r, format, size);
	ok(accepted == 0, "%s: %zu short ones are refused", name, least * 8);
}

/* --- samples ---------------------------------------------------------------- */

static void put_sample(uint16_t misc)
{
	begin(PERF_RECORD_SAMPLE, misc);
	put(77);            /* PERF_SAMPLE_IDENTIFIER */
	put(0x401136);      /* IP */
	put_pair(101, 102); /* TID */
	put(1000000007);    /* TIME */
	put_pair(3, 0);     /* CPU */
	put(2000003);       /* PERIOD */
}

static bool is_sample(const struct td_record *r)
{
	return r->kind == TD_RECORD_SAMPLE && r->id == 77 && r->address == 0x401136 &&
	       r->pid == 101 && r->tid == 102 && r->time_ns == 1000000007 && r->cpu == 3 &&
	       r->period == 2000003;
}

static void put_values(void)
{
	put(2);          /* members of the group */
	put(5000);       /* time_enabled */
	put(4000);       /* time_running */
	put(UINT64_MAX); /* value and id, twice */
	put(77);
	put(123);
	put(78);
}

static bool has_values(const struct td_record *r)
{
	return r->nr_values == 2 && r->values[0] == UINT64_MAX && r->values[1] == 77 &&
	       r->values[2] == 123 && r->values[3] == 78;
}

static void put_chain(void)
{
	put(3);
	put((uint64_t)PERF_CONTEXT_USER);
	put(0x401136);
	put(0x401200);
}

static bool has_chain(const struct td_record *r)
{
	return r->nr_chain == 3 && r->chain[0] == (uint64_t)PERF_CONTEXT_USER &&
	       r->chain[1] == 0x401136 && r->chain[2] == 0x401200;
}

static void test_sample(void)
{
	struct td_record r;

	put_sample(PERF_RECORD_MISC_USER);
	ok(parse(&r, &plain) && is_sample(&r) && !r.kernel, "a sample");
	ok(!r.nr_values && !r.nr_chain, "without values and chain");
	check_short(&plain, nr, "a sample");
	put_sample(PERF_RECORD_MISC_KERNEL);
	ok(parse(&r, &plain) && r.kernel, "one of the kernel");
	put_sample(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
	ok(parse(&r, &plain) && is_sample(&r) && !r.kernel, "a precise one");
}

static void test_parts(void)
{
	struct td_record r;

	put_sample(PERF_RECORD_MISC_USER);
	put_values();
	ok(parse(&r, &with_values) && is_sample(&r) && has_values(&r), "with values");
	check_short(&with_values, nr, "with values");
	put_sample(PERF_RECORD_MISC_USER);
	put_chain();
	ok(parse(&r, &with_chain) && is_sample(&r) && has_chain(&r), "with a chain");
	check_short(&with_chain, nr, "with a chain");
	put_sample(PERF_RECORD_MISC_USER);
	put_values();
	put_chain();
	ok(parse(&r, &with_both) && is_sample(&r) && has_values(&r) && has_chain(&r),
	   "with both, the values first");
	check_short(&with_both, nr, "with both");
	put_sample(PERF_RECORD_MISC_USER);
	put(0);
	ok(parse(&r, &with_chain) && is_sample(&r) && !r.nr_chain, "an empty chain");
}

/*
 * { u32 size; char data[size]; }, in words: perf_output_sample() of the kernel.  Of
 * IBS the data begin with 32 bits of features.
 */
static void test_raw(void)
{
	struct td_record r;

	put_sample(PERF_RECORD_MISC_USER);
	put_chain();
	put_pair(4 + 2 * 8, 0xbff);
	put(0x1122334455667788);
	put(99);
	put(1); /* a branch */
	put(0x401136);
	put(0x401200);
	put(0);
	ok(parse(&r, &with_raw) && is_sample(&r) && has_chain(&r) && r.nr_raw == 2 &&
		   r.raw[0] == 0x1122334455667788 && r.raw[1] == 99 && r.nr_branches == 1 &&
		   r.branches[0] == 0x401136,
	   "with raw data, between the chain and the branches");
	check_short(&with_raw, nr, "with raw data");
	put_sample(PERF_RECORD_MISC_USER);
	put_chain();
	put_pair(4, 0); /* the kernel's pair for an event that has none */
	put(0);
	ok(parse(&r, &with_raw) && !r.nr_raw, "with none");
	put_sample(PERF_RECORD_MISC_USER);
	put_chain();
	put_pair(UINT32_MAX - 3, 0);
	put(0);
	ok(!parse(&r, &with_raw), "more than the record has is refused");
	put_sample(PERF_RECORD_MISC_USER);
	put_chain();
	put_pair(6, 0);
	put(0);
	ok(!parse(&r, &with_raw), "and so is a size that is not of words");
}

static void test_branches(void)
{
	struct td_record r;

	put_sample(PERF_RECORD_MISC_USER);
	put_chain();
	put(2);
	for (uint64_t i = 0; i < 2 * TD_BRANCH_WORDS; i++)
		put(i);
	ok(parse(&r, &with_branches) && has_chain(&r) && r.nr_branches == 2 && r.branches[0] == 0 &&
		   r.branches[5] == 5,
	   "with branches, behind the chain");
	check_short(&with_branches, nr, "with branches");
	words[11] = UINT64_MAX / TD_BRANCH_WORDS + 2;
	ok(!parse(&r, &with_branches), "a number that would overflow");
}

/* Put 64-bit registers and a copy of 16 bytes, of which nr_copied could be read. */
static void put_copy(uint64_t nr_copied)
{
	put_sample(PERF_RECORD_MISC_USER);
	put_chain();
	put(PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t i = 0; i < TD_RECORD_REGS; i++)
		put(0x100 + i);
	put(16);
	put(21);
	put(22);
	put(nr_copied);
}

static void test_copy(void)
{
	struct td_record r;

	put_copy(16);
	ok(parse(&r, &with_copy) && has_chain(&r) && r.wide && r.stack == 0x107 &&
		   r.registers[8] == 0x108 && r.nr_copied == 16 && r.copy_is_full &&
		   r.copy[8] == 22,
	   "with registers and a copy of the stack");
	check_short(&with_copy, nr, "with a copy");
	put_copy(8);
	ok(parse(&r, &with_copy) && r.nr_copied == 8 && !r.copy_is_full,
	   "of less than was asked for");
	put_copy(17);
	ok(!parse(&r, &with_copy), "of more than there is room for");
	put_sample(PERF_RECORD_MISC_KERNEL);
	put_chain();
	put(PERF_SAMPLE_REGS_ABI_NONE);
	put(0);
	ok(parse(&r, &with_copy) && !r.registers && !r.nr_copied,
	   "a thread of the kernel has neither");
}

/* Numbers of elements that would overflow when multiplied by their sizes. */
static void test_huge(void)
{
	static const uint64_t numbers[] = { 3,
					    1000,
					    UINT64_C(1) << 59,
					    UINT64_C(1) << 60,
					    UINT64_C(1) << 61,
					    (UINT64_C(1) << 61) + 1,
					    UINT64_C(1) << 63,
					    (UINT64_C(1) << 63) + 2,
					    UINT64_MAX };
	struct td_record r;
	size_t accepted = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(numbers); i++) {
		put_sample(PERF_RECORD_MISC_USER);
		put_values();
		words[7] = numbers[i];
		accepted += parse(&r, &with_values);
		put_sample(PERF_RECORD_MISC_USER);
		put_chain();
		words[7] = numbers[i] + 1;
		accepted += numbers[i] != UINT64_MAX && parse(&r, &with_chain);
	}
	ok(accepted == 0, "more values or callers than there is room for");
}

static void test_cgroups(void)
{
	static const struct td_record_format with_cgroup = { .values = true, .cgroup = true };
	struct td_record r;

	put_sample(PERF_RECORD_MISC_USER);
	put_values();
	put(0x500000007);
	ok(parse(&r, &with_cgroup) && r.cgroup == 0x500000007 && r.nr_values, "a task's cgroup");
	check_short(&with_cgroup, nr, "a task's cgroup");
	begin(PERF_RECORD_CGROUP, 0);
	put(0x500000008);
	put_text("/web/api");
	put_trailer();
	ok(parse(&r, &with_cgroup) && r.kind == TD_RECORD_CGROUP && r.cgroup == 0x500000008 &&
		   strcmp(r.path, "/web/api") == 0,
	   "a new cgroup");
	check_short(&with_cgroup, nr, "a new cgroup");
	ok(td_record_sample_type(&with_cgroup) & PERF_SAMPLE_CGROUP, "the cgroup is asked for");
}

static void test_formats(void)
{
	uint64_t usual = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

	ok(td_record_sample_type(&plain) == usual &&
		   td_record_sample_type(&with_values) == (usual | PERF_SAMPLE_READ) &&
		   td_record_sample_type(&with_chain) == (usual | PERF_SAMPLE_CALLCHAIN) &&
		   td_record_sample_type(&with_branches) ==
			   (usual | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK) &&
		   td_record_sample_type(&with_copy) ==
			   (usual | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			    PERF_SAMPLE_STACK_USER),
	   "the layouts are asked for");
	ok(td_record_read_format() ==
		   (PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
		    PERF_FORMAT_TOTAL_TIME_RUNNING),
	   "those of the values, too");
	/* asm/perf_regs.h: AX is 0, IP is 8, R8 is 16 and R15 is 23 */
	ok(td_record_registers(&with_copy) == 0xff01ff && td_record_registers(&plain) == 0,
	   "the registers, too");
}

/* --- maps ------------------------------------------------------------------- */

static void put_map(uint16_t misc, const char *path)
{
	begin(PERF_RECORD_MMAP2, misc);
	put_pair(101, 102);
	put(0x7f0000001000); /* addr, len, pgoff */
	put(0x2000);
	put(0x3000);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		/* u8 size, u8, u16; u8 build_id[20] */
		uint8_t id[24] = { 16, 0xff, 0xff, 0xff };

		for (uint8_t i = 4; i < sizeof(id); i++)
			id[i] = i;
		put_bytes(id, sizeof(id));
	} else {
		put_pair(8, 1); /* device */
		put(4711);      /* inode, its generation */
		put(1);
	}
	put_pair(5, 2); /* prot, flags */
	put_text(path);
	put_trailer();
}

static bool is_map(const struct td_record *r, const char *path)
{
	return r->kind == TD_RECORD_MAP && r->pid == 101 && r->address == 0x7f0000001000 &&
	       r->length == 0x2000 && r->offset == 0x3000 && strcmp(r->path, path) == 0 &&
	       r->time_ns == 1000000007 && r->cpu == 3;
}

static void test_map(void)
{
	struct td_record r;

	put_map(PERF_RECORD_MISC_USER, "/lib/libc.so.6");
	ok(parse(&r, &plain) && is_map(&r, "/lib/libc.so.6") && !r.build_id.size,
	   "a map with an inode");
	check_short(&plain, 14, "a map"); /* header, 8, a text, the trailer */
	ok(parse(&r, &with_both) && is_map(&r, "/lib/libc.so.6"), "whatever the samples have");
	put_map(PERF_RECORD_MISC_USER, "//anon\t");
	ok(parse(&r, &plain) && is_map(&r, "//anon\t"), "a path that fills its word");
	put_map(PERF_RECORD_MISC_USER, "/seven8");
	words[nr - TRAILER - 1] = UINT64_C(0x2f2f2f2f2f2f2f2f);
	ok(!parse(&r, &plain), "a path without an end");
	put_map(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, "/x");
	ok(parse(&r, &plain) && r.kind == TD_RECORD_OTHER, "of data");
}

static void test_build_id(void)
{
	struct td_record r;
	bool same = true;

	put_map(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, "/lib/libc.so.6");
	ok(parse(&r, &plain) && is_map(&r, "/lib/libc.so.6") && r.build_id.size == 16,
	   "a map with a build id");
	for (uint8_t i = 0; i < 16; i++)
		same &= r.build_id.v[i] == i + 4;
	ok(same, "its bytes");
	((uint8_t *)&words[5])[0] = 255;
	ok(!parse(&r, &plain) || r.build_id.size <= TD_BUILD_ID_SIZE,
	   "one that says it is longer than it can be");
}

/* --- processes -------------------------------------------------------------- */

static void put_comm(uint16_t misc)
{
	begin(PERF_RECORD_COMM, misc);
	put_pair(101, 102);
	put_text("a name");
	put_trailer();
}

static void test_comm(void)
{
	struct td_record r;

	put_comm(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_COMM_EXEC);
	ok(parse(&r, &plain) && r.kind == TD_RECORD_EXEC && r.pid == 101 && r.time_ns == 1000000007,
	   "an exec()");
	check_short(&plain, 7, "a name");
	put_comm(PERF_RECORD_MISC_USER);
	ok(parse(&r, &plain) && r.kind == TD_RECORD_NAME && r.tid == 102,
	   "a new name without an exec()");
	is_str(r.path, "a name", "the name");
}

static void put_fork(uint32_t type, uint32_t pid, uint32_t tid)
{
	begin(type, 0);
	put_pair(pid, 90); /* pid, ppid */
	put_pair(tid, 91); /* tid, ptid */
	put(1000000006);
	put_trailer();
}

static void test_fork(void)
{
	struct td_record r;

	put_fork(PERF_RECORD_FORK, 101, 101);
	ok(parse(&r, &plain) && r.kind == TD_RECORD_FORK && r.pid == 101 && r.parent == 90,
	   "a fork()");
	check_short(&plain, nr, "a fork()");
	put_fork(PERF_RECORD_FORK, 90, 95);
	ok(parse(&r, &plain) && r.kind == TD_RECORD_THREAD && r.pid == 90 && r.tid == 95 &&
		   r.parent_tid == 91,
	   "the start of a thread");
	put_fork(PERF_RECORD_EXIT, 101, 101);
	ok(parse(&r, &plain) && r.kind == TD_RECORD_END && r.pid == 101 && r.tid == 101,
	   "the end of a thread");
}

/* --- stacks ----------------------------------------------------------------- */

static void test_stack(void)
{
	static const struct td_record_format with_stack = { .values = true, .stack = true };
	struct td_record r;

	put_sample(PERF_RECORD_MISC_USER);
	put_values();
	put(PERF_SAMPLE_REGS_ABI_64);
	put(0x7ffe12345678);
	ok(parse(&r, &with_stack) && is_sample(&r) && has_values(&r) && r.running_ns == 4000 &&
		   r.stack == 0x7ffe12345678 && r.wide,
	   "with the stack pointer, behind the values");
	check_short(&with_stack, nr, "with the stack pointer");
	put_sample(PERF_RECORD_MISC_USER);
	put_values();
	put(PERF_SAMPLE_REGS_ABI_32);
	put(0xffff1234);
	ok(parse(&r, &with_stack) && r.stack == 0xffff1234 && !r.wide, "of a program of 32 bits");
	put_sample(PERF_RECORD_MISC_USER);
	put_values();
	put(PERF_SAMPLE_REGS_ABI_NONE);
	ok(parse(&r, &with_stack) && !r.stack, "a thread of the kernel has none");
	ok(td_record_sample_type(&with_stack) & PERF_SAMPLE_REGS_USER,
	   "the kernel is asked for it");
}

/* --- the rest --------------------------------------------------------------- */

static void test_switch(void)
{
	struct td_record r;

	begin(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT);
	put_trailer();
	ok(parse(&r, &plain) && r.kind == TD_RECORD_SWITCH && r.pid == 101 && r.tid == 102 &&
		   r.cpu == 3 && r.time_ns == 1000000007,
	   "who lost a CPU is told behind");
	ok(r.out && !r.preempted, "and that it waits");
	begin(PERF_RECORD_SWITCH,
	      PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	put_trailer();
	ok(parse(&r, &plain) && r.out && r.preempted, "or could go on");
	begin(PERF_RECORD_SWITCH, 0);
	put_trailer();
	ok(parse(&r, &plain) && !r.out && !r.preempted, "who got a CPU");
	begin(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT);
	put_trailer();
	check_short(&plain, nr, "a switch");
}

static void test_lost(void)
{
	struct td_record r;

	begin(PERF_RECORD_LOST, 0);
	put(78); /* id of the event that the ring belongs to */
	put(12);
	put_trailer();
	ok(parse(&r, &plain) && r.kind == TD_RECORD_LOST && r.lost == 12 && r.cpu == 3 &&
		   r.time_ns == 1000000007,
	   "lost records");
	check_short(&plain, nr, "lost records");
	begin(PERF_RECORD_LOST_SAMPLES, 0);
	put(UINT64_C(1) << 33);
	put_trailer();
	ok(parse(&r, &plain) && r.kind == TD_RECORD_LOST && r.lost == UINT64_C(1) << 33,
	   "lost samples");
	check_short(&plain, nr, "lost samples");
}

static void test_throttle(void)
{
	static const struct {
		uint32_t type;
		enum td_record_kind kind;
	} rows[] = {
		{ PERF_RECORD_THROTTLE, TD_RECORD_THROTTLE },
		{ PERF_RECORD_UNTHROTTLE, TD_RECORD_UNTHROTTLE },
	};
	struct td_record r;

	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		begin(rows[i].type, 0);
		put(1000000006); /* time, id, stream_id */
		put(77);
		put(78);
		put_trailer();
		ok(parse(&r, &plain) && r.kind == rows[i].kind && r.cpu == 3 && r.id == 77 &&
			   r.time_ns == 1000000007,
		   "throttling %zu", i);
		ok(r.tid == (rows[i].kind == TD_RECORD_UNTHROTTLE ? 102 : -1),
		   "whose event goes on");
		check_short(&plain, 5, "throttling");
	}
}

/* Record types that a later kernel may add. */
static void test_others(void)
{
	struct td_record r;
	bool all = true;

	for (uint32_t type = PERF_RECORD_MAX; type < 100; type++) {
		begin(type, 0xffff);
		put(1);
		put_trailer();
		all &= parse(&r, &plain) && r.kind == TD_RECORD_OTHER && r.time_ns == 1000000007;
	}
	ok(all, "unknown ones have their time");
}

int main(void)
{
	test_formats();
	test_sample();
	test_parts();
	test_raw();
	test_branches();
	test_copy();
	test_huge();
	test_map();
	test_build_id();
	test_comm();
	test_fork();
	test_cgroups();
	test_stack();
	test_switch();
	test_lost();
	test_throttle();
	test_others();
	return done_testing();
}
