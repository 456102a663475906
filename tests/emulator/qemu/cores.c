/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of core, and how fast they count where no truth file says it. */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"

enum {
	GHZ_2 = 2048,
	GHZ_3 = 3072
}; /* cycles in 1024 ns */

static const struct tdemu_core cores[] = {
	{
		.name = "broadwell",
		.cycles = GHZ_3,
		.width = 4,
		.version = 3,
		.general = 4,
		.fixed = 3,
	},
	{
		.name = "skylake",
		.cycles = GHZ_3,
		.width = 4,
		.version = 4,
		.general = 4,
		.fixed = 3,
	},
	{
		/* Ice Lake to Raptor Lake, Sapphire Rapids to Granite Rapids */
		.name = "cove",
		.native_id = 0x40000001,
		.cycles = GHZ_3,
		.width = 6,
		.version = 5,
		.metrics = true,
		.general = 8,
		.fixed = 4,
		.fixed_mask = 0xf,
	},
	{
		/* the same in a virtual machine: KVM has no PERF_METRICS */
		.name = "covevm",
		.native_id = 0x40000001,
		.cycles = GHZ_3,
		.width = 6,
		.version = 2,
		.general = 8,
		.fixed = 3,
	},
	{
		/* Lunar Lake, Arrow Lake, Panther Lake */
		.name = "lion",
		.native_id = 0x40000001,
		.cycles = GHZ_3,
		.width = 8,
		.version = 5,
		.metrics = true,
		.leaf_23 = true,
		.general = 8,
		.fixed = 4,
		.fixed_mask = 0xf,
		.general_23 = 0x3ff,
		.fixed_23 = 0xf,
	},
	{
		.name = "gracemont",
		.native_id = 0x20000001,
		.cycles = GHZ_2,
		.width = 5,
		.version = 5,
		.atom = true,
		.general = 6,
		.fixed = 3,
		.fixed_mask = 0x7,
		.topdown = { { 0xc2, 0, TDEMU_RETIRING },
			     { 0x73, -1, TDEMU_BAD_SPEC },
			     { 0x71, 0, TDEMU_FE_BOUND },
			     { 0x74, 0, TDEMU_BE_BOUND } },
	},
	{
		.name = "crestmont",
		.native_id = 0x20000002,
		.cycles = GHZ_2,
		.width = 6,
		.version = 5,
		.atom = true,
		.general = 8,
		.fixed = 3,
		.fixed_mask = 0x7,
		.general_23 = 0xff,
		.fixed_23 = 0x7,
		.topdown = { { 0xc2, 0, TDEMU_RETIRING },
			     { 0x72, 0, TDEMU_RETIRING },
			     { 0x73, -1, TDEMU_BAD_SPEC },
			     { 0x71, 0, TDEMU_FE_BOUND },
			     { 0x74, 0, TDEMU_BE_BOUND } },
	},
	{
		/* and Darkmont; fixed counters 4 to 6 count topdown events */
		.name = "skymont",
		.native_id = 0x20000003,
		.cycles = GHZ_2,
		.width = 8,
		.version = 5,
		.atom = true,
		.leaf_23 = true,
		.general = 8,
		.fixed = 3,
		.fixed_mask = 0x77,
		.general_23 = 0xff,
		.fixed_23 = 0x77,
		.topdown = { { 0xc2, 2, TDEMU_RETIRING },
			     { 0x73, -1, TDEMU_BAD_SPEC },
			     { 0x9c, 1, TDEMU_FE_BOUND },
			     { 0xa4, 2, TDEMU_BE_BOUND } },
	},
	{ .name = "zen4", .amd = true, .cycles = GHZ_3, .width = 6, .general = 6 },
	{ .name = "zen5", .amd = true, .cycles = GHZ_3, .width = 8, .general = 6 },
};

const struct tdemu_core *tdemu_core_named(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(cores); i++)
		if (strlen(cores[i].name) == len && !strncmp(cores[i].name, name, len))
			return &cores[i];
	return NULL;
}

static uint64_t instructions(const struct tdemu_core *core)
{
	return core->atom ? core->cycles : core->cycles * 3 / 2;
}

/* Slots of a field in 1024 ns; the addend is for fields that are 1/255s. */
static uint64_t field_rate(const struct tdemu_core *core, double field)
{
	return (uint64_t)(core->cycles * core->width * field + 1e-6);
}

static uint64_t intel_rate(const struct tdemu_core *core, unsigned int event, unsigned int umask)
{
	switch (event) {
	case 0x3c:
		return umask == 1 ? GHZ_2 : core->cycles;
	case 0xc0:
		return instructions(core);
	case 0xc4: /* branches, and those that were mispredicted */
		return core->cycles / 4;
	case 0xc5:
		return core->cycles / 64;
	}
	return 16 + ((event * 131 + umask * 17) & 1023);
}

static uint64_t amd_rate(const struct tdemu_core *core, unsigned int event, unsigned int umask)
{
	switch (event) {
	case 0x76:
		return core->cycles;
	case 0xc0:
		return instructions(core);
	case 0xc2:
		return core->cycles / 4;
	case 0xc3:
		return core->cycles / 64;
	}
	return 16 + ((event * 131 + umask * 17) & 1023);
}

uint64_t tdemu_made_up_rate(const struct tdemu_core *core, uint64_t select,
			    const double fields[TDEMU_FIELDS])
{
	unsigned int event = select & 0xff, umask = select >> 8 & 0xff;

	if (core->amd)
		return amd_rate(core, event | (select >> 24 & 0xf00), umask);
	for (size_t i = 0; i < ARRAY_SIZE(core->topdown); i++) {
		const struct tdemu_topdown *t = &core->topdown[i];

		if (t->event && t->event == event && (t->umask < 0 || t->umask == (int)umask))
			return field_rate(core, fields[t->field]);
	}
	return intel_rate(core, event, umask);
}

uint64_t tdemu_made_up_fixed(const struct tdemu_core *core, int nr,
			     const double fields[TDEMU_FIELDS])
{
	switch (nr) {
	case 0:
		return instructions(core);
	case 1:
		return core->cycles;
	case 2:
		return GHZ_2;
	case 4:
		return field_rate(core, fields[TDEMU_BAD_SPEC]);
	case 5:
		return field_rate(core, fields[TDEMU_FE_BOUND]);
	case 6:
		return field_rate(core, fields[TDEMU_RETIRING]);
	}
	return (uint64_t)core->cycles * core->width;
}
