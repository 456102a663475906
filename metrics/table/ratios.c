// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/table/table.h"

/* clang-format off */
/* Ratios of two events, in percent. */
static const struct share {
	enum td_ratio_kind part, whole;
	const char *unit;
} shares[] = {
	{ TD_KIND_FRONTEND_STALLS, TD_KIND_CYCLES, "frontend cycles idle" },
	{ TD_KIND_BACKEND_STALLS, TD_KIND_CYCLES, "backend cycles idle" },
	{ TD_KIND_BRANCH_MISSES, TD_KIND_BRANCHES, "of all branches" },
	{ TD_KIND_CACHE_MISSES, TD_KIND_CACHE_REFS, "of all cache refs" },
	{ TD_KIND_L1D_MISSES, TD_KIND_L1D, "of all L1-dcache accesses" },
	{ TD_KIND_L1I_MISSES, TD_KIND_L1I, "of all L1-icache accesses" },
	{ TD_KIND_LL_MISSES, TD_KIND_LL, "of all LL-cache accesses" },
	{ TD_KIND_DTLB_MISSES, TD_KIND_DTLB, "of all dTLB cache accesses" },
	{ TD_KIND_ITLB_MISSES, TD_KIND_ITLB, "of all iTLB cache accesses" },
};

static const char *const rates[] = { "/sec", "K/sec", "M/sec", "G/sec" };
/* clang-format on */

/* The counts of one id, and the event whose ratios are computed. */
struct look {
	const struct td_ratios *ratios;
	const struct td_plan *plan;
	const struct td_total *totals;
	const int *firsts;
	int event;
};

/* A count in the event's unit; clocks in ns. */
static double value_of(const struct look *look, int event)
{
	double value = look->totals[event].value;

	return look->ratios->events[event].kind == TD_KIND_CLOCK
		       ? value
		       : value * look->plan->events.v[event].scale;
}

/*
 * The share of a clock's time that belongs to the event.  A clock runs on all
 * kinds of core, and so do software events, others only while their PMU was there.
 */
static double share_of_time(const struct look *look, int clock)
{
	uint64_t mine = look->totals[look->event].covered_ns;
	uint64_t all = look->totals[clock].covered_ns;

	if (td_ratio_is_software(&look->plan->events.v[look->event]))
		return 1;
	return mine && all && mine < all ? (double)mine / (double)all : 1;
}

/*
 * The value of the first event of a kind that this one may be divided by; NaN
 * if there is none.
 */
static double find(const struct look *look, enum td_ratio_kind kind)
{
	const struct td_event *self = &look->plan->events.v[look->event];
	const struct td_ratio_event *known = &look->ratios->events[look->event];
	size_t divisor = td_index_find(
		&look->ratios->divisors,
		td_ratio_divisor_key(kind, known->excluded, self->pmu,
				     known->grouped ? self->group : -1));
	int first = divisor == TD_NOT_FOUND ? -1 : look->firsts[divisor];

	if (first < 0)
		return NAN;
	return value_of(look, first) *
	       (kind == TD_KIND_CLOCK ? share_of_time(look, first) : 1);
}

static struct td_ratio *add(struct td_event_row *row, double value,
			    int decimals, const char *unit)
{
	struct td_ratio *ratio = &row->ratios[row->nr_ratios++];

	*ratio = (struct td_ratio){
		.value = value,
		.decimals = decimals,
		.unit = unit,
		.plain = value,
	};
	return ratio;
}

static void add_instructions(const struct look *look, struct td_event_row *row)
{
	double instructions = value_of(look, look->event);
	double cycles = find(look, TD_KIND_CYCLES);
	double stalls = fmax(find(look, TD_KIND_FRONTEND_STALLS),
			     find(look, TD_KIND_BACKEND_STALLS));

	if (cycles > 0)
		add(row, instructions / cycles, 2, "insn per cycle");
	if (stalls > 0 && instructions > 0)
		add(row, stalls / instructions, 2, "stalled cycles per insn");
}

static const struct share *share_of(enum td_ratio_kind part)
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
	double whole = find(look, share->whole);

	if (!(part > 0 && whole > 0))
		return;
	add(row, part / whole * 100, 2, share->unit)->percent = true;
}

static void add_rate(const struct look *look, struct td_event_row *row)
{
	double ns = find(look, TD_KIND_CLOCK);
	double plain = value_of(look, look->event) * 1e9 / ns, rate = plain;
	struct td_ratio *ratio;
	size_t prefix = 0;

	if (!(ns > 0))
		return;
	/* perf keeps exactly 1000, too */
	while (rate > 1000 && prefix + 1 < TD_ARRAY_SIZE(rates)) {
		rate /= 1000;
		prefix++;
	}
	ratio = add(row, rate, 3, rates[prefix]);
	ratio->rate = true;
	ratio->plain = plain;
}

static void add_frequency(const struct look *look, struct td_event_row *row)
{
	double cycles = value_of(look, look->event);
	double ns = find(look, TD_KIND_CLOCK);

	if (cycles > 0 && ns > 0)
		add(row, cycles / ns, 3, "GHz");
}

static void add_use(const struct look *look, uint64_t elapsed_ns,
		    struct td_event_row *row)
{
	double ns = value_of(look, look->event);

	if (elapsed_ns > 0)
		add(row, ns / (double)elapsed_ns, 3, "CPUs utilized");
}

