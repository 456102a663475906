// SPDX-License-Identifier: GPL-2.0-only
/* How many groups the counters hold at once (metrics.md 1.5's counters). */
#include "lib/plan_fit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>

#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define RAW(code)       \
	{               \
		0, code \
	} /* of the PMU itself */
#define HARDWARE(id)                  \
	{                             \
		1, PERF_COUNT_HW_##id \
	}
#define MAX_EVENTS 16

/* clang-format off */
static const struct {
	const char *name, *machine;
	int pmu;
	bool watchdog;
	struct { int hardware; uint64_t config; } events[MAX_EVENTS];
	size_t nr;
	double want;
} rows[] = {
	{ "one event", "adl", 1, false, { HARDWARE(CPU_CYCLES) }, 1, 1 },
	{ "cycles and instructions", "adl", 1, false,
	  { HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS) }, 2, 2 },
	/* Gracemont: six general counters */
	{ "six of any kind", "adl", 1, false,
	  { RAW(0x1d0), RAW(0x2d0), RAW(0x4d0), RAW(0x8d0), RAW(0x10d0),
	    RAW(0x20d0) }, 6, 6 },
	{ "seven on six", "adl", 1, false,
	  { RAW(0x1d0), RAW(0x2d0), RAW(0x4d0), RAW(0x8d0), RAW(0x10d0),
	    RAW(0x20d0), RAW(0x40d0) }, 7, 6 },
	{ "six, and the fixed ones beside them", "adl", 1, false,
	  { RAW(0x1d0), RAW(0x2d0), RAW(0x4d0), RAW(0x8d0), RAW(0x10d0),
	    RAW(0x20d0), HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS),
	    HARDWARE(REF_CPU_CYCLES) }, 9, 9 },
	/* the watchdog's fixed counter: cycles needs a general one */
	{ "six, and cycles beside the watchdog", "adl", 1, true,
	  { RAW(0x1d0), RAW(0x2d0), RAW(0x4d0), RAW(0x8d0), RAW(0x10d0),
	    RAW(0x20d0), HARDWARE(CPU_CYCLES) }, 7, 6 },
	/* SLOTS has one counter: its groups are never side by side */
	{ "SLOTS twice", "adl", 0, false, { RAW(0x400), RAW(0x400) }, 2, 1 },
	/* the head of the queue decides: 2, 1 and 2 of them */
	{ "SLOTS twice, and another", "adl", 0, false,
	  { RAW(0x400), RAW(0xc4), RAW(0x400) }, 3, 5.0 / 3 },
	{ "a machine of one kind of core", "spr", 0, false,
	  { RAW(0x400), RAW(0x400) }, 2, 0 },
};
/* clang-format on */

static void test_row(size_t i)
{
	struct td_event events[MAX_EVENTS] = { 0 };
	struct td_group groups[MAX_EVENTS] = { 0 };
	int members[MAX_EVENTS];
	struct td_plan plan = { events, rows[i].nr, groups, rows[i].nr };
	struct td_machine machine;

	test_machine(&machine, rows[i].machine);
	machine.nmi_watchdog = rows[i].watchdog;
	for (int e = 0; e < (int)rows[i].nr; e++) {
		const struct td_pmu *pmu = &machine.pmus[rows[i].pmu];

		members[e] = e;
		groups[e].members = &members[e];
		groups[e].nr = 1;
		groups[e].pmu = events[e].pmu = rows[i].pmu;
		events[e].type = rows[i].events[e].hardware ? PERF_TYPE_HARDWARE
							    : pmu->type;
		events[e].config[0] = rows[i].events[e].config;
	}
	td_plan_fill_at_once(&plan, &machine);
	for (size_t e = 0; e < rows[i].nr; e++)
		ok(fabs(groups[e].at_once - rows[i].want) < 1e-9, "%s: %g",
		   rows[i].name, groups[e].at_once);
	td_machine_free(&machine);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	return done_testing();
}
