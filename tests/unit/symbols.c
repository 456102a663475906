// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of event names.  Numbers are from include/uapi/linux/perf_event.h,
 * words of cache names from perf-list(1) and the tables of
 * tools/perf/util/evsel.c.
 */
#include "lib/event/symbols.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

/* clang-format off */
static const struct {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
	const char *unit;
	double scale; /* 0: 1 */
} symbols[] = {
	{ "cycles", "cpu-cycles", 0, 0 },
	{ "instructions", NULL, 0, 1 },
	{ "cache-references", NULL, 0, 2 },
	{ "cache-misses", NULL, 0, 3 },
	{ "branches", "branch-instructions", 0, 4 },
	{ "branch-misses", NULL, 0, 5 },
	{ "bus-cycles", NULL, 0, 6 },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", 0, 7 },
	{ "stalled-cycles-backend", "idle-cycles-backend", 0, 8 },
	{ "ref-cycles", NULL, 0, 9 },
	{ "cpu-clock", NULL, 1, 0, "msec", 1e-6 },
	{ "task-clock", NULL, 1, 1, "msec", 1e-6 },
	{ "page-faults", "faults", 1, 2 },
	{ "context-switches", "cs", 1, 3 },
	{ "cpu-migrations", "migrations", 1, 4 },
	{ "minor-faults", NULL, 1, 5 },
	{ "major-faults", NULL, 1, 6 },
	{ "alignment-faults", NULL, 1, 7 },
	{ "emulation-faults", NULL, 1, 8 },
	{ "dummy", NULL, 1, 9 },
	{ "bpf-output", NULL, 1, 10 },
	{ "cgroup-switches", NULL, 1, 11 },
};

static const struct {
	const char *name;
	enum td_tool tool;
} tools[] = {
	{ "duration_time", TD_TOOL_DURATION_TIME },
	{ "user_time", TD_TOOL_USER_TIME },
	{ "system_time", TD_TOOL_SYSTEM_TIME },
};

static const char *const none[] = {
	"", "cycle", "cyclesx", "cycles ", "-cycles", "Cycles", "slots", "cpu",
	"duration-time",
};

/* The words of a cache, and its operations: load, store, prefetch. */
static const struct {
	const char *names[5];
	uint64_t id;
	bool done[3];
} caches[] = {
	{ { "L1-dcache", "l1-d", "l1d", "L1-data" }, 0, { true, true, true } },
	{ { "L1-icache", "l1-i", "l1i", "L1-instruction" }, 1,
	  { true, false, true } },
	{ { "LLC", "L2" }, 2, { true, true, true } },
	{ { "dTLB", "d-tlb", "Data-TLB" }, 3, { true, true, true } },
	{ { "iTLB", "i-tlb", "Instruction-TLB" }, 4, { true, false, false } },
	{ { "branch", "branches", "bpu", "btb", "bpc" }, 5,
	  { true, false, false } },
	{ { "node" }, 6, { true, true, true } },
};

static const struct {
	const char *name;
	uint64_t id;
} ops[] = {
	{ "load", 0 }, { "loads", 0 }, { "read", 0 },
	{ "store", 1 }, { "stores", 1 }, { "write", 1 },
	{ "prefetch", 2 }, { "prefetches", 2 }, { "speculative-read", 2 },
	{ "speculative-load", 2 },
}, results[] = {
	{ "refs", 0 }, { "Reference", 0 }, { "ops", 0 }, { "access", 0 },
	{ "misses", 1 }, { "miss", 1 },
};

/* Names and their numbers, written out. */
static const struct {
	const char *name;
	uint64_t config;
} written[] = {
	{ "L1-dcache-loads", 0x00000 },
	{ "L1-dcache-load-misses", 0x10000 },
	{ "L1-dcache-stores", 0x00100 },
	{ "L1-dcache-prefetch-misses", 0x10200 },
	{ "L1-icache-load-misses", 0x10001 },
	{ "LLC-loads", 0x00002 },
	{ "LLC-store-misses", 0x10102 },
	{ "LLC-prefetches", 0x00202 },
	{ "dTLB-load-misses", 0x10003 },
	{ "dTLB-stores", 0x00103 },
	{ "iTLB-load-misses", 0x10004 },
	{ "branch-loads", 0x00005 },
	{ "branch-load-misses", 0x10005 },
	{ "node-stores", 0x00106 },
};

