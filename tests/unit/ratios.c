// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the ratios next to counts, by tools/perf/util/stat-shadow.c of Linux
 * 6.12.  Counts that are not round are from lines that perf 6.12 printed.
 */
#include "metrics/table/table.h"

#include <linux/perf_event.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define MAX_EVENTS 5

/*
 * An event and its count.  PMUs: 0 cpu_core, 1 cpu_atom, 2 software, 3 other.
 */
struct count {
	uint32_t type;
	uint64_t config;
	int pmu;
	double value;
	const char *mods;
	int braces; /* number of its {}; 0: none */
	const char *name;
	double scale; /* 0 means 1 */
	bool hidden;
	enum td_tool tool;
	const char *refusal;
};

/* clang-format off */
#define HW(pmu, id)    PERF_TYPE_HARDWARE, \
	((pmu) ? UINT64_C(10) << 32 : UINT64_C(4) << 32) | \
	PERF_COUNT_HW_##id, pmu
#define CACHE_OP(cache, op, miss) PERF_TYPE_HW_CACHE, UINT64_C(4) << 32 | \
	(miss) << 16 | (op) << 8 | PERF_COUNT_HW_CACHE_##cache, 0
#define CACHE(cache, miss) CACHE_OP(cache, 0, miss)
#define RAW(config)    PERF_TYPE_RAW, config, 0
#define SW(id)         PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id, 2
#define CLOCK          SW(TASK_CLOCK)
#define CYCLES         HW(0, CPU_CYCLES)
#define INSTRUCTIONS   HW(0, INSTRUCTIONS)
#define BRANCHES       HW(0, BRANCH_INSTRUCTIONS)
#define BRANCH_MISSES  HW(0, BRANCH_MISSES)
#define FRONTEND       HW(0, STALLED_CYCLES_FRONTEND)
#define BACKEND        HW(0, STALLED_CYCLES_BACKEND)

/*
 * The ratios of the first event, within 1000 ns unless elapsed says otherwise.
 */
