// SPDX-License-Identifier: GPL-2.0-only
/* How many groups the counters hold at once (metrics.md 1.5's counters). */
#include "lib/plan/fit.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>

#include "lib/base/util.h"
#include "lib/plan/clocks.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define RAW(code)       \
	{               \
		0, code \
	} /* the PMU itself */
#define HARDWARE(id)                  \
	{                             \
		1, PERF_COUNT_HW_##id \
	}
#define MAX_CROWD  10
#define MAX_EVENTS 16

/* clang-format off */
static const struct {
	const char *name, *machine;
	int pmu;
	bool watchdog;
	struct { int hardware; uint64_t config; } events[MAX_EVENTS];
	size_t nr;
	double want;
	unsigned int pinned; /* groups, as bits */
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
	/* pinned ones are there first: two of them, and then three */
	{ "SLOTS pinned", "adl", 0, false,
	  { RAW(0x400), RAW(0x400), RAW(0xc4) }, 3, (1 + 2) / 2.0, 1 << 0 },
	{ "another pinned", "adl", 0, false,
	  { RAW(0x400), RAW(0xc4), RAW(0x400) }, 3, 2, 1 << 1 },
	{ "all pinned, of which two fit", "adl", 0, false,
	  { RAW(0x400), RAW(0x400), RAW(0xc4) }, 3, 2, 1 << 0 | 1 << 1 | 1 << 2 },
	{ "a machine of one kind of core", "spr", 0, false,
	  { RAW(0x400), RAW(0x400) }, 2, 0 },
};
/* clang-format on */

static void test_row(size_t i)
{
	struct td_event events[MAX_EVENTS] = { 0 };
	struct td_group groups[MAX_EVENTS] = { 0 };
	int members[MAX_EVENTS];
	struct td_plan plan = { { events, rows[i].nr }, groups, rows[i].nr };
	struct td_machine machine;

	test_machine(&machine, rows[i].machine);
	machine.nmi_watchdog = rows[i].watchdog;
	for (int e = 0; e < (int)rows[i].nr; e++) {
		const struct td_pmu *pmu = &machine.pmus[rows[i].pmu];

		members[e] = e;
		groups[e].members = &members[e];
		groups[e].nr = 1;
		groups[e].pmu = events[e].pmu = rows[i].pmu;
		groups[e].pinned = rows[i].pinned >> e & 1;
		events[e].type = rows[i].events[e].hardware ? PERF_TYPE_HARDWARE : pmu->type;
		events[e].config[0] = rows[i].events[e].config;
	}
	td_plan_fill_at_once(&plan, &machine);
	for (size_t e = 0; e < rows[i].nr; e++)
		ok(fabs(groups[e].at_once - rows[i].want) < 1e-9, "%s: %g", rows[i].name,
		   groups[e].at_once);
	td_machine_free(&machine);
}

/*
 * Two groups of SLOTS and one that is sampled: the plan has two of three turns, one for each of
 * its groups.  A pinned group has all the time, which shows how long it is.
 */
static void test_beside_sampled(const char *name, bool pinned, double want)
{
	struct td_machine machine;
	struct td_event events[2] = { 0 };
	int members[] = { 0, 1 };
	struct td_group groups[] = {
		{ .members = &members[0], .nr = 1, .pinned = pinned },
		{ .members = &members[1], .nr = 1 },
	};
	struct td_group sampled_groups[] = { { .members = members, .nr = 1 } };
	struct td_plan plan = { { events, 2 }, groups, 2 };
	struct td_plan sampled = { { events, 1 }, sampled_groups, 1 };

	test_machine(&machine, "adl");
	for (size_t e = 0; e < 2; e++) {
		events[e].type = machine.pmus[0].type;
		events[e].config[0] = 0x400;
	}
	td_plan_fill_at_once(&plan, &machine);
	td_plan_share_turns(&plan, &sampled, &machine);
	ok(fabs(groups[1].at_once - want) < 1e-9, "%s: %g", name, groups[1].at_once);
	sampled.nr_groups = 0;
	td_plan_fill_at_once(&plan, &machine);
	td_plan_share_turns(&plan, &sampled, &machine);
	ok(groups[1].at_once == 1, "without samples: %g", groups[1].at_once);
	td_machine_free(&machine);
}