void td_ratios_fill(const struct td_ratios *ratios, size_t id, int event,
		    uint64_t elapsed_ns, struct td_event_row *row)
{
	const struct td_plan *plan = ratios->plan;
	const struct look look = { ratios, plan,
				   ratios->totals + id * plan->events.nr,
				   ratios->firsts + id * ratios->nr_divisors,
				   event };
	enum td_ratio_kind kind = ratios->events[event].kind;
	const struct share *share = share_of(kind);

	row->nr_ratios = 0;
	if (kind == TD_KIND_NONE ||
	    !td_ratio_is_counted(&plan->events.v[event], &look.totals[event]))
		return;
	if (kind == TD_KIND_CLOCK)
		add_use(&look, elapsed_ns, row);
	else if (kind == TD_KIND_CYCLES)
		add_frequency(&look, row);
	else if (kind == TD_KIND_INSTRUCTIONS)
		add_instructions(&look, row);
	else if (share)
		add_share(&look, share, row);
	else
		add_rate(&look, row);
}

/* --- classifies events for perf's ratios ---------------------------------- */

/*
 * Configs of cache events, see perf_event_open(2): reads are 0, and so are
 * accesses.
 */
#define READS(cache) PERF_COUNT_HW_CACHE_##cache
#define READ_MISSES(cache) \
	(PERF_COUNT_HW_CACHE_##cache | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16))

/* clang-format off */
static const struct {
	uint32_t type;
	uint32_t config;
	enum td_ratio_kind kind;
} encodings[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, TD_KIND_CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, TD_KIND_CLOCK },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, TD_KIND_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, TD_KIND_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  TD_KIND_FRONTEND_STALLS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  TD_KIND_BACKEND_STALLS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  TD_KIND_BRANCHES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  TD_KIND_BRANCH_MISSES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
	  TD_KIND_CACHE_REFS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, TD_KIND_CACHE_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(L1D), TD_KIND_L1D },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(L1D), TD_KIND_L1D_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(L1I), TD_KIND_L1I },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(L1I), TD_KIND_L1I_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(LL), TD_KIND_LL },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(LL), TD_KIND_LL_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(DTLB), TD_KIND_DTLB },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(DTLB), TD_KIND_DTLB_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(ITLB), TD_KIND_ITLB },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(ITLB), TD_KIND_ITLB_MISSES },
};

/*
 * Names in sysfs of the same events (cpu/instructions/), which perf treats
 * alike.
 */
static const struct {
	const char *name;
	enum td_ratio_kind kind;
} sysfs_names[] = {
	{ "cpu-cycles", TD_KIND_CYCLES },
	{ "instructions", TD_KIND_INSTRUCTIONS },
	{ "stalled-cycles-frontend", TD_KIND_FRONTEND_STALLS },
	{ "stalled-cycles-backend", TD_KIND_BACKEND_STALLS },
	{ "branch-instructions", TD_KIND_BRANCHES },
	{ "branch-misses", TD_KIND_BRANCH_MISSES },
	{ "cache-references", TD_KIND_CACHE_REFS },
	{ "cache-misses", TD_KIND_CACHE_MISSES },
};

/* clang-format on */

/* The config without the PMU's type, which core PMUs have in the upper half. */
static uint64_t own_config(const struct td_event *event)
{
	if (event->type == PERF_TYPE_HARDWARE ||
	    event->type == PERF_TYPE_HW_CACHE)
		return event->config[0] & UINT32_MAX;
	return event->config[0];
}

/*
 * The kind of an event like "cpu_core/instructions/u", which is opened as a raw
 * event if sysfs defines it.
 */
static enum td_ratio_kind sysfs_kind(const char *name)
{
	const char *id = name ? strchr(name, '/') : NULL;
	size_t len;

	if (!id ||
	    (strncmp(name, "cpu/", 4) != 0 && strncmp(name, "cpu_", 4) != 0))
		return TD_KIND_OTHER;
	len = strcspn(++id, "/");
	for (size_t i = 0; i < TD_ARRAY_SIZE(sysfs_names); i++) {
		if (strlen(sysfs_names[i].name) == len &&
		    strncmp(sysfs_names[i].name, id, len) == 0)
			return sysfs_names[i].kind;
	}
	return TD_KIND_OTHER;
}

enum td_ratio_kind td_ratio_kind(const struct td_event *event)
{
	uint64_t config = own_config(event);

	/* Times have no rate; neither have SLOTS and its fields in perf. */
	if (event->tool != TD_TOOL_NONE || td_event_is_slots(event) ||
	    td_event_is_metric(event))
		return TD_KIND_NONE;
	for (size_t i = 0; i < TD_ARRAY_SIZE(encodings); i++) {
		if (encodings[i].type == event->type &&
		    encodings[i].config == config)
			return encodings[i].kind;
	}
	return sysfs_kind(event->name);
}

bool td_ratio_is_divisor(enum td_ratio_kind kind)
{
	switch (kind) {
	case TD_KIND_CLOCK:
	case TD_KIND_CYCLES:
	case TD_KIND_FRONTEND_STALLS:
	case TD_KIND_BACKEND_STALLS:
	case TD_KIND_BRANCHES:
	case TD_KIND_CACHE_REFS:
	case TD_KIND_L1D:
	case TD_KIND_L1I:
	case TD_KIND_LL:
	case TD_KIND_DTLB:
	case TD_KIND_ITLB:
		return true;
	default:
		return false;
	}
}

unsigned int td_ratio_excluded(const struct td_modifiers *mods)
{
	bool some = mods->user || mods->kernel || mods->hypervisor;

	return (some && !mods->user ? 1u : 0) |
	       (some && !mods->kernel ? 2u : 0) |
	       (some && !mods->hypervisor ? 4u : 0) |
	       (mods->guest && !mods->host ? 8u : 0) |
	       (mods->non_idle ? 16u : 0);
}

bool td_ratio_is_software(const struct td_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE ||
	       event->type == PERF_TYPE_TRACEPOINT;
}