static const struct {
	const char *name;
	struct count v[MAX_EVENTS]; /* ends with one of value 0 and type 0 */
	const char *want; /* "value unit"; two ratios are separated by '|' */
	uint64_t elapsed;
} rows[] = {
	/* CPUs utilized */
	{ "task-clock", { { CLOCK, 1862740000 } }, "7.911 CPUs utilized",
	  235471444 },
	{ "cpu-clock", { { SW(CPU_CLOCK), 1874360000 } },
	  "7.876 CPUs utilized", 237971772 },
	{ "a clock with .scale 1e-6, which shows it in msec",
	  { { CLOCK, 1500, .scale = 1e-6 } }, "1.500 CPUs utilized" },
	{ "a clock that another stands beside",
	  { { CLOCK, 500 }, { SW(CPU_CLOCK), 1000 } }, "0.500 CPUs utilized" },
	{ "a clock of user mode", { { CLOCK, 500, "u" } },
	  "0.500 CPUs utilized" },
	{ "a clock that stood still", { { CLOCK, 0 } },
	  "0.000 CPUs utilized" },
	{ "a clock, and no time went by", { { CLOCK, 500 } }, "", UINT64_MAX },
	{ "a clock that never ran", { { CLOCK, NAN } }, "" },

	/* GHz */
	{ "cycles", { { CYCLES, 104650550 }, { CLOCK, 1874410000 } },
	  "0.056 GHz" },
	{ "cycles on two PMUs: all of the clock, each",
	  { { HW(1, CPU_CYCLES), 23704326 }, { CYCLES, 1 },
	    { CLOCK, 1874410000 } }, "0.013 GHz" },
	{ "cycles by cpu-clock", { { CYCLES, 3000 }, { SW(CPU_CLOCK), 1000 } },
	  "3.000 GHz" },
	{ "the first clock",
	  { { CYCLES, 3000 }, { SW(CPU_CLOCK), 1000 }, { CLOCK, 2000 } },
	  "3.000 GHz" },
	{ "the first clock that ran",
	  { { CYCLES, 3000 }, { SW(CPU_CLOCK), NAN }, { CLOCK, 2000 } },
	  "1.500 GHz" },
	{ "a clock in msec", { { CYCLES, 3000 }, { CLOCK, 1000, .scale = 1e-6 } },
	  "3.000 GHz" },
	{ "cycles without a clock", { { CYCLES, 3000 } }, "" },
	{ "cycles, and a clock that stood still",
	  { { CYCLES, 3000 }, { CLOCK, 0 } }, "" },
	{ "no cycles at all", { { CYCLES, 0 }, { CLOCK, 1000 } }, "" },
	{ "cycles of a machine with one core PMU",
	  { { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 3000 },
	    { CLOCK, 1000 } }, "3.000 GHz" },
	{ "cycles that never ran", { { CYCLES, NAN }, { CLOCK, 1000 } }, "" },
	{ "cycles that nobody asked for",
	  { { CYCLES, 3000, .hidden = true }, { CLOCK, 1000 } }, "" },
	{ "cycles that the kernel refused",
	  { { CYCLES, 3000, .refusal = "no" }, { CLOCK, 1000 } }, "" },

	/* insn per cycle */
	{ "instructions", { { INSTRUCTIONS, 143100300 }, { CYCLES, 95400696 },
	    { CLOCK, 2705790000 } }, "1.50 insn per cycle" },
	{ "none", { { INSTRUCTIONS, 0 }, { CYCLES, 1000 } },
	  "0.00 insn per cycle" },
	{ "no cycles", { { INSTRUCTIONS, 1500 }, { CLOCK, 1000 } }, "" },
	{ "no cycles went by", { { INSTRUCTIONS, 1500 }, { CYCLES, 0 } }, "" },
	{ "cycles of the other PMU",
	  { { INSTRUCTIONS, 1500 }, { HW(1, CPU_CYCLES), 1000 },
	    { CLOCK, 1000 } }, "" },
	{ "cycles of both", { { HW(1, INSTRUCTIONS), 1500 }, { CYCLES, 1000 },
	    { HW(1, CPU_CYCLES), 3000 } }, "0.50 insn per cycle" },
	{ "cycles that nobody sees",
	  { { INSTRUCTIONS, 1500 }, { CYCLES, 1000, .hidden = true } }, "" },
	{ "cycles that were refused",
	  { { INSTRUCTIONS, 1500 }, { CYCLES, 0, .refusal = "no" } }, "" },
	{ "ref-cycles are none",
	  { { INSTRUCTIONS, 1500 }, { HW(0, REF_CPU_CYCLES), 1000 } }, "" },
	{ "stalled in front", { { INSTRUCTIONS, 1000 }, { CYCLES, 2000 },
	    { FRONTEND, 500 } },
	  "0.50 insn per cycle|0.50 stalled cycles per insn" },
	{ "stalled at the back", { { INSTRUCTIONS, 1000 }, { CYCLES, 2000 },
	    { BACKEND, 1500 } },
	  "0.50 insn per cycle|1.50 stalled cycles per insn" },
	{ "the larger of both", { { INSTRUCTIONS, 1000 }, { CYCLES, 2000 },
	    { FRONTEND, 500 }, { BACKEND, 250 } },
	  "0.50 insn per cycle|0.50 stalled cycles per insn" },
	{ "stalled, without cycles",
	  { { INSTRUCTIONS, 1000 }, { BACKEND, 250 } },
	  "0.25 stalled cycles per insn" },
	{ "stalled, without instructions",
	  { { INSTRUCTIONS, 0 }, { CYCLES, 2000 }, { BACKEND, 250 } },
	  "0.00 insn per cycle" },
	{ "never stalled",
	  { { INSTRUCTIONS, 1000 }, { CYCLES, 2000 }, { BACKEND, 0 } },
	  "0.50 insn per cycle" },

	/* shares of all ... */
	{ "branch-misses", { { BRANCH_MISSES, 1487965 },
	    { BRANCHES, 23809603 }, { CLOCK, 1 } }, "6.25% of all branches" },
	{ "no branch-misses", { { BRANCH_MISSES, 0 }, { BRANCHES, 100 } },
	  "" },
	{ "no branches", { { BRANCH_MISSES, 10 }, { CLOCK, 1000 } }, "" },
	{ "no branches were taken",
	  { { BRANCH_MISSES, 10 }, { BRANCHES, 0 } }, "" },
	{ "cache-misses", { { HW(0, CACHE_MISSES), 22484841 },
	    { HW(0, CACHE_REFERENCES), 4864623 } },
	  "462.21% of all cache refs" },
	{ "frontend", { { FRONTEND, 300 }, { CYCLES, 2000 } },
	  "15.00% frontend cycles idle" },
	{ "backend", { { BACKEND, 300 }, { CYCLES, 400 } },
	  "75.00% backend cycles idle" },
	{ "L1d", { { CACHE(L1D, 1), 8435409 }, { CACHE(L1D, 0), 18141644 } },
	  "46.50% of all L1-dcache accesses" },
	{ "L1i", { { CACHE(L1I, 1), 7705771 }, { CACHE(L1I, 0), 10536633 } },
	  "73.13% of all L1-icache accesses" },
	{ "LL", { { CACHE(LL, 1), 7402346 }, { CACHE(LL, 0), 4009860 } },
	  "184.60% of all LL-cache accesses" },
	{ "dTLB", { { CACHE(DTLB, 1), 12177335 },
	    { CACHE(DTLB, 0), 16040226 } },
	  "75.92% of all dTLB cache accesses" },
	{ "iTLB", { { CACHE(ITLB, 1), 1 }, { CACHE(ITLB, 0), 4 } },
	  "25.00% of all iTLB cache accesses" },
	{ "of another cache", { { CACHE(L1D, 1), 1 }, { CACHE(LL, 0), 4 },
	    { CLOCK, 1000 } }, "" },
	{ "misses of writes have a rate",
	  { { CACHE_OP(L1D, 1, 1), 20 }, { CACHE(L1D, 0), 100 },
	    { CLOCK, 1e9 } }, "20.000 /sec" },
	{ "and writes are no whole", { { CACHE(L1D, 1), 20 },
	    { CACHE_OP(L1D, 1, 0), 100 } }, "" },
	{ "reads have a rate, too", { { CACHE(L1D, 0), 3e6 },
	    { CACHE(L1D, 1), 100 }, { CLOCK, 1e9 } }, "3.000 M/sec" },

	/* rates */
	{ "branches", { { BRANCHES, 5173086 }, { CLOCK, 10719005 } },
	  "482.609 M/sec" },
	{ "cs", { { SW(CONTEXT_SWITCHES), 7 }, { CLOCK, 10719005 } },
	  "653.046 /sec" },
	{ "cs, more often", { { SW(CONTEXT_SWITCHES), 6 }, { CLOCK, 5270854 } },
	  "1.138 K/sec" },
	{ "none", { { SW(CPU_MIGRATIONS), 0 }, { CLOCK, 10719005 } },
	  "0.000 /sec" },
	{ "a thousand", { { SW(PAGE_FAULTS), 1000 }, { CLOCK, 1e9 } },
	  "1000.000 /sec" },
	{ "more", { { SW(PAGE_FAULTS), 1001 }, { CLOCK, 1e9 } },
	  "1.001 K/sec" },
	{ "a billion", { { BRANCHES, 1e9 }, { CLOCK, 1e9 } },
	  "1000.000 M/sec" },
	{ "more than a billion", { { HW(1, REF_CPU_CYCLES), 11966950 },
	    { CLOCK, 6550000 } }, "1.827 G/sec" },
	{ "there is no T", { { BRANCHES, 2e13 }, { CLOCK, 1e9 } },
	  "20000.000 G/sec" },
	{ "no clock", { { BRANCHES, 1000 }, { CYCLES, 1000 } }, "" },
	{ "a clock that never ran", { { BRANCHES, 1000 }, { CLOCK, NAN } },
	  "" },
	{ "a clock that nobody sees",
	  { { BRANCHES, 1000 }, { CLOCK, 1000, .hidden = true } }, "" },
	{ "an event with a scale: Joules", { { 30, 2, 3, 0x1p33,
	    .name = "power/energy-pkg/", .scale = 0x1p-32 },
	    { CLOCK, 5e8 } }, "4.000 /sec" },
	{ "a tracepoint", { { PERF_TYPE_TRACEPOINT, 314, 2, 7 },
	    { CLOCK, 7980000 } }, "877.193 /sec" },
	{ "a tracepoint of an id that a clock has",
	  { { PERF_TYPE_TRACEPOINT, 1, 2, 7 }, { CLOCK, 1e9 } },
	  "7.000 /sec" },
	{ "a breakpoint", { { PERF_TYPE_BREAKPOINT, 0, 2, 0 },
	    { CLOCK, 1e9 } }, "0.000 /sec" },
	{ "topdown-retiring of an Atom", { { 10, 0xc2, 1, 38644999,
	    .name = "cpu_atom/topdown-retiring/" },
	    { CLOCK, 1951220332 } }, "19.806 M/sec" },

	/* no ratio */
	{ "slots", { { RAW(0x400), 1e9 }, { CLOCK, 1000 } }, "" },
	{ "a metric event", { { RAW(0x8000), 1e9 }, { CLOCK, 1000 } }, "" },
	{ "the last metric event",
	  { { RAW(0x8700), 1e9 }, { CLOCK, 1000 } }, "" },
	{ "duration_time", { { .pmu = -1, .value = 1e9,
	    .tool = TD_TOOL_DURATION_TIME }, { CLOCK, 1000 } }, "" },
	{ "user_time", { { .pmu = -1, .value = 1e9,
	    .tool = TD_TOOL_USER_TIME }, { CLOCK, 1000 } }, "" },
	{ "system_time", { { .pmu = -1, .value = 1e9,
	    .tool = TD_TOOL_SYSTEM_TIME }, { CLOCK, 1000 } }, "" },
	{ "duration_time is no cycles of cpu_core", /* type and config are 0 */
	  { { INSTRUCTIONS, 1500 }, { .pmu = 0, .value = 1000,
	    .tool = TD_TOOL_DURATION_TIME } }, "" },

	/* modifiers */
	{ "both of user mode", { { INSTRUCTIONS, 95042058, "u" },
	    { CYCLES, 63371254, "u" }, { CYCLES, 84470898 } },
	  "1.50 insn per cycle" },
	{ "the other way round", { { INSTRUCTIONS, 1500 },
	    { CYCLES, 500, "u" }, { CYCLES, 1000 } }, "1.50 insn per cycle" },
	{ "cycles of all modes", { { INSTRUCTIONS, 140691942, "u" },
	    { CYCLES, 125191992 }, { CLOCK, 1951220332 } }, "" },
	{ "cycles of the other mode", { { INSTRUCTIONS, 1500, "k" },
	    { CYCLES, 1000, "u" } }, "" },
	{ "uk leaves hypervisors out", { { INSTRUCTIONS, 1500, "uk" },
	    { CYCLES, 1000 } }, "" },
	{ "all three are none", { { INSTRUCTIONS, 1500, "ukh" },
	    { CYCLES, 1000 } }, "1.50 insn per cycle" },
	{ "in guests alone", { { INSTRUCTIONS, 1500, "G" },
	    { CYCLES, 1000 } }, "" },
	{ "in guests and hosts", { { INSTRUCTIONS, 1500, "GH" },
	    { CYCLES, 1000 } }, "1.50 insn per cycle" },
	/* exclude_guest is ignored */
	{ "in hosts alone", { { INSTRUCTIONS, 1500, "H" },
	    { CYCLES, 1000 } }, "1.50 insn per cycle" },
	{ "not when idle", { { INSTRUCTIONS, 1500, "I" }, { CYCLES, 1000 } },
	  "" },
	{ "how precise does not matter",
	  { { INSTRUCTIONS, 1500, "pp" }, { CYCLES, 1000 } },
	  "1.50 insn per cycle" },
	{ "a clock of user mode for its like",
	  { { CYCLES, 23179847, "u" }, { CLOCK, 1828060000, "u" } },
	  "0.013 GHz" },
	{ "but not for all", { { CYCLES, 30890722 },
	    { CLOCK, 1828060000, "u" } }, "" },
	{ "its like before one of all modes",
	  { { CYCLES, 3000, "u" }, { SW(CPU_CLOCK), 500 },
	    { CLOCK, 1000, "u" } }, "3.000 GHz" },
	/* the time of all modes is not that of a single mode */
	{ "a clock of all modes for a rate",
	  { { BRANCHES, 500, "u" }, { CLOCK, 1e9 } }, "" },
	{ "a clock of all modes for cycles",
	  { { CYCLES, 2000, "k" }, { CLOCK, 1000 } }, "" },

	/* groups */
	{ "in one group", { { INSTRUCTIONS, 1500, .braces = 1 },
	    { CYCLES, 1000, .braces = 1 } }, "1.50 insn per cycle" },
	{ "cycles of its group, not the first ones",
	  { { INSTRUCTIONS, 1500, .braces = 1 }, { CYCLES, 500 },
	    { CYCLES, 1000, .braces = 1 } }, "1.50 insn per cycle" },
	{ "a clock outside of the group",
	  { { CYCLES, 92492438, .braces = 1 },
	    { INSTRUCTIONS, 92492438, .braces = 1 },
	    { CLOCK, 1900450000 } }, "" },
	{ "a clock inside", { { CYCLES, 83385652, .braces = 1 },
	    { CLOCK, 1862740000, .braces = 1 } }, "0.045 GHz" },
	{ "cycles in any group for one that has none",
	  { { INSTRUCTIONS, 43749052 }, { CYCLES, 29179671, .braces = 1 },
	    { CLOCK, 1862740000, .braces = 1 } }, "1.50 insn per cycle" },
	{ "alone in its group", { { CYCLES, 20692354, .braces = 1 },
	    { CLOCK, 10719005 } }, "1.930 GHz" },
	{ "alone on its PMU in its group",
	  { { CYCLES, 3000, .braces = 1 },
	    { HW(1, CPU_CYCLES), 1, .braces = 1 }, { CLOCK, 1000 } },
	  "3.000 GHz" },
	{ "the other group", { { INSTRUCTIONS, 1500, .braces = 1 },
	    { BRANCHES, 1, .braces = 1 }, { CYCLES, 1000, .braces = 2 } },
	  "" },

	/*
	 * events of sysfs instead of generic ones: those of cpu_core have the
	 * type RAW
	 */
	{ "cpu-cycles", { { RAW(0x3c), 67063113,
	    .name = "cpu_core/cpu-cycles/" }, { CLOCK, 1785470000 } },
	  "0.038 GHz" },
	{ "instructions", { { RAW(0xc0), 100587634,
	    .name = "cpu_core/instructions/" },
	    { RAW(0x3c), 67063113, .name = "cpu_core/cpu-cycles/" } },
	  "1.50 insn per cycle" },
	{ "with a modifier", { { RAW(0xc0), 1500, "u",
	    .name = "cpu/instructions/u" }, { CYCLES, 1000, "u" } },
	  "1.50 insn per cycle" },
	{ "branch-misses", { { RAW(0xc5), 1076216,
	    .name = "cpu/branch-misses/" },
	    { RAW(0xc4), 17217651, .name = "cpu/branch-instructions/" } },
	  "6.25% of all branches" },
	{ "cache-misses", { { 10, 0x412e, 1, 30,
	    .name = "cpu_atom/cache-misses/" },
	    { 10, 0x4f2e, 1, 60, .name = "cpu_atom/cache-references/" } },
	  "50.00% of all cache refs" },
	{ "the same bits by hand have a rate", { { RAW(0xc0), 100613441,
	    .name = "cpu_core/event=0xc0/" }, { CYCLES, 1000 },
	    { CLOCK, 1785470000 } }, "56.351 M/sec" },
	{ "cycles by hand are none", { { INSTRUCTIONS, 1500 },
	    { RAW(0x3c), 1000, .name = "cpu_core/event=0x3c/" } }, "" },
	{ "part of a name", { { RAW(0xc0), 1, .name = "cpu/instruction/" },
	    { CYCLES, 1000 }, { CLOCK, 1e9 } }, "1.000 /sec" },
	{ "more than a name", { { RAW(0xc0), 1,
	    .name = "cpu/instructions,cmask=1/" },
	    { CYCLES, 1000 }, { CLOCK, 1e9 } }, "1.000 /sec" },
	{ "not of a core", { { 30, 0, 3, 1, .name = "gpu/instructions/" },
	    { 30, 1, 3, 1000, .name = "gpu/cpu-cycles/" },
	    { CLOCK, 1e9 } }, "1.000 /sec" },
	{ "an event of the model's files", { { RAW(0xc0), 187175334,
	    .name = "cpu_core/INST_RETIRED.ANY/" }, { CYCLES, 1000 },
	    { CLOCK, 1951220332 } }, "95.927 M/sec" },
};
/* clang-format on */