/* config, config1: which events of a core count at once. */
/* clang-format off */
static const struct {
	const char *name;
	enum td_uarch uarch;
	bool smt;
	uint64_t events[8][2];
	size_t nr;
	bool fits; /* with the last one: without it, they do */
} fits[] = {
	/* two offcore registers, whichever of the two codes is used */
	{ "two offcore values", TD_GOLDEN_COVE, true,
	  { { 0x12a, 1 }, { 0x12a, 2 } }, 2, true },
	{ "three", TD_GOLDEN_COVE, true,
	  { { 0x12a, 1 }, { 0x12b, 2 }, { 0x12a, 3 } }, 3, false },
	{ "three events of two values", TD_GOLDEN_COVE, true,
	  { { 0x12a, 1 }, { 0x12b, 2 }, { 0x12a, 2 } }, 3, true },
	{ "three on an Atom", TD_GRACEMONT, false,
	  { { 0x1b7, 1 }, { 0x2b7, 2 }, { 0x1b7, 3 } }, 3, false },
	{ "three on Ice Lake", TD_SUNNY_COVE, true,
	  { { 0x1b7, 1 }, { 0x1bb, 2 }, { 0x1b7, 3 } }, 3, false },
	/* one for the frontend's events, of several codes */
	{ "two frontend values", TD_GOLDEN_COVE, true,
	  { { 0x1c6, 0x11 }, { 0x1c6, 0x12 } }, 2, false },
	{ "one of two events", TD_GOLDEN_COVE, true,
	  { { 0x4c2, 8 }, { 0x10404c2, 8 } }, 2, true },
	{ "of different events", TD_GOLDEN_COVE, true,
	  { { 0x4c2, 8 }, { 0x40ad, 7 } }, 2, false },
	{ "two latencies", TD_GOLDEN_COVE, true,
	  { { 0x1cd, 4 }, { 0x1cd, 8 } }, 2, false },
	{ "one of each kind", TD_GOLDEN_COVE, true,
	  { { 0x12a, 1 }, { 0x12a, 2 }, { 0x1c6, 1 }, { 0x1cd, 4 } }, 4, true },
	{ "two latencies of an Atom", TD_CRESTMONT, false,
	  { { 0x5d0, 4 }, { 0x5d0, 8 } }, 2, false },
	{ "snoop responses have a register each", TD_CRESTMONT, false,
	  { { 0x127, 1 }, { 0x227, 2 } }, 2, true },
	{ "two in one", TD_CRESTMONT, false,
	  { { 0x127, 1 }, { 0x127, 2 } }, 2, false },
	{ "values of events without one", TD_GOLDEN_COVE, true,
	  { { 0x4c2, 0 }, { 0x1c6, 0 }, { 0x1c6, 5 } }, 3, true },
	/* loads on Haswell: two counters a thread, if it shares its core */
	{ "a load and another", TD_HASWELL, true,
	  { { 0x1d1 }, { 0x10e } }, 2, true },
	{ "a load and two others", TD_HASWELL, true,
	  { { 0x1d1 }, { 0x10e }, { 0x19c } }, 3, false },
	{ "two others, and then a load", TD_HASWELL, true,
	  { { 0x10e }, { 0x19c }, { 0x1d1 } }, 3, false },
	{ "three others", TD_HASWELL, true,
	  { { 0x10e }, { 0x19c }, { 0x2c2 } }, 3, true },
	{ "fixed counters do not matter", TD_HASWELL, true,
	  { { 0x1d1 }, { 0x10e }, { 0x3c }, { 0xc0 }, { 0x300 } }, 5, true },
	{ "a core for itself", TD_HASWELL, false,
	  { { 0x1d1 }, { 0x10e }, { 0x19c }, { 0x2c2 } }, 4, true },
	{ "Broadwell", TD_BROADWELL, true,
	  { { 0x1d1 }, { 0x10e }, { 0x19c }, { 0x2c2 } }, 4, true },
	/* single counters */
	{ "two that only counter 2 has", TD_IVY_BRIDGE, false,
	  { { 0x148 }, { 0x8a3 } }, 2, false },
	{ "one, and three others", TD_IVY_BRIDGE, false,
	  { { 0x10e }, { 0x19c }, { 0x2c2 }, { 0x148 } }, 4, true },
	{ "reference cycles twice", TD_GOLDEN_COVE, true,
	  { { 0x300 }, { 0x300 } }, 2, false },
	{ "or once on another counter", TD_GOLDEN_COVE, true,
	  { { 0x300 }, { 0x13c } }, 2, true },
};
/* clang-format on */

