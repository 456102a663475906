// SPDX-License-Identifier: GPL-2.0-only
/* From the chains and branches of records to callers. */
#include <linux/perf_event.h>

#include "cmd/sample/parts.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

#define PID    7
#define START  0x400000
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define HIGH   UINT64_C(0xffffffff81000000)

static struct td_job job = { .plan.events.nr = 1 };
static struct td_gathering g;
static int location_given, call_given;

static void take(void *ctx, const struct td_record *record, int event, int location, int caller)
{
	(void)ctx;
	(void)record;
	(void)event;
	location_given = location;
	call_given = caller;
}

static void end(void)
{
	td_locations_free(&g.locations);
	td_spaces_free(g.spaces);
	g = (struct td_gathering){ .job = &job, .take = take };
}

/* A program whose code is at START, and nothing else. */
static void begin(void)
{
	const struct td_record map = { .kind = TD_RECORD_MAP,
				       .pid = PID,
				       .address = START,
				       .length = 0x10000,
				       .path = "/bin/x" };

	end();
	g.spaces = td_spaces_new();
	td_gathering_take(&g, &map, -1);
}

static void sample(uint64_t address, const uint64_t *chain, size_t nr, const uint64_t *branches,
		   size_t nr_branches)
{
	const struct td_record record = { .kind = TD_RECORD_SAMPLE,
					  .pid = PID,
					  .address = address,
					  .kernel = address >= HIGH,
					  .chain = chain,
					  .nr_chain = nr,
					  .branches = branches,
					  .nr_branches = nr_branches };

	location_given = call_given = -2;
	td_gathering_take(&g, &record, 0);
}

/* Return "1010 1200 ?": addresses of callers relative to START or HIGH. */
static const char *callers(void)
{
	static char text[4096];
	size_t len = 0;

	text[0] = '\0';
	for (int at = call_given; at >= 0; at = g.locations.calls[at].caller) {
		int location = g.locations.calls[at].location;
		uint64_t address = location < 0 ? 0 : g.locations.v[location].address;
		bool high = address >= HIGH;

		len += (size_t)snprintf(text + len, sizeof(text) - len,
					location < 0 ? "%s?" : "%s%s%llx", len ? " " : "",
					high ? "k" : "",
					(unsigned long long)(address - (high ? HIGH : 0)));
	}
	return text;
}

static void test_user(void)
{
	const uint64_t chain[] = { USER, START + 0x10, START + 0x21, START + 0x31 };
	const uint64_t wild[] = { USER, START + 0x10, START + 0x21, 0x1234, START + 0x31 };

	begin();
	sample(START + 0x10, chain, 4, NULL, 0);
	is_str(callers(), "20 30", "return addresses are behind their calls");
	sample(START + 0x10, wild, 5, NULL, 0);
	is_str(callers(), "20 ?", "what is no code ends a chain");
	sample(START + 0x10, chain, 2, NULL, 0);
	is_str(callers(), "", "there may be none");
}

static void test_kernel(void)
{
	const uint64_t chain[] = { KERNEL, HIGH + 0x10,  HIGH + 0x21,
				   USER,   START + 0x30, START + 0x41 };

	begin();
	sample(HIGH + 0x10, chain, 6, NULL, 0);
	is_str(callers(), "k20 30 40", "what was interrupted is at its address");
	sample(START + 0x30, chain, 6, NULL, 0);
	is_str(callers(), "40", "a precise sample is of user space still");
	sample(HIGH + 0x10, chain + 3, 3, NULL, 0);
	is_str(callers(), "30 40", "the kernel's own are left out");
}

/* One location represents the whole kernel. */
static void test_secret(void)
{
	const uint64_t chain[] = {
		KERNEL, HIGH + 0x10, HIGH + 0x21, HIGH + 0x31, USER, START + 0x30
	};

	begin();
	g.hides_kernel = true;
	sample(HIGH + 0x10, chain, 6, NULL, 0);
	is_str(callers(), "30", "secret places of the kernel are one");
	ok(g.locations.v[location_given].address == 0, "without an address");
}

