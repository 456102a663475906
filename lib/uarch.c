// SPDX-License-Identifier: GPL-2.0-only
#include "lib/uarch.h"

#include <stddef.h>
#include <string.h>

#include "lib/util.h"

/*
 * Slots a cycle: the width constants of Intel's metric files (tools/perf/
 * pmu-events/arch/x86).  General counters: counter.json there.
 */
static const struct {
	const char *name;
	int width, general;
} facts[] = {
	[TD_UARCH_UNKNOWN] = { "unknown core", 0, 4 },
	[TD_SANDY_BRIDGE] = { "Sandy Bridge", 4, 4 },
	[TD_IVY_BRIDGE] = { "Ivy Bridge", 4, 4 },
	[TD_HASWELL] = { "Haswell", 4, 4 },
	[TD_BROADWELL] = { "Broadwell", 4, 4 },
	[TD_SKYLAKE] = { "Skylake", 4, 4 },
	[TD_SUNNY_COVE] = { "Sunny Cove", 5, 8 },
	[TD_GOLDEN_COVE] = { "Golden Cove", 6, 8 },
	[TD_REDWOOD_COVE] = { "Redwood Cove", 6, 8 },
	[TD_LION_COVE] = { "Lion Cove", 8, 10 },
	[TD_COUGAR_COVE] = { "Cougar Cove", 8, 10 },
	[TD_TREMONT] = { "Tremont", 4, 4 },
	[TD_GRACEMONT] = { "Gracemont", 5, 6 },
	[TD_CRESTMONT] = { "Crestmont", 6, 8 },
	[TD_SKYMONT] = { "Skymont", 8, 8 },
	[TD_DARKMONT] = { "Darkmont", 0, 8 },
};

/* arch/x86/include/asm/intel-family.h, arch/x86/events/intel/core.c */
static const struct td_model models[] = {
	{ 6, 0x2a, "Sandy Bridge", .core = TD_SANDY_BRIDGE },
	{ 6, 0x2d, "Sandy Bridge-EP", .core = TD_SANDY_BRIDGE },
	{ 6, 0x3a, "Ivy Bridge", .core = TD_IVY_BRIDGE },
	{ 6, 0x3e, "Ivy Bridge-EP", .core = TD_IVY_BRIDGE },
	{ 6, 0x3c, "Haswell", .core = TD_HASWELL },
	{ 6, 0x45, "Haswell", .core = TD_HASWELL },
	{ 6, 0x46, "Haswell", .core = TD_HASWELL },
	{ 6, 0x3f, "Haswell-EP", .core = TD_HASWELL },
	{ 6, 0x3d, "Broadwell", .core = TD_BROADWELL },
	{ 6, 0x47, "Broadwell", .core = TD_BROADWELL },
	{ 6, 0x4f, "Broadwell-EP", .core = TD_BROADWELL },
	{ 6, 0x56, "Broadwell-DE", .core = TD_BROADWELL },
	{ 6, 0x4e, "Skylake", .core = TD_SKYLAKE },
	{ 6, 0x5e, "Skylake", .core = TD_SKYLAKE },
	{ 6, 0x55, "Skylake-SP or Cascade Lake", .core = TD_SKYLAKE },
	{ 6, 0x8e, "Kaby Lake or Coffee Lake", .core = TD_SKYLAKE },
	{ 6, 0x9e, "Kaby Lake or Coffee Lake", .core = TD_SKYLAKE },
	{ 6, 0xa5, "Comet Lake", .core = TD_SKYLAKE },
	{ 6, 0xa6, "Comet Lake", .core = TD_SKYLAKE },
	{ 6, 0x7d, "Ice Lake", .core = TD_SUNNY_COVE },
	{ 6, 0x7e, "Ice Lake", .core = TD_SUNNY_COVE },
	{ 6, 0x6a, "Ice Lake-SP", .core = TD_SUNNY_COVE },
	{ 6, 0x6c, "Ice Lake-D", .core = TD_SUNNY_COVE },
	{ 6, 0x8c, "Tiger Lake", .core = TD_SUNNY_COVE },
	{ 6, 0x8d, "Tiger Lake", .core = TD_SUNNY_COVE },
	{ 6, 0xa7, "Rocket Lake", .core = TD_SUNNY_COVE },
	{ 6, 0x8f, "Sapphire Rapids", .core = TD_GOLDEN_COVE },
	{ 6, 0xcf, "Emerald Rapids", .core = TD_GOLDEN_COVE },
	{ 6, 0xad, "Granite Rapids", .core = TD_REDWOOD_COVE,
	  .linux_since = "6.12" },
	{ 6, 0xae, "Granite Rapids-D", .core = TD_REDWOOD_COVE,
	  .linux_since = "6.12" },
	{ 6, 0x97, "Alder Lake", TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0x9a, "Alder Lake", TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0xb7, "Raptor Lake", TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0xba, "Raptor Lake", TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0xbf, "Raptor Lake", TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0xaa, "Meteor Lake", TD_REDWOOD_COVE, TD_CRESTMONT,
	  .linux_since = "6.12" },
	{ 6, 0xac, "Meteor Lake", TD_REDWOOD_COVE, TD_CRESTMONT,
	  .linux_since = "6.12" },
	{ 6, 0xb5, "Arrow Lake-U", TD_REDWOOD_COVE, TD_CRESTMONT,
	  .linux_since = "6.12" },
	{ 6, 0xbd, "Lunar Lake", TD_LION_COVE, TD_SKYMONT,
	  .linux_since = "6.12" },
	{ 6, 0xc6, "Arrow Lake", TD_LION_COVE, TD_SKYMONT,
	  .linux_since = "6.12" },
	{ 6, 0xc5, "Arrow Lake-H", TD_LION_COVE, TD_SKYMONT, TD_CRESTMONT,
	  .linux_since = "7.2" },
	{ 6, 0xcc, "Panther Lake", TD_COUGAR_COVE, TD_DARKMONT,
	  .linux_since = "7.2" },
	{ 6, 0xd5, "Wildcat Lake", TD_COUGAR_COVE, TD_DARKMONT,
	  .linux_since = "7.2" },
	{ 6, 0x96, "Elkhart Lake", .core = TD_TREMONT },
	{ 6, 0x9c, "Jasper Lake", .core = TD_TREMONT },
	{ 6, 0x86, "Snow Ridge", .core = TD_TREMONT },
	{ 6, 0xbe, "Alder Lake-N", .core = TD_GRACEMONT },
	{ 6, 0xaf, "Sierra Forest", .core = TD_CRESTMONT,
	  .linux_since = "6.12" },
	{ 6, 0xb6, "Grand Ridge", .core = TD_CRESTMONT, .linux_since = "6.12" },
	{ 6, 0xdd, "Clearwater Forest", .core = TD_DARKMONT,
	  .linux_since = "7.2" },
};