static void test_fit(size_t i)
{
	struct td_fit fit = { 0 }, before;
	struct td_machine machine;
	bool got = true;

	test_machine(&machine, "spr");
	machine.pmus[0].uarch = fits[i].uarch;
	machine.smt = fits[i].smt;
	for (size_t e = 0; e < fits[i].nr; e++) {
		const struct td_event event = {
			.type = 4,
			.config = { fits[i].events[e][0], fits[i].events[e][1] },
		};
		struct td_claim claim = td_claim_of(&machine, &event);

		ok(got, "fit, %s: %zu of them", fits[i].name, e);
		before = fit;
		got = td_fit_add(&fit, &claim);
	}
	ok(got == fits[i].fits, "fit, %s", fits[i].name);
	ok(got || memcmp(&fit, &before, sizeof(fit)) == 0, "fit, %s: as it was, if not",
	   fits[i].name);
	td_machine_free(&machine);
}

/* Groups of cycles and nr events that any general counter can count. */
static const struct {
	const char *name, *machine;
	int pmu, nr;
	bool watchdog, needs;
} crowds[] = {
	{ "eight beside cycles", "adl", 0, 8, true, true },
	{ "eight beside cycles, without the watchdog", "adl", 0, 8, false },
	{ "seven", "adl", 0, 7, true },
	/* too many with and without it: the kernel refuses them */
	{ "nine", "adl", 0, 9, true },
	{ "six of an Atom", "adl", 1, 6, true, true },
	{ "five of an Atom", "adl", 1, 5, true },
	{ "four on Skylake", "skx", 0, 4, true, true },
};

static void test_crowd(size_t i)
{
	struct td_event events[MAX_CROWD] = { 0 };
	int members[MAX_CROWD];
	struct td_group group = { .members = members,
				  .nr = (size_t)crowds[i].nr + 1,
				  .pmu = crowds[i].pmu };
	struct td_plan plan = { { events, group.nr }, &group, 1 };
	struct td_machine machine;

	test_machine(&machine, crowds[i].machine);
	machine.nmi_watchdog = crowds[i].watchdog;
	for (int e = 0; e < (int)group.nr; e++) {
		members[e] = e;
		events[e].pmu = group.pmu;
		events[e].type = machine.pmus[group.pmu].type;
		events[e].config[0] = e ? 0x1a8 : 0x3c;
	}
	ok(td_plan_needs_watchdogs_counter(&plan, &machine, 0) == crowds[i].needs,
	   "the watchdog's counter is needed: %s", crowds[i].name);
	td_machine_free(&machine);
}

