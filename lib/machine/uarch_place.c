// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters that an event can use: *_event_constraints[] and *_extra_regs[]
 * of arch/x86/events/intel/core.c, Linux 6.12.
 */
#include <stddef.h>

#include "lib/base/util.h"
#include "lib/machine/uarch.h"

/* inv, edge and cmask: an event with one of these needs a general counter. */
#define PLAIN_BITS        (UINT64_C(0xff) << 24 | 1u << 23 | 1u << 18)
#define RAW_EVENT(config) ((config) & (0xffff | PLAIN_BITS))

/* Bit masks of cores; 0 means all. */
#define CORE(uarch) (1u << TD_##uarch)
#define COVES                                                       \
	(CORE(GOLDEN_COVE) | CORE(REDWOOD_COVE) | CORE(LION_COVE) | \
	 CORE(COUGAR_COVE))
#define FROM_GRACEMONT \
	(CORE(GRACEMONT) | CORE(CRESTMONT) | CORE(SKYMONT) | CORE(DARKMONT))
#define SKYMONTS (CORE(SKYMONT) | CORE(DARKMONT))

/* raw: umask << 8 | event */
static const struct {
	uint16_t raw;
	int fixed;
	uint32_t cores;
} fixed_events[] = {
	{ 0x00c0, 0, 0 },
	{ 0x0100, 0, COVES | CORE(SUNNY_COVE) }, /* INST_RETIRED.PREC_DIST */
	{ 0x01c0, 0, CORE(SUNNY_COVE) },
	{ 0x003c, 1, 0 },
	{ 0x0300, 2, 0 },
	{ 0x013c, 2, COVES | FROM_GRACEMONT }, /* CPU_CLK_UNHALTED.REF_TSC_P */
	{ 0x0400, 3, 0 },
	{ 0x0073, 4, SKYMONTS },
	{ 0x019c, 5, SKYMONTS },
	{ 0x02c2, 6, SKYMONTS },
};

static int fixed_counter(enum td_uarch uarch, uint64_t config)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(fixed_events); i++) {
		uint32_t cores = fixed_events[i].cores;

		if (RAW_EVENT(config) == fixed_events[i].raw &&
		    (!cores || cores & 1u << uarch))
			return fixed_events[i].fixed;
	}
	return -1;
}

/*
 * General counters of events that not all of them can count, by event code and
 * umask (umask < 0: any); the first match counts.  Entries for the first four
 * are left out where a core has only four.
 */
static const struct {
	enum td_uarch uarch;
	uint8_t first, last;
	int umask;
	uint32_t mask;
} bound[] = {
	{ TD_SANDY_BRIDGE, 0x48, 0x48, -1, 0x4 },
	{ TD_SANDY_BRIDGE, 0xa3, 0xa3, 0x02, 0x4 },
	{ TD_SANDY_BRIDGE, 0xa3, 0xa3, 0x06, 0x4 },
	{ TD_SANDY_BRIDGE, 0xc0, 0xc0, 0x01, 0x2 },
	{ TD_SANDY_BRIDGE, 0xcd, 0xcd, -1, 0x8 },
	{ TD_IVY_BRIDGE, 0x48, 0x48, 0x01, 0x4 },
	{ TD_IVY_BRIDGE, 0xa3, 0xa3, 0x08, 0x4 },
	{ TD_IVY_BRIDGE, 0xa3, 0xa3, 0x0c, 0x4 },
	{ TD_IVY_BRIDGE, 0xc0, 0xc0, 0x01, 0x2 },
	{ TD_HASWELL, 0x48, 0x48, 0x01, 0x4 },
	{ TD_HASWELL, 0xa3, 0xa3, 0x08, 0x4 },
	{ TD_HASWELL, 0xa3, 0xa3, 0x0c, 0x4 },
	{ TD_HASWELL, 0xc0, 0xc0, 0x01, 0x2 },
	{ TD_HASWELL, 0xcd, 0xcd, -1, 0x8 },
	{ TD_BROADWELL, 0x48, 0x48, 0x01, 0x4 },
	{ TD_BROADWELL, 0xa3, 0xa3, 0x08, 0x4 },
	{ TD_BROADWELL, 0xa3, 0xa3, 0x0c, 0x4 },
	{ TD_SKYLAKE, 0xc0, 0xc0, 0x01, 0x2 },
	{ TD_SUNNY_COVE, 0x03, 0x0a, -1, 0xf },
	{ TD_SUNNY_COVE, 0x1f, 0x28, -1, 0xf },
	{ TD_SUNNY_COVE, 0x32, 0x32, -1, 0xf },
	{ TD_SUNNY_COVE, 0x48, 0x56, -1, 0xf },
	{ TD_SUNNY_COVE, 0x60, 0x8b, -1, 0xf },
	{ TD_SUNNY_COVE, 0xa3, 0xa3, 0x04, 0xff },
	{ TD_SUNNY_COVE, 0xa3, 0xa3, 0x10, 0xff },
	{ TD_SUNNY_COVE, 0xa3, 0xa3, 0x14, 0xff },
	{ TD_SUNNY_COVE, 0xa3, 0xa3, -1, 0xf },
	{ TD_SUNNY_COVE, 0xa8, 0xb0, -1, 0xf },
	{ TD_SUNNY_COVE, 0xb7, 0xbd, -1, 0xf },
	{ TD_SUNNY_COVE, 0xd0, 0xe6, -1, 0xf },
	{ TD_SUNNY_COVE, 0xef, 0xf4, -1, 0xf },
	{ TD_GOLDEN_COVE, 0x2e, 0x2e, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x3c, 0x3c, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x01, 0x8f, -1, 0xf },
	{ TD_GOLDEN_COVE, 0xa3, 0xa3, 0x01, 0xf },
	{ TD_GOLDEN_COVE, 0xa3, 0xa3, 0x02, 0xf },
	{ TD_GOLDEN_COVE, 0xa3, 0xa3, 0x08, 0xf },
	{ TD_GOLDEN_COVE, 0xa4, 0xa4, 0x04, 0x1 },
	{ TD_GOLDEN_COVE, 0xa4, 0xa4, 0x08, 0x1 },
	{ TD_GOLDEN_COVE, 0xcd, 0xcd, 0x02, 0x1 },
	{ TD_GOLDEN_COVE, 0xce, 0xce, -1, 0x1 },
	{ TD_GOLDEN_COVE, 0xd0, 0xdf, -1, 0xf },
	{ TD_LION_COVE, 0x20, 0x20, -1, 0xf },
	{ TD_LION_COVE, 0x2a, 0x2b, 0x01, 0xf },
	{ TD_LION_COVE, 0x48, 0x48, 0x01, 0x4 },
	{ TD_LION_COVE, 0x75, 0x75, 0x01, 0x4 },
	{ TD_LION_COVE, 0xa3, 0xa3, 0x08, 0x4 },
	{ TD_LION_COVE, 0xa3, 0xa3, 0x0c, 0x4 },
	{ TD_LION_COVE, 0xa4, 0xa4, 0x04, 0x1 },
	{ TD_LION_COVE, 0xa4, 0xa4, 0x08, 0x1 },
	{ TD_LION_COVE, 0xa4, 0xa4, 0x10, 0x8 },
	{ TD_LION_COVE, 0xb1, 0xb1, 0x01, 0x8 },
	{ TD_LION_COVE, 0xcd, 0xcd, 0x01, 0x3fc },
	{ TD_LION_COVE, 0xcd, 0xcd, 0x02, 0x3 },
	{ TD_LION_COVE, 0xd0, 0xd0, 0x87, 0x3ff },
	{ TD_LION_COVE, 0xd0, 0xdf, -1, 0xf },
	{ TD_LION_COVE, 0xe0, 0xe0, 0x00, 0xf },
};