static struct td_modifiers modifiers(const char *letters)
{
	struct td_modifiers mods = { 0 };

	for (; letters && *letters; letters++) {
		mods.user |= *letters == 'u';
		mods.kernel |= *letters == 'k';
		mods.hypervisor |= *letters == 'h';
		mods.guest |= *letters == 'G';
		mods.host |= *letters == 'H';
		mods.non_idle |= *letters == 'I';
		mods.precise += *letters == 'p';
	}
	return mods;
}

static struct td_event event_of(const struct count *count)
{
	return (struct td_event){
		/* never modified */
		.name = count->name ? (char *)(uintptr_t)count->name : NULL,
		.pmu = count->pmu,
		.type = count->type,
		.config = { count->config },
		.scale = count->scale > 0 ? count->scale : 1,
		.mods = modifiers(count->mods),
		.tool = count->tool,
		.spec = -1,
		.group = count->braces - 1,
		.hidden = count->hidden,
		.refusal = (char *)(uintptr_t)count->refusal,
	};
}

static bool is_end(const struct count *count)
{
	return count->type == 0 && count->config == 0 && count->value == 0;
}

static void write_row(const struct td_event_row *row, char *text, size_t size)
{
	FILE *fp = fmemopen(text, size, "w");

	if (!fp)
		return;
	for (int i = 0; i < row->nr_ratios; i++)
		fprintf(fp, "%s%.*f%s%s", i > 0 ? "|" : "", row->ratios[i].decimals,
			row->ratios[i].value, row->ratios[i].percent ? "% " : " ",
			row->ratios[i].unit);
	fclose(fp);
}