/* The same, where others hold some counters of the core. */
static const struct {
	const char *name, *machine;
	int pmu, nr, general;
	uint32_t fixed;
	bool fits;
} holdings[] = {
	{ "eight beside cycles, all free", "adl", 0, 8, 0, 0, true },
	{ "eight, one is held", "adl", 0, 8, 1, 0, false },
	{ "seven, one is held", "adl", 0, 7, 1, 0, true },
	{ "eight, the counter of cycles is held", "adl", 0, 8, 0, TD_FIXED(1), false },
	{ "seven, the counter of cycles is held", "adl", 0, 7, 0, TD_FIXED(1), true },
	{ "seven, both", "adl", 0, 7, 1, TD_FIXED(1), false },
	{ "six, both", "adl", 0, 6, 1, TD_FIXED(1), true },
	{ "five of an Atom, one is held", "adl", 1, 5, 1, 0, true },
	{ "six of an Atom, one is held", "adl", 1, 6, 1, 0, false },
	{ "three on Skylake, one is held", "skx", 0, 3, 1, 0, true },
	{ "three on Skylake, two are held", "skx", 0, 3, 2, 0, false },
};

static void test_holding(size_t i)
{
	struct td_fit fit = { 0 };
	struct td_machine machine;
	bool got = true;

	test_machine(&machine, holdings[i].machine);
	machine.pmus[holdings[i].pmu].held_general = holdings[i].general;
	machine.pmus[holdings[i].pmu].held_fixed = holdings[i].fixed;
	for (int e = 0; e <= holdings[i].nr; e++) {
		const struct td_event event = {
			.pmu = holdings[i].pmu,
			.type = machine.pmus[holdings[i].pmu].type,
			.config = { e ? 0x1a8 : 0x3c },
		};
		const struct td_claim claim = td_claim_of(&machine, &event);

		got = got && td_fit_add(&fit, &claim);
	}
	ok(got == holdings[i].fits, "%s", holdings[i].name);
	td_machine_free(&machine);
}

/* The reference and the clocks of a plan with one event, where others hold fixed counters. */
static const struct {
	const char *name;
	uint32_t fixed;
	bool watchdog;
	int reference;
	size_t clocks; /* events that td_clocks_add() adds */
} references[] = {
	{ "all free", 0, false, TD_CLOCK_CYCLES, 3 },
	{ "reference cycles are held", TD_FIXED(2), false, TD_CLOCK_CYCLES, 2 },
	{ "cycles and reference cycles", TD_FIXED(2), true, TD_CLOCK_INSTRUCTIONS, 2 },
};

static void test_reference(size_t i)
{
	struct td_plan plan = { 0 };
	struct td_reference reference;
	struct td_machine machine;
	struct td_event *event = td_events_add(&plan.events);
	struct td_err err;
	const int member = 0;

	test_machine(&machine, "spr");
	machine.nmi_watchdog = references[i].watchdog;
	machine.pmus[0].held_fixed = references[i].fixed;
	event->type = machine.pmus[0].type;
	event->config[0] = 0x1a8;
	event->name = td_strdup("event");
	td_reference_choose(&reference, &plan, &machine, 0, 0);
	ok(reference.kind == references[i].reference, "reference %d: %s", reference.kind,
	   references[i].name);
	td_group_add(td_plan_new_group(&plan, 0), &member, 1);
	ok(td_clocks_add(&plan, &machine, 0, &err) == 0 &&
		   plan.groups[0].nr == 1 + references[i].clocks,
	   "%zu clocks: %s", plan.groups[0].nr - 1, references[i].name);
	ok(td_clocks_drop(&plan, &machine, 0) == (references[i].clocks == TD_NR_CLOCKS) &&
		   plan.groups[0].nr == 3,
	   "reference cycles are dropped: %s", references[i].name);
	td_plan_free(&plan);
	td_machine_free(&machine);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(references); i++)
		test_reference(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(holdings); i++)
		test_holding(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(fits); i++)
		test_fit(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	test_beside_sampled("turns with samples", false, 2.0 / 3);
	test_beside_sampled("a pinned group beside samples", true, 1);
	for (size_t i = 0; i < TD_ARRAY_SIZE(crowds); i++)
		test_crowd(i);
	return done_testing();
}