/* Cores for which the kernel uses another core's table. */
static enum td_uarch constraints_of(enum td_uarch uarch)
{
	if (uarch == TD_REDWOOD_COVE)
		return TD_GOLDEN_COVE;
	if (uarch == TD_COUGAR_COVE)
		return TD_LION_COVE;
	return uarch;
}

static uint32_t general_counters(enum td_uarch uarch, uint64_t config)
{
	uint32_t all = (1u << td_uarch_general(uarch)) - 1;
	uint8_t event = config & 0xff;
	int umask = config >> 8 & 0xff;

	for (size_t i = 0; i < TD_ARRAY_SIZE(bound); i++) {
		if (bound[i].uarch != constraints_of(uarch))
			continue;
		if (event < bound[i].first || event > bound[i].last)
			continue;
		if (bound[i].umask < 0 || bound[i].umask == umask)
			return bound[i].mask & all;
	}
	return all;
}

/*
 * INTEL_EXCLEVT_CONSTRAINT: load events whose counts leak into the same counter
 * of the other thread.
 */
static bool leaks(enum td_uarch uarch, uint64_t config)
{
	uint8_t event = config & 0xff;

	return (uarch == TD_SANDY_BRIDGE || uarch == TD_IVY_BRIDGE ||
		uarch == TD_HASWELL) &&
	       event >= 0xd0 && event <= 0xd3;
}

struct td_placement td_uarch_place(enum td_uarch uarch, uint64_t config)
{
	/* INTEL_TD_METRIC_*: event 0, umask 0x80 and above */
	if ((config & 0x80ff) == 0x8000)
		return (struct td_placement){ .metric = true, .fixed = -1 };
	return (struct td_placement){
		.fixed = fixed_counter(uarch, config),
		/* event 0 is the pseudo code of a fixed counter */
		.general = config & 0xff ? general_counters(uarch, config) : 0,
		.leaks = leaks(uarch, config),
	};
}

enum td_register td_uarch_register(uint64_t config, uint64_t config1)
{
	uint8_t event = config & 0xff, umask = config >> 8 & 0xff;

	if (!config1)
		return TD_REGISTER_NONE;
	switch (event) {
	case 0xb7:
	case 0xbb:
	case 0x2a:
	case 0x2b:
		return TD_REGISTER_OFFCORE;
	case 0x27:
		return umask == 1 ? TD_REGISTER_SNOOP_0 : TD_REGISTER_SNOOP_1;
	case 0xcd:
	case 0xd0:
		return TD_REGISTER_LATENCY;
	default:
		return TD_REGISTER_FRONTEND;
	}
}