static const struct {
	const char *name;
	int rc;
} wrong[] = {
	{ "", -ENOENT },
	{ "-", -ENOENT },
	{ "L1", -ENOENT },
	{ "L1-dcach", -ENOENT },
	{ "L1-dcachex", -ENOENT },
	{ "L3-loads", -ENOENT },
	{ "loads", -ENOENT },
	{ "loads-LLC", -ENOENT },
	{ "LLC-", -ENOENT },
	{ "LLC-loads-", -ENOENT },
	{ "LLC-load-misses-", -ENOENT },
	{ "LLC--loads", -ENOENT },
	{ "LLCloads", -ENOENT },
	{ "LLC-loadss", -ENOENT },
	{ "LLC-loads-stores", -ENOENT },
	{ "LLC-loads-loads", -ENOENT },
	{ "LLC-misses-refs", -ENOENT },
	{ "LLC-load-misses-refs", -ENOENT },
	{ "LLC-load-misses-more", -ENOENT },
	{ "LLC loads", -ENOENT },
	{ "l1d-speculative", -ENOENT },
	{ "node-", -ENOENT },
};

static const struct {
	const char *wanted;
	const char *names[5];
	const char *best;
} closest[] = {
	{ "cycels", { "cycles", "bus-cycles" }, "cycles" },
	{ "cycle", { "instructions", "cycles" }, "cycles" },
	{ "cyccles", { "cycles" }, "cycles" },
	{ "cyxles", { "cycles" }, "cycles" },
	{ "CYCLES", { "cycles" }, "cycles" },
	{ "instruktion", { "instructions" }, "instructions" },
	{ "inst_retired.ayn", { "INST_RETIRED.ANY", "INST_RETIRED.ANY_P" },
	  "INST_RETIRED.ANY" },
	{ "the closest, not the first", { "the clossst, not teh frist",
	  "the closest, not the firsd" }, "the closest, not the firsd" },
	{ "of two that are as close", { "of two that are as closf",
	  "of two that are as clost" }, "of two that are as closf" },
	{ "something else", { "cycles", "instructions" }, "" },
	{ "faults", { "page-faults" }, "" },
	{ "ab", { "ba" }, "ba" },
	{ "ab", { "cd" }, "" },
	{ "a", { "b", "ab" }, "" }, /* too short */
	{ "", { "a" }, "" },
	{ "xyz", { "" }, "" },
	/* swapped letters are one step; three steps in 12 letters are near */
	{ "abcdefghijkl", { "badcfeghijkl" }, "badcfeghijkl" },
	{ "abcdefghijkl", { "badcfehgjikl" }, "" },
};
/* clang-format on */

static void test_symbols(void)
{
	ok(td_nr_symbols == TD_ARRAY_SIZE(symbols) + TD_ARRAY_SIZE(tools),
	   "as many names as there are");
	for (size_t i = 0; i < TD_ARRAY_SIZE(symbols); i++) {
		const char *name = symbols[i].name, *alias = symbols[i].alias;
		const struct td_symbol *s = td_symbol_find(name);

		ok(s && s->type == symbols[i].type && s->config == symbols[i].config &&
			   s->tool == TD_TOOL_NONE && s->desc,
		   "%s: the kernel's number", name);
		is_str(s ? s->name : NULL, name, "%s: its first name", name);
		ok(s && (s->scale > 0 ? s->scale : 1) ==
				   (symbols[i].scale > 0 ? symbols[i].scale : 1),
		   "%s: its scale", name);
		is_str(s && s->unit ? s->unit : "", symbols[i].unit ? symbols[i].unit : "",
		       "%s: its unit", name);
		ok(!alias || td_symbol_find(alias) == s, "%s: also %s", name,
		   alias ? alias : "nothing else");
		ok(td_symbol_of(symbols[i].type, symbols[i].config) == s, "%s: from its number",
		   name);
	}
}

static void test_other_symbols(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(tools); i++) {
		const struct td_symbol *s = td_symbol_find(tools[i].name);

		ok(s && s->tool == tools[i].tool && s->desc, "%s is a tool's", tools[i].name);
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(none); i++)
		ok(!td_symbol_find(none[i]), "'%s' is none", none[i]);
	ok(!td_symbol_of(0, 10) && !td_symbol_of(1, 12) && !td_symbol_of(4, 0),
	   "numbers that are none");
}

/* Turns every other letter to upper case. */
static void mix_case(char *text)
{
	for (size_t i = 0, len = strlen(text); i < len; i += 2)
		text[i] = (char)(isupper((unsigned char)text[i]) ? tolower((unsigned char)text[i])
								 : toupper((unsigned char)text[i]));
}

static bool is_cache(const char *name, uint64_t id, uint64_t op, uint64_t result, bool done)
{
	uint64_t want = id | op << 8 | result << 16, got = 0;
	char mixed[80];
	int rc = td_cache_parse(name, &got);

	if (!done)
		return rc == -EINVAL;
	snprintf(mixed, sizeof(mixed), "%s", name);
	mix_case(mixed);
	if (rc || got != want)
		return false;
	got = 0;
	return td_cache_parse(mixed, &got) == 0 && got == want;
}