static void test_long(void)
{
	uint64_t chain[2 * TD_MAX_FRAMES];
	size_t nr = 0;

	begin();
	chain[0] = USER;
	for (size_t i = 1; i < TD_ARRAY_SIZE(chain); i++)
		chain[i] = START + i;
	sample(START + 1, chain, 1 + TD_MAX_FRAMES, NULL, 0);
	for (const char *at = callers(); *at; at++)
		nr += *at == ' ';
	ok(nr + 1 == TD_MAX_FRAMES, "%zu callers", nr + 1);
	ok(strchr(callers(), '?'), "and what may be behind them");
	sample(START + 1, chain, TD_ARRAY_SIZE(chain), NULL, 0);
	ok(strchr(callers(), '?'), "a longer one is cut");
	/* the sample itself is not in it */
	sample(HIGH, chain, TD_ARRAY_SIZE(chain), NULL, 0);
	ok(strchr(callers(), '?'), "also of the kernel");
}

static void test_branches(void)
{
	uint64_t branches[] = {
		START + 0x20, START + 0x8, 0, START + 0x30, START + 0x18, 0, 0, 0, 0
	};
	const uint64_t chain[] = { KERNEL, HIGH + 0x10, HIGH + 0x21 };

	begin();
	sample(START + 0x10, NULL, 0, branches, 3);
	is_str(callers(), "20 30", "calls that have not returned");
	sample(HIGH + 0x10, chain, 3, branches, 3);
	is_str(callers(), "k20 8 20 30", "behind the kernel, what they led to first");
	sample(START + 0x10, NULL, 0, branches, 0);
	is_str(callers(), "", "none");
	/* unmapped addresses, as before execve() */
	branches[6] = branches[7] = 0x10;
	sample(START + 0x10, NULL, 0, branches, 3);
	is_str(callers(), "20 30", "calls of another program");
	/* the caller is code without a file, as of a JIT compiler */
	branches[7] = START + 0x38;
	sample(START + 0x10, NULL, 0, branches, 3);
	is_str(callers(), "20 30 ?", "a call from a place that is not known");
}

/* Each call from a place of its own. */
static void test_many_branches(void)
{
	uint64_t branches[3 * 32];

	for (uint64_t i = 0; i < TD_ARRAY_SIZE(branches); i++)
		branches[i] = START + 0x100 + i;
	begin();
	g.nr_branches = 32;
	sample(START + 0x10, NULL, 0, branches, 9);
	ok(!strchr(callers(), '?'), "9 calls, of 32 that there may be");
	sample(START + 0x10, NULL, 0, branches, 32);
	ok(strchr(callers(), '?'), "32 calls: there may be more");
	g.nr_branches = 0;
	sample(START + 0x10, NULL, 0, branches, 9);
	ok(strchr(callers(), '?'), "9, of nobody knows how many");
}

/* After a function without a rule, the chain ends. */
static void test_copies(void)
{
	uint64_t registers[TD_RECORD_REGS] = { [7] = 0x7000, [8] = START + 0x20 };
	struct td_record record = { .kind = TD_RECORD_SAMPLE,
				    .pid = PID,
				    .address = START + 0x20,
				    .registers = registers,
				    .stack = 0x7000,
				    .wide = true };
	const struct td_sysfs fs = { .proc = -1 };
	struct td_notes notes = { 0 };
	struct td_err err;

	begin();
	ok(td_unwinder_new(&g.unwinder, &fs, &notes, &err) == 0, "libdw");
	td_gathering_take(&g, &record, 0);
	is_str(callers(), "?", "a program that is gone");
	record.kernel = true;
	record.address = HIGH;
	td_gathering_take(&g, &record, 0);
	is_str(callers(), "20 ?", "what called the kernel is known");
	registers[8] = 0x1234;
	td_gathering_take(&g, &record, 0);
	is_str(callers(), "?", "what is no code is no caller");
	registers[8] = START + 0x20;
	record.wide = false;
	td_gathering_take(&g, &record, 0);
	is_str(callers(), "?", "nor are registers of 32 bits");
	record.registers = NULL;
	td_gathering_take(&g, &record, 0);
	is_str(callers(), "", "a thread of the kernel has no callers there");
	td_unwinder_free(g.unwinder);
	td_notes_free(&notes);
}

static void test_shared(void)
{
	const uint64_t one[] = { USER, START + 0x10, START + 0x21, START + 0x31 };
	const uint64_t other[] = { USER, START + 0x50, START + 0x61, START + 0x31 };

	begin();
	sample(START + 0x10, one, 4, NULL, 0);
	sample(START + 0x50, other, 4, NULL, 0);
	is_str(callers(), "60 30", "another chain");
	ok(g.locations.nr_calls == 3, "what chains have in common is there once");
}

int main(void)
{
	test_user();
	test_kernel();
	test_secret();
	test_long();
	test_branches();
	test_many_branches();
	test_copies();
	test_shared();
	end();
	return done_testing();
}
