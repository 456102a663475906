// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/beside.h"

#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "lib/util.h"

/* What an event is, for perf's ratios. */
enum kind {
	KIND_NONE, /* nothing is shown beside it */
	KIND_OTHER,
	KIND_CLOCK,
	KIND_CYCLES,
	KIND_INSTRUCTIONS,
	KIND_FRONTEND_STALLS,
	KIND_BACKEND_STALLS,
	KIND_BRANCHES,
	KIND_BRANCH_MISSES,
	KIND_CACHE_REFS,
	KIND_CACHE_MISSES,
	KIND_L1D,
	KIND_L1D_MISSES,
	KIND_L1I,
	KIND_L1I_MISSES,
	KIND_LL,
	KIND_LL_MISSES,
	KIND_DTLB,
	KIND_DTLB_MISSES,
	KIND_ITLB,
	KIND_ITLB_MISSES,
};

/* perf_event_open(2): reads alone, which are 0, as are accesses. */
#define READS(cache) PERF_COUNT_HW_CACHE_##cache
#define READ_MISSES(cache) \
	(PERF_COUNT_HW_CACHE_##cache | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16))

/* clang-format off */
static const struct {
	uint32_t type;
	uint32_t config;
	enum kind kind;
} encodings[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, KIND_CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, KIND_CLOCK },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, KIND_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, KIND_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  KIND_FRONTEND_STALLS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  KIND_BACKEND_STALLS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  KIND_BRANCHES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  KIND_BRANCH_MISSES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
	  KIND_CACHE_REFS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, KIND_CACHE_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(L1D), KIND_L1D },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(L1D), KIND_L1D_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(L1I), KIND_L1I },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(L1I), KIND_L1I_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(LL), KIND_LL },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(LL), KIND_LL_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(DTLB), KIND_DTLB },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(DTLB), KIND_DTLB_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(ITLB), KIND_ITLB },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(ITLB), KIND_ITLB_MISSES },
};

/* The events of sysfs that perf takes for those above: cpu/instructions/. */
static const struct {
	const char *name;
	enum kind kind;
} sysfs_names[] = {
	{ "cpu-cycles", KIND_CYCLES },
	{ "instructions", KIND_INSTRUCTIONS },
	{ "stalled-cycles-frontend", KIND_FRONTEND_STALLS },
	{ "stalled-cycles-backend", KIND_BACKEND_STALLS },
	{ "branch-instructions", KIND_BRANCHES },
	{ "branch-misses", KIND_BRANCH_MISSES },
	{ "cache-references", KIND_CACHE_REFS },
	{ "cache-misses", KIND_CACHE_MISSES },
};

/* How much of another event an event is, in percent. */
static const struct share {
	enum kind part, whole;
	const char *unit;
} shares[] = {
	{ KIND_FRONTEND_STALLS, KIND_CYCLES, "% frontend cycles idle" },
	{ KIND_BACKEND_STALLS, KIND_CYCLES, "% backend cycles idle" },
	{ KIND_BRANCH_MISSES, KIND_BRANCHES, "% of all branches" },
	{ KIND_CACHE_MISSES, KIND_CACHE_REFS, "% of all cache refs" },
	{ KIND_L1D_MISSES, KIND_L1D, "% of all L1-dcache accesses" },
	{ KIND_L1I_MISSES, KIND_L1I, "% of all L1-icache accesses" },
	{ KIND_LL_MISSES, KIND_LL, "% of all LL-cache accesses" },
	{ KIND_DTLB_MISSES, KIND_DTLB, "% of all dTLB cache accesses" },
	{ KIND_ITLB_MISSES, KIND_ITLB, "% of all iTLB cache accesses" },
};

static const char *const rates[] = { " /sec", " K/sec", " M/sec", " G/sec" };
/* clang-format on */

/* One id's counts, and the event of them that something is put beside. */
struct look {
	const struct td_plan *plan;
	const struct td_total *totals;
	int event;
};

/* An extended type, the PMU's, stands in the upper half: core PMUs alone. */
static uint64_t own_config(const struct td_event *event)
{
	if (event->type == PERF_TYPE_HARDWARE ||
	    event->type == PERF_TYPE_HW_CACHE)
		return event->config[0] & UINT32_MAX;
	return event->config[0];
}

/* "cpu_core/instructions/u": where sysfs has it, it is opened as RAW. */
static enum kind sysfs_kind(const char *name)
{
	const char *id = name ? strchr(name, '/') : NULL;
	size_t len;

	if (!id ||
	    (strncmp(name, "cpu/", 4) != 0 && strncmp(name, "cpu_", 4) != 0))
		return KIND_OTHER;
	len = strcspn(++id, "/");
	for (size_t i = 0; i < TD_ARRAY_SIZE(sysfs_names); i++) {
		if (strlen(sysfs_names[i].name) == len &&
		    strncmp(sysfs_names[i].name, id, len) == 0)
			return sysfs_names[i].kind;
	}
	return KIND_OTHER;
}

static enum kind kind_of(const struct td_event *event)
{
	uint64_t config = own_config(event);

	/* Times have no rate; perf has none for a group of SLOTS. */
	if (event->tool != TD_TOOL_NONE || td_event_is_slots(event) ||
	    td_event_is_metric(event))
		return KIND_NONE;
	for (size_t i = 0; i < TD_ARRAY_SIZE(encodings); i++) {
		if (encodings[i].type == event->type &&
		    encodings[i].config == config)
			return encodings[i].kind;
	}
	return sysfs_kind(event->name);
}

static bool is_counted(const struct look *look, int event)
{
	const struct td_event *e = &look->plan->events[event];

	return !e->hidden && !e->refusal && !isnan(look->totals[event].value);
}