/* Checks all names that begin with a word of a cache. */
static bool all_of_cache(size_t cache, const char *word)
{
	char name[80];
	bool good = is_cache(word, caches[cache].id, 0, 0, true);

	for (size_t r = 0; r < TD_ARRAY_SIZE(results); r++) {
		snprintf(name, sizeof(name), "%s-%s", word, results[r].name);
		good &= is_cache(name, caches[cache].id, 0, results[r].id, true);
	}
	for (size_t o = 0; o < TD_ARRAY_SIZE(ops); o++) {
		uint64_t op = ops[o].id;
		bool done = caches[cache].done[op];

		snprintf(name, sizeof(name), "%s-%s", word, ops[o].name);
		good &= is_cache(name, caches[cache].id, op, 0, done);
		for (size_t r = 0; r < TD_ARRAY_SIZE(results); r++) {
			uint64_t result = results[r].id;

			snprintf(name, sizeof(name), "%s-%s-%s", word, ops[o].name,
				 results[r].name);
			good &= is_cache(name, caches[cache].id, op, result, done);
			snprintf(name, sizeof(name), "%s-%s-%s", word, results[r].name,
				 ops[o].name);
			good &= is_cache(name, caches[cache].id, op, result, done);
		}
	}
	return good;
}

static void test_caches(void)
{
	for (size_t c = 0; c < TD_ARRAY_SIZE(caches); c++) {
		for (size_t i = 0; i < 5 && caches[c].names[i]; i++)
			ok(all_of_cache(c, caches[c].names[i]), "%s, whatever is done on it",
			   caches[c].names[i]);
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(written); i++) {
		uint64_t config = UINT64_MAX;

		ok(td_cache_parse(written[i].name, &config) == 0 && config == written[i].config,
		   "%s is %#jx", written[i].name, (uintmax_t)written[i].config);
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(wrong); i++) {
		uint64_t config;

		ok(td_cache_parse(wrong[i].name, &config) == wrong[i].rc, "'%s' is no cache's name",
		   wrong[i].name);
	}
}

struct listed {
	size_t nr, good;
	uint64_t seen[128];
	bool twice, misses;
};

static void count_name(struct listed *listed, const char *name, uint64_t config)
{
	uint64_t parsed = UINT64_MAX;

	for (size_t i = 0; i < listed->nr; i++)
		listed->twice |= listed->seen[i] == config;
	if (listed->nr < TD_ARRAY_SIZE(listed->seen))
		listed->seen[listed->nr++] = config;
	listed->good += td_cache_parse(name, &parsed) == 0 && parsed == config;
	listed->misses |= strcmp(name, "dTLB-store-misses") == 0 && config == 0x10103;
}

/* As in perf-list(1): hits and misses of the operations that a cache has. */
static void test_cache_list(void)
{
	struct listed listed = { 0 };
	unsigned int at = 0;
	uint64_t config;
	char name[64];

	while (td_cache_next(&at, &config, name))
		count_name(&listed, name, config);
	ok(listed.nr == 2 * (3 + 2 + 3 + 3 + 1 + 1 + 3), "every config of a cache has a name");
	ok(!listed.twice, "none has two");
	ok(listed.good == listed.nr, "and each name is its config's");
	ok(listed.misses, "perf's spelling");
}

static void test_closest(void)
{
	char name[200], longer[200];
	struct td_closest c = { .wanted = name };

	for (size_t i = 0; i < TD_ARRAY_SIZE(closest); i++) {
		struct td_closest of = { .wanted = closest[i].wanted };

		for (size_t j = 0; j < 5 && closest[i].names[j]; j++)
			td_closest_offer(&of, closest[i].names[j]);
		is_str(of.best, closest[i].best, "what is meant by '%s'", closest[i].wanted);
	}
	memset(name, 'n', sizeof(name));
	memset(longer, 'n', sizeof(longer));
	name[127] = longer[126] = '\0';
	td_closest_offer(&c, longer);
	ok(strlen(c.best) == 126, "as long as a name may be");
	longer[126] = 'n';
	longer[127] = '\0';
	td_closest_offer(&c, longer);
	ok(strlen(c.best) == 127 && c.distance == 0, "the very name");
	name[127] = 'n';
	name[199] = longer[199] = '\0';
	longer[127] = 'n';
	c = (struct td_closest){ .wanted = name };
	td_closest_offer(&c, longer);
	td_closest_offer(&c, "n");
	ok(!c.best[0], "a name that is too long is close to none");
}

int main(void)
{
	test_symbols();
	test_other_symbols();
	test_caches();
	test_cache_list();
	test_closest();
	return done_testing();
}
