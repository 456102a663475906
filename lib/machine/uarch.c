// SPDX-License-Identifier: GPL-2.0-only
#include "lib/machine/uarch.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/util.h"

/*
 * The slots per cycle are the width constants of Intel's metric files
 * (tools/perf/pmu-events/arch/x86); the general counters are in counter.json
 * there.  Timing information came with Meteor Lake, and formulas use that of its
 * P-cores; that of E-cores is not used by any.
 */
static const struct {
	const char *name;
	int width, general;
	bool latencies; /* timing information in records of PEBS */
} facts[] = {
	[TD_UARCH_UNKNOWN] = { "unknown core", 0, 4 },
	[TD_SANDY_BRIDGE] = { "Sandy Bridge", 4, 4 },
	[TD_IVY_BRIDGE] = { "Ivy Bridge", 4, 4 },
	[TD_HASWELL] = { "Haswell", 4, 4 },
	[TD_BROADWELL] = { "Broadwell", 4, 4 },
	[TD_SKYLAKE] = { "Skylake", 4, 4 },
	[TD_SUNNY_COVE] = { "Sunny Cove", 5, 8 },
	[TD_GOLDEN_COVE] = { "Golden Cove", 6, 8 },
	[TD_REDWOOD_COVE] = { "Redwood Cove", 6, 8, true },
	[TD_LION_COVE] = { "Lion Cove", 8, 10, true },
	[TD_COUGAR_COVE] = { "Cougar Cove", 8, 10, true },
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
	{ 6, 0xa7, "Rocket Lake", .core = TD_SUNNY_COVE, .linux_since = "6.1" },
	{ 6, 0x8f, "Sapphire Rapids", .core = TD_GOLDEN_COVE,
	  .linux_since = "6.1" },
	{ 6, 0xcf, "Emerald Rapids", .core = TD_GOLDEN_COVE,
	  .linux_since = "6.1" },
	{ 6, 0xad, "Granite Rapids", .core = TD_REDWOOD_COVE,
	  .linux_since = "6.12" },
	{ 6, 0xae, "Granite Rapids-D", .core = TD_REDWOOD_COVE,
	  .linux_since = "6.12" },
	{ 6, 0x97, "Alder Lake", TD_GOLDEN_COVE, TD_GRACEMONT,
	  .linux_since = "6.1" },
	{ 6, 0x9a, "Alder Lake", TD_GOLDEN_COVE, TD_GRACEMONT,
	  .linux_since = "6.1" },
	{ 6, 0xb7, "Raptor Lake", TD_GOLDEN_COVE, TD_GRACEMONT,
	  .linux_since = "6.1" },
	{ 6, 0xba, "Raptor Lake", TD_GOLDEN_COVE, TD_GRACEMONT,
	  .linux_since = "6.1" },
	{ 6, 0xbf, "Raptor Lake", TD_GOLDEN_COVE, TD_GRACEMONT,
	  .linux_since = "6.1" },
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
	{ 6, 0xbe, "Alder Lake-N", .core = TD_GRACEMONT, .linux_since = "6.1" },
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

const struct td_model *td_model_at(size_t index)
{
	return index < TD_ARRAY_SIZE(models) ? &models[index] : NULL;
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
	/* a hybrid with one PMU: the kernel does not know the model */
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

bool td_uarch_has_latencies(enum td_uarch uarch)
{
	return facts[uarch].latencies;
}

int td_uarch_general(enum td_uarch uarch)
{
	return facts[uarch].general;
}