/* A clock's in ns, everything else in its unit. */
static double value_of(const struct look *look, int event)
{
	const struct td_event *e = &look->plan->events[event];
	double value = look->totals[event].value;

	return kind_of(e) == KIND_CLOCK ? value : value * e->scale;
}

/* What is left out: the bits of perf_event_attr that a modifier sets. */
static unsigned int excluded(const struct td_modifiers *mods)
{
	bool some = mods->user || mods->kernel || mods->hypervisor;

	return (some && !mods->user ? 1u : 0) |
	       (some && !mods->kernel ? 2u : 0) |
	       (some && !mods->hypervisor ? 4u : 0) |
	       (mods->guest && !mods->host ? 8u : 0) |
	       (mods->non_idle ? 16u : 0);
}

/* These go into a group of any PMU. */
static bool is_software(const struct td_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE ||
	       event->type == PERF_TYPE_TRACEPOINT;
}

/* What stands in one {} of the text is a group for each PMU in it. */
static bool share_group(const struct td_event *a, const struct td_event *b)
{
	return a->group >= 0 && a->group == b->group &&
	       (a->pmu == b->pmu || is_software(a) || is_software(b));
}

/* A group of several was counted at moments of its own. */
static bool has_group(const struct look *look)
{
	const struct td_event *events = look->plan->events;

	for (size_t i = 0; i < look->plan->nr_events; i++) {
		if ((int)i != look->event &&
		    share_group(&events[i], &events[look->event]))
			return true;
	}
	return false;
}

/*
 * A clock goes on all CPUs, on all kinds of core.  Of its time, an event of
 * one kind had as much as its PMU was there for.
 */
static double share_of_time(const struct look *look, int clock)
{
	uint64_t mine = look->totals[look->event].covered_ns;
	uint64_t all = look->totals[clock].covered_ns;

	return mine && all && mine < all ? (double)mine / (double)all : 1;
}

/* The first event of that kind that this one may be divided by; NaN: none. */
static double find(const struct look *look, enum kind kind,
		   unsigned int without)
{
	const struct td_event *self = &look->plan->events[look->event];
	bool grouped = has_group(look);

	for (size_t i = 0; i < look->plan->nr_events; i++) {
		const struct td_event *other = &look->plan->events[i];

		if (other == self || kind_of(other) != kind ||
		    excluded(&other->mods) != without ||
		    !is_counted(look, (int)i))
			continue;
		if (kind != KIND_CLOCK && other->pmu != self->pmu)
			continue;
		if (grouped && !share_group(other, self))
			continue;
		return value_of(look, (int)i) *
		       (kind == KIND_CLOCK ? share_of_time(look, (int)i) : 1);
	}
	return NAN;
}

static double find_alike(const struct look *look, enum kind kind)
{
	return find(look, kind,
		    excluded(&look->plan->events[look->event].mods));
}

static void add(struct td_event_row *row, double value, int decimals,
		const char *unit)
{
	row->beside[row->nr_beside++] = (struct td_beside){
		.value = value,
		.decimals = decimals,
		.unit = unit,
	};
}

static void add_instructions(const struct look *look, struct td_event_row *row)
{
	double instructions = value_of(look, look->event);
	double cycles = find_alike(look, KIND_CYCLES);
	double stalls = fmax(find_alike(look, KIND_FRONTEND_STALLS),
			     find_alike(look, KIND_BACKEND_STALLS));

	if (cycles > 0)
		add(row, instructions / cycles, 2, "  insn per cycle");
	if (stalls > 0 && instructions > 0)
		add(row, stalls / instructions, 2, "  stalled cycles per insn");
}

static const struct share *share_of(enum kind part)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(shares); i++) {
		if (shares[i].part == part)
			return &shares[i];
	}
	return NULL;
}

static void add_share(const struct look *look, const struct share *share,
		      struct td_event_row *row)
{
	double part = value_of(look, look->event);
	double whole = find_alike(look, share->whole);

	if (part > 0 && whole > 0)
		add(row, part / whole * 100, 2, share->unit);
}

static void add_rate(const struct look *look, struct td_event_row *row)
{
	double ns = find_alike(look, KIND_CLOCK);
	double rate = value_of(look, look->event) * 1e9 / ns;
	size_t prefix = 0;

	if (!(ns > 0))
		return;
	/* a thousand itself stays as it is, as perf shows it */
	while (rate > 1000 && prefix + 1 < TD_ARRAY_SIZE(rates)) {
		rate /= 1000;
		prefix++;
	}
	add(row, rate, 3, rates[prefix]);
}

static void add_frequency(const struct look *look, struct td_event_row *row)
{
	double cycles = value_of(look, look->event);
	double ns = find_alike(look, KIND_CLOCK);

	if (cycles > 0 && ns > 0)
		add(row, cycles / ns, 3, " GHz");
}

static void add_use(const struct look *look, uint64_t elapsed_ns,
		    struct td_event_row *row)
{
	double ns = value_of(look, look->event);

	if (elapsed_ns > 0)
		add(row, ns / (double)elapsed_ns, 3, " CPUs utilized");
}

void td_beside_fill(const struct td_plan *plan, const struct td_total *totals,
		    int event, uint64_t elapsed_ns, struct td_event_row *row)
{
	const struct look look = { plan, totals, event };
	enum kind kind = kind_of(&plan->events[event]);
	const struct share *share = share_of(kind);

	row->nr_beside = 0;
	if (kind == KIND_NONE || !is_counted(&look, event))
		return;
	if (kind == KIND_CLOCK)
		add_use(&look, elapsed_ns, row);
	else if (kind == KIND_CYCLES)
		add_frequency(&look, row);
	else if (kind == KIND_INSTRUCTIONS)
		add_instructions(&look, row);
	else if (share)
		add_share(&look, share, row);
	else
		add_rate(&look, row);
}