static void fill(const struct td_plan *plan, const struct td_total *totals, int event,
		 uint64_t elapsed_ns, struct td_event_row *row)
{
	struct td_ratios ratios;

	td_ratios_build(&ratios, plan);
	td_ratios_count(&ratios, totals, 1);
	td_ratios_fill(&ratios, 0, event, elapsed_ns, row);
	td_ratios_free(&ratios);
}

static void test_row(size_t i)
{
	uint64_t elapsed = rows[i].elapsed ? rows[i].elapsed : 1000;
	struct td_event events[MAX_EVENTS];
	struct td_total totals[MAX_EVENTS];
	struct td_plan plan = { .events.v = events };
	struct td_event_row row = { .nr_ratios = TD_MAX_RATIOS };
	char text[256] = "";

	for (int n = 0; n < MAX_EVENTS && !is_end(&rows[i].v[n]); n++) {
		events[n] = event_of(&rows[i].v[n]);
		totals[n] = (struct td_total){ .value = rows[i].v[n].value };
		plan.events.nr++;
	}
	fill(&plan, totals, 0, elapsed == UINT64_MAX ? 0 : elapsed, &row);
	write_row(&row, text, sizeof(text));
	is_str(text, rows[i].want, "%s", rows[i].name);
}

/* The ratio does not depend on the order: an event is not divided by itself. */
static void test_twice(void)
{
	struct td_event events[3];
	struct td_total totals[3] = { { .value = 1000 }, { .value = 1500 }, { .value = 3000 } };
	struct td_plan plan = { .events.v = events, .events.nr = 3 };
	struct td_event_row row;
	char text[256] = "";

	events[0] = event_of(&(struct count){ CYCLES, 0 });
	events[1] = event_of(&(struct count){ CLOCK, 0 });
	events[2] = event_of(&(struct count){ INSTRUCTIONS, 0 });
	fill(&plan, totals, 2, 1000, &row);
	write_row(&row, text, sizeof(text));
	is_str(text, "3.00 insn per cycle", "the last of three");
	fill(&plan, totals, 1, 500, &row);
	write_row(&row, text, sizeof(text));
	is_str(text, "3.000 CPUs utilized", "the one in the middle");
}

