// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/symbols.h"

#include <linux/perf_event.h>
#include <strings.h>

#include "lib/base/util.h"

#define HARDWARE(id, ...)                                                             \
	{                                                                             \
		__VA_ARGS__, .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##id \
	}
#define SOFTWARE(id, ...)                                                             \
	{                                                                             \
		__VA_ARGS__, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##id \
	}

/* clang-format off */
const struct td_symbol td_symbols[] = {
	HARDWARE(CPU_CYCLES, "cycles", "cpu-cycles",
		 .desc = "cycles in which the core is not halted"),
	HARDWARE(INSTRUCTIONS, "instructions",
		 .desc = "retired instructions"),
	HARDWARE(CACHE_REFERENCES, "cache-references",
		 .desc = "accesses to the last-level cache"),
	HARDWARE(CACHE_MISSES, "cache-misses",
		 .desc = "misses of the last-level cache"),
	HARDWARE(BRANCH_INSTRUCTIONS, "branches", "branch-instructions",
		 .desc = "retired branches"),
	HARDWARE(BRANCH_MISSES, "branch-misses",
		 .desc = "mispredicted branches"),
	HARDWARE(BUS_CYCLES, "bus-cycles",
		 .desc = "cycles of the bus clock"),
	HARDWARE(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend",
		 "idle-cycles-frontend",
		 .desc = "cycles in which no micro-operation is issued"),
	HARDWARE(STALLED_CYCLES_BACKEND, "stalled-cycles-backend",
		 "idle-cycles-backend",
		 .desc = "cycles in which no micro-operation retires"),
	HARDWARE(REF_CPU_CYCLES, "ref-cycles",
		 .desc = "cycles at the base frequency"),

	SOFTWARE(CPU_CLOCK, "cpu-clock", .unit = "msec", .scale = 1e-6,
		 .desc = "time of the CPU clock"),
	SOFTWARE(TASK_CLOCK, "task-clock", .unit = "msec", .scale = 1e-6,
		 .desc = "time that a task runs"),
	SOFTWARE(PAGE_FAULTS, "page-faults", "faults",
		 .desc = "page faults"),
	SOFTWARE(CONTEXT_SWITCHES, "context-switches", "cs",
		 .desc = "switches from one task to another"),
	SOFTWARE(CPU_MIGRATIONS, "cpu-migrations", "migrations",
		 .desc = "migrations of a task to another CPU"),
	SOFTWARE(PAGE_FAULTS_MIN, "minor-faults",
		 .desc = "page faults without I/O"),
	SOFTWARE(PAGE_FAULTS_MAJ, "major-faults",
		 .desc = "page faults with I/O"),
	SOFTWARE(ALIGNMENT_FAULTS, "alignment-faults",
		 .desc = "unaligned accesses that the kernel fixes"),
	SOFTWARE(EMULATION_FAULTS, "emulation-faults",
		 .desc = "instructions that the kernel emulates"),
	SOFTWARE(DUMMY, "dummy", .desc = "an event that counts nothing"),
	SOFTWARE(BPF_OUTPUT, "bpf-output",
		 .desc = "output of BPF programs"),
	SOFTWARE(CGROUP_SWITCHES, "cgroup-switches",
		 .desc = "switches to a task of another cgroup"),

	{ "duration_time", .tool = TD_TOOL_DURATION_TIME, .unit = "ns",
	  .desc = "elapsed time" },
	{ "user_time", .tool = TD_TOOL_USER_TIME, .unit = "ns",
	  .desc = "time in user mode" },
	{ "system_time", .tool = TD_TOOL_SYSTEM_TIME, .unit = "ns",
	  .desc = "time in the kernel" },
};
/* clang-format on */

const size_t td_nr_symbols = TD_ARRAY_SIZE(td_symbols);

const struct td_symbol *td_symbol_find(const char *name)
{
	td_for_each(const struct td_symbol, symbol, td_symbols, td_nr_symbols) {
		if (strcmp(symbol->name, name) == 0 ||
		    (symbol->alias && strcmp(symbol->alias, name) == 0))
			return symbol;
	}
	return NULL;
}

const struct td_symbol *td_symbol_of(uint32_t type, uint64_t config)
{
	td_for_each(const struct td_symbol, symbol, td_symbols, td_nr_symbols) {
		if (symbol->tool == TD_TOOL_NONE && symbol->type == type &&
		    symbol->config == config)
			return symbol;
	}
	return NULL;
}

/* --- caches --------------------------------------------------------------- */

#define READ     (1 << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE    (1 << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCH (1 << PERF_COUNT_HW_CACHE_OP_PREFETCH)

/* A part of a name in all its spellings, of which the first is shown.  Tables are sorted by id. */
struct cache_word {
	const char *names[6];
	uint64_t id;
	int ops; /* mask of the operations of a cache */
};

