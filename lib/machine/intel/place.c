// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters that an event can use: *_event_constraints[] and *_extra_regs[]
 * of arch/x86/events/intel/core.c.
 */
#include <limits.h>

#include "lib/base/util.h"
#include "lib/machine/uarch.h"

/* inv, edge and cmask: an event with one of these needs a general counter. */
#define PLAIN_BITS        (UINT64_C(0xff) << 24 | 1u << 23 | 1u << 18)
#define RAW_EVENT(config) ((config) & (0xffff | PLAIN_BITS))

/* raw: umask << 8 | event; traits: of the cores that have it, 0: all have */
static const struct {
	uint16_t raw;
	int fixed;
	unsigned int traits;
} fixed_events[] = {
	{ 0x00c0, 0 },
	{ 0x0100, 0, TD_CORE_FIELDS }, /* INST_RETIRED.PREC_DIST */
	{ 0x01c0, 0, TD_CORE_FIELDS_4 },
	{ 0x003c, 1 },
	{ 0x0300, 2 },
	{ 0x013c, 2, TD_CORE_REF_TSC_P }, /* CPU_CLK_UNHALTED.REF_TSC_P */
	{ 0x0400, 3 },
	{ 0x0073, 4, TD_CORE_FIXED_SLOTS },
	{ 0x019c, 5, TD_CORE_FIXED_SLOTS },
	{ 0x02c2, 6, TD_CORE_FIXED_SLOTS },
};

static int fixed_counter(const struct td_core *core, uint64_t config)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(fixed_events); i++) {
		unsigned int traits = fixed_events[i].traits;

		if (RAW_EVENT(config) == fixed_events[i].raw && (!traits || core->traits & traits))
			return fixed_events[i].fixed;
	}
	return -1;
}

/* One that is not known may have any. */
static bool has_bound(unsigned int kernel, const struct td_bound *b)
{
	return !kernel || (kernel >= b->since && (!b->until || kernel < b->until));
}

static uint32_t general_counters(const struct td_core *core, uint64_t config, unsigned int kernel)
{
	uint32_t all = (1u << core->general) - 1;
	uint8_t event = config & 0xff;
	int umask = config >> 8 & 0xff;

	for (const struct td_bound *b = core->bound; b && b->mask; b++) {
		if (event >= b->first && event <= b->last && (b->umask < 0 || b->umask == umask) &&
		    has_bound(kernel, b))
			return b->mask & all;
	}
	return all;
}

static bool leaks(const struct td_core *core, uint64_t config)
{
	uint8_t event = config & 0xff;

	return core->traits & TD_CORE_LEAKS && event >= 0xd0 && event <= 0xd3;
}

struct td_placement td_uarch_place(enum td_uarch uarch, uint64_t config, unsigned int kernel)
{
	const struct td_core *core = td_core_of(uarch);

	if (core->traits & TD_CORE_NO_FIXED)
		return (struct td_placement){
			.fixed = -1,
			.general = general_counters(core, config, kernel),
		};
	/* INTEL_TD_METRIC_*: event 0, umask 0x80 and above */
	if ((config & 0x80ff) == 0x8000)
		return (struct td_placement){ .metric = true, .fixed = -1 };
	return (struct td_placement){
		.fixed = fixed_counter(core, config),
		/* event 0 is the pseudo code of a fixed counter */
		.general = config & 0xff ? general_counters(core, config, kernel) : 0,
		.leaks = leaks(core, config),
	};
}

bool td_uarch_miscounts(enum td_uarch uarch, uint64_t config, unsigned int kernel)
{
	return kernel && td_uarch_place(uarch, config, kernel).general &
				 ~td_uarch_place(uarch, config, UINT_MAX).general;
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