/* The task was on this core type for half of the clock's time, with 3 cycles per ns. */
static void test_share(void)
{
	struct td_event events[2];
	struct td_total totals[2] = {
		{ .value = 3000, .covered_ns = 1000 },
		{ .value = 2000, .covered_ns = 2000 },
	};
	struct td_plan plan = { .events.v = events, .events.nr = 2 };
	struct td_event_row row;
	char text[256] = "";

	events[0] = event_of(&(struct count){ CYCLES, 0 });
	events[1] = event_of(&(struct count){ CLOCK, 0 });
	fill(&plan, totals, 0, 1000, &row);
	write_row(&row, text, sizeof(text));
	is_str(text, "3.000 GHz", "of the time on its kind of core");
	fill(&plan, totals, 1, 1000, &row);
	write_row(&row, text, sizeof(text));
	is_str(text, "2.000 CPUs utilized", "the clock itself: all of it");
}

/* Ratios as columns of a table, without prefixes and layout. */
static void test_columns(void)
{
	struct td_event events[3];
	struct td_total totals[3] = { { .value = 1000 }, { .value = 8 }, { .value = 2 } };
	struct td_plan plan = { .events.v = events, .events.nr = 3 };
	struct td_event_row row;

	events[0] = event_of(&(struct count){ CLOCK, 0 });
	events[1] = event_of(&(struct count){ BRANCHES, 0 });
	events[2] = event_of(&(struct count){ BRANCH_MISSES, 0 });
	fill(&plan, totals, 1, 1000, &row);
	ok(row.ratios[0].value == 8 && row.ratios[0].plain == 8e6 && row.ratios[0].rate &&
		   !row.ratios[0].percent,
	   "a rate: 8 M/sec");
	fill(&plan, totals, 2, 1000, &row);
	is_str(row.ratios[0].unit, "of all branches", "a share: its name");
	ok(row.ratios[0].plain == 25 && row.ratios[0].percent && !row.ratios[0].rate,
	   "a share: in percent");
	fill(&plan, totals, 0, 1000, &row);
	is_str(row.ratios[0].unit, "CPUs utilized", "a clock: its name");
	ok(row.ratios[0].plain == 1 && !row.ratios[0].percent, "a clock: no percentage");
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	test_twice();
	test_share();
	test_columns();
	return done_testing();
}