static const struct cache_word caches[] = {
	{ { "L1-dcache", "l1-d", "l1d", "L1-data" },
	  PERF_COUNT_HW_CACHE_L1D,
	  READ | WRITE | PREFETCH },
	{ { "L1-icache", "l1-i", "l1i", "L1-instruction" },
	  PERF_COUNT_HW_CACHE_L1I,
	  READ | PREFETCH },
	{ { "LLC", "L2" }, PERF_COUNT_HW_CACHE_LL, READ | WRITE | PREFETCH },
	{ { "dTLB", "d-tlb", "Data-TLB" }, PERF_COUNT_HW_CACHE_DTLB, READ | WRITE | PREFETCH },
	{ { "iTLB", "i-tlb", "Instruction-TLB" }, PERF_COUNT_HW_CACHE_ITLB, READ },
	{ { "branch", "branches", "bpu", "btb", "bpc" }, PERF_COUNT_HW_CACHE_BPU, READ },
	{ { "node" }, PERF_COUNT_HW_CACHE_NODE, READ | WRITE | PREFETCH },
};

static const struct cache_word ops[] = {
	{ { "loads", "load", "read" }, PERF_COUNT_HW_CACHE_OP_READ, 0 },
	{ { "stores", "store", "write" }, PERF_COUNT_HW_CACHE_OP_WRITE, 0 },
	{ { "prefetches", "prefetch", "speculative-read", "speculative-load" },
	  PERF_COUNT_HW_CACHE_OP_PREFETCH,
	  0 },
};

static const struct cache_word results[] = {
	{ { "refs", "Reference", "ops", "access" }, PERF_COUNT_HW_CACHE_RESULT_ACCESS, 0 },
	{ { "misses", "miss" }, PERF_COUNT_HW_CACHE_RESULT_MISS, 0 },
};

/*
 * Find the longest word at the start of text.  It must end at a '-' or at the end.  Sets *rest
 * to the text after it.
 */
static const struct cache_word *match_word(const struct cache_word *words, size_t nr,
					   const char *text, const char **rest)
{
	const struct cache_word *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < nr; i++) {
		for (int j = 0; j < 6 && words[i].names[j]; j++) {
			size_t len = strlen(words[i].names[j]);

			if (len <= longest || strncasecmp(text, words[i].names[j], len) != 0 ||
			    (text[len] && text[len] != '-'))
				continue;
			best = &words[i];
			longest = len;
		}
	}
	if (best)
		/* a '-' at the end is left, so that the name is invalid */
		*rest = text + longest + (text[longest] == '-' && text[longest + 1]);
	return best;
}

#define MATCH(words, text, rest) match_word(words, TD_ARRAY_SIZE(words), text, rest)

int td_cache_parse(const char *name, uint64_t *config)
{
	const struct cache_word *op = NULL, *result = NULL;
	const struct cache_word *cache = MATCH(caches, name, &name);
	uint64_t done;

	if (!cache)
		return -ENOENT;
	for (int part = 0; part < 2 && *name; part++) {
		if (!op)
			op = MATCH(ops, name, &name);
		if (!result && *name)
			result = MATCH(results, name, &name);
	}
	if (*name)
		return -ENOENT;
	done = op ? op->id : PERF_COUNT_HW_CACHE_OP_READ;
	if (!(cache->ops >> done & 1))
		return -EINVAL;
	*config = cache->id | done << 8 | (result ? result->id << 16 : 0);
	return 0;
}

bool td_cache_name(uint64_t config, char buf[64])
{
	uint64_t id = config & 0xff, op = config >> 8 & 0xff;
	uint64_t miss = config >> 16;

	if (id >= TD_ARRAY_SIZE(caches) || op >= TD_ARRAY_SIZE(ops) ||
	    miss > PERF_COUNT_HW_CACHE_RESULT_MISS || !(caches[id].ops >> op & 1))
		return false;
	if (miss)
		snprintf(buf, 64, "%s-%s-%s", caches[id].names[0], ops[op].names[1],
			 results[miss].names[0]);
	else
		snprintf(buf, 64, "%s-%s", caches[id].names[0], ops[op].names[0]);
	return true;
}

bool td_cache_next(unsigned int *at, uint64_t *config, char name[64])
{
	const unsigned int results_of_cache = 2 * TD_ARRAY_SIZE(ops);
	bool found = false;

	while (!found && *at / results_of_cache < TD_ARRAY_SIZE(caches)) {
		*config = *at / results_of_cache | *at % results_of_cache / 2 << 8 | *at % 2 << 16;
		found = td_cache_name(*config, name);
		++*at;
	}
	return found;
}