const struct td_model *td_model_find(unsigned int family, unsigned int model)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(models); i++) {
		if (models[i].family == family && models[i].model == model)
			return &models[i];
	}
	return NULL;
}

bool td_model_is_hybrid(const struct td_model *model)
{
	return model && model->atom != TD_UARCH_UNKNOWN;
}

enum td_uarch td_model_uarch(const struct td_model *model, const char *pmu)
{
	if (!model)
		return TD_UARCH_UNKNOWN;
	if (strcmp(pmu, "cpu_atom") == 0)
		return model->atom;
	if (strcmp(pmu, "cpu_lowpower") == 0)
		return model->lowpower;
	/* a hybrid behind one PMU: the kernel does not know the model */
	if (strcmp(pmu, "cpu") == 0 && td_model_is_hybrid(model))
		return TD_UARCH_UNKNOWN;
	return model->core;
}

const char *td_uarch_name(enum td_uarch uarch)
{
	return facts[uarch].name;
}

int td_uarch_width(enum td_uarch uarch)
{
	return facts[uarch].width;
}

int td_uarch_general(enum td_uarch uarch)
{
	return facts[uarch].general;
}

/* inv, edge, cmask: with one of these a fixed counter will not do. */
#define PLAIN_BITS        (UINT64_C(0xff) << 24 | 1u << 23 | 1u << 18)
#define RAW_EVENT(config) ((config) & (0xffff | PLAIN_BITS))

/* The *_event_constraints[] of arch/x86/events/intel/core.c, Linux 6.12. */
static const struct {
	uint16_t raw; /* umask << 8 | event */
	int fixed;
	bool skymont_only;
} fixed_events[] = {
	{ 0x00c0, 0, false }, { 0x003c, 1, false }, { 0x0300, 2, false },
	{ 0x0400, 3, false }, { 0x0073, 4, true },  { 0x019c, 5, true },
	{ 0x02c2, 6, true },
};

static int fixed_counter(enum td_uarch uarch, uint64_t config)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(fixed_events); i++) {
		if (RAW_EVENT(config) != fixed_events[i].raw)
			continue;
		if (!fixed_events[i].skymont_only || uarch == TD_SKYMONT ||
		    uarch == TD_DARKMONT)
			return fixed_events[i].fixed;
	}
	return -1;
}

/*
 * General counters that an event is bound to, by event code, or by event
 * code and umask (umask < 0: any).  First hit counts.  Same source.
 */
static const struct {
	enum td_uarch uarch;
	uint8_t first, last;
	int umask;
	uint32_t mask;
} bound[] = {
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

/* Cores that the kernel gives another core's table. */
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

struct td_placement td_uarch_place(enum td_uarch uarch, uint64_t config)
{
	/* INTEL_TD_METRIC_*: event 0, umask 0x80 and above */
	if ((config & 0x80ff) == 0x8000)
		return (struct td_placement){ .metric = true, .fixed = -1 };
	return (struct td_placement){
		.fixed = fixed_counter(uarch, config),
		/* event 0 is no event: a fixed counter's pseudo code */
		.general = config & 0xff ? general_counters(uarch, config) : 0,
	};
}
