// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expected counters are from *_event_constraints[] in
 * arch/x86/events/intel/core.c of Linux 6.12, models from its intel_pmu_init(),
 * and widths from the constants in perf's metric files.
 */
#include "lib/machine/uarch.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/machine/kernel.h"
#include "tests/unit/test.h"

#define CMASK(n) (UINT64_C(n) << 24)
#define EDGE     (UINT64_C(1) << 18)
#define ANY      (UINT64_C(1) << 21)
#define INV      (UINT64_C(1) << 23)

/* clang-format off */
static const struct {
	enum td_uarch uarch;
	uint64_t config;
	int fixed; /* -1: none */
	uint32_t general;
	bool metric, leaks;
	unsigned int kernel; /* 0: Linux 6.12 */
} places[] = {
	/* three events of all cores, which general counters can count, too */
	{ TD_SKYLAKE, 0xc0, 0, 0xf },
	{ TD_SKYLAKE, 0x3c, 1, 0xf },
	{ TD_SKYLAKE, 0x3c | ANY, 1, 0xf }, /* FIXED_EVENT_FLAGS lacks any */
	{ TD_SKYLAKE, 0x300, 2, 0 }, /* no event code: only the fixed counter */
	{ TD_GOLDEN_COVE, 0x3c, 1, 0xff },
	{ TD_GRACEMONT, 0xc0, 0, 0x3f },
	{ TD_UARCH_UNKNOWN, 0x3c, 1, 0xf },
	/* eight counters for each core, shared by its threads */
	{ TD_SKYLAKE, 0x19c, -1, 0xf },
	{ TD_SANDY_BRIDGE, 0x3c, 1, 0xf },
	{ TD_SUNNY_COVE, 0x10e, -1, 0xff },
	{ TD_TREMONT, 0x71, -1, 0xf },
	/* another umask, or a term that a fixed counter does not have */
	{ TD_SKYLAKE, 0x13c, -1, 0xf },
	{ TD_SKYLAKE, 0xc0 | CMASK(1), -1, 0xf },
	{ TD_SKYLAKE, 0x3c | EDGE | CMASK(1), -1, 0xf },
	{ TD_SKYLAKE, 0x3c | INV, -1, 0xf },

	/* PERF_METRICS */
	{ TD_GOLDEN_COVE, 0x400, 3, 0 },
	{ TD_SUNNY_COVE, 0x400, 3, 0 },
	{ TD_LION_COVE, 0x400, 3, 0 },
	{ TD_SUNNY_COVE, 0x8000, -1, 0, true },
	{ TD_SUNNY_COVE, 0x8300, -1, 0, true },
	{ TD_GOLDEN_COVE, 0x8000, -1, 0, true },
	{ TD_GOLDEN_COVE, 0x8700, -1, 0, true },
	{ TD_UARCH_UNKNOWN, 0x8400, -1, 0, true },

	/* Ice Lake: ranges of event codes on counters 0 to 3 */
	{ TD_SUNNY_COVE, 0x02, -1, 0xff },
	{ TD_SUNNY_COVE, 0x03, -1, 0xf },
	{ TD_SUNNY_COVE, 0x0a, -1, 0xf },
	{ TD_SUNNY_COVE, 0x0b, -1, 0xff },
	{ TD_SUNNY_COVE, 0x100d, -1, 0xff }, /* INT_MISC.UOP_DROPPING */
	{ TD_SUNNY_COVE, 0x10e, -1, 0xff },
	{ TD_SUNNY_COVE, 0x1e, -1, 0xff },
	{ TD_SUNNY_COVE, 0x1f, -1, 0xf },
	{ TD_SUNNY_COVE, 0x28, -1, 0xf },
	{ TD_SUNNY_COVE, 0x29, -1, 0xff },
	{ TD_SUNNY_COVE, 0x32, -1, 0xf },
	{ TD_SUNNY_COVE, 0x47, -1, 0xff },
	{ TD_SUNNY_COVE, 0x48, -1, 0xf },
	{ TD_SUNNY_COVE, 0x156, -1, 0xf }, /* UOPS_DECODED.DEC0 */
	{ TD_SUNNY_COVE, 0x156 | CMASK(1), -1, 0xf },
	{ TD_SUNNY_COVE, 0x57, -1, 0xff },
	{ TD_SUNNY_COVE, 0x3079, -1, 0xf }, /* IDQ.MS_UOPS */
	{ TD_SUNNY_COVE, 0x8b, -1, 0xf },
	{ TD_SUNNY_COVE, 0x8c, -1, 0xff },
	{ TD_SUNNY_COVE, 0x19c | CMASK(5), -1, 0xff },
	{ TD_SUNNY_COVE, 0x4a3 | CMASK(4), -1, 0xff }, /* STALLS_TOTAL */
	{ TD_SUNNY_COVE, 0x14a3 | CMASK(20), -1, 0xff }, /* STALLS_MEM_ANY */
	{ TD_SUNNY_COVE, 0x10a3 | CMASK(16), -1, 0xff }, /* CYCLES_MEM_ANY */
	{ TD_SUNNY_COVE, 0x8a3, -1, 0xf },
	{ TD_SUNNY_COVE, 0x2a6, -1, 0xff },
	{ TD_SUNNY_COVE, 0xa8, -1, 0xf },
	{ TD_SUNNY_COVE, 0xb0, -1, 0xf },
	{ TD_SUNNY_COVE, 0xb1, -1, 0xff },
	{ TD_SUNNY_COVE, 0xb7, -1, 0xf },
	{ TD_SUNNY_COVE, 0x2c2, -1, 0xff },
	{ TD_SUNNY_COVE, 0x1c3 | CMASK(1) | EDGE, -1, 0xff },
	{ TD_SUNNY_COVE, 0xc5, -1, 0xff },
	{ TD_SUNNY_COVE, 0xd0, -1, 0xf },
	{ TD_SUNNY_COVE, 0xe6, -1, 0xf },
	{ TD_SUNNY_COVE, 0xe7, -1, 0xff },
	{ TD_SUNNY_COVE, 0xef, -1, 0xf },
	{ TD_SUNNY_COVE, 0xf4, -1, 0xf },
	{ TD_SUNNY_COVE, 0xf5, -1, 0xff },

	/* Golden Cove: all codes below 0x90 except two, and some others */
	{ TD_GOLDEN_COVE, 0x01, -1, 0xf },
	{ TD_GOLDEN_COVE, 0x2e, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x2f, -1, 0xf },
	{ TD_GOLDEN_COVE, 0x3c | CMASK(1), -1, 0xff },
	{ TD_GOLDEN_COVE, 0x8f, -1, 0xf },
	{ TD_GOLDEN_COVE, 0x90, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x1a3, -1, 0xf },
	{ TD_GOLDEN_COVE, 0x2a3, -1, 0xf },
	{ TD_GOLDEN_COVE, 0x4a3, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x8a3, -1, 0xf },
	{ TD_GOLDEN_COVE, 0x1a4, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x4a4, -1, 0x1 },
	{ TD_GOLDEN_COVE, 0x8a4, -1, 0x1 },
	{ TD_GOLDEN_COVE, 0x10ad, -1, 0xff }, /* INT_MISC.UOP_DROPPING */
	{ TD_GOLDEN_COVE, 0x1cd, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x2cd, -1, 0x1 },
	{ TD_GOLDEN_COVE, 0x1ce, -1, 0x1 },
	{ TD_GOLDEN_COVE, 0xd0, -1, 0xf },
	{ TD_GOLDEN_COVE, 0xdf, -1, 0xf },
	{ TD_GOLDEN_COVE, 0xe0, -1, 0xff },
	{ TD_REDWOOD_COVE, 0x8f, -1, 0xf },
	{ TD_REDWOOD_COVE, 0x4a4, -1, 0x1 },
	/* which Linux 6.12 puts on any counter, and 7.2 does not */
	{ TD_GOLDEN_COVE, 0x5a3, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x5a3, -1, 0xf, .kernel = TD_LINUX(7, 2, 0) },
	{ TD_GOLDEN_COVE, 0x6a3, -1, 0xff, .kernel = TD_LINUX(7, 1, 13) },
	{ TD_GOLDEN_COVE, 0x6a3, -1, 0xf, .kernel = TD_LINUX(7, 3, 4) },
	{ TD_REDWOOD_COVE, 0xca3, -1, 0xf, .kernel = TD_LINUX(7, 2, 0) },
	{ TD_GOLDEN_COVE, 0x1cd, -1, 0xfe, .kernel = TD_LINUX(7, 2, 0) },

	/* Lion Cove */
	{ TD_LION_COVE, 0x01, -1, 0x3ff },
	{ TD_LION_COVE, 0x20, -1, 0xf },
	{ TD_LION_COVE, 0x12a, -1, 0xf },
	{ TD_LION_COVE, 0x148, -1, 0x4 },
	{ TD_LION_COVE, 0x248, -1, 0x3ff },
	{ TD_LION_COVE, 0x8a3, -1, 0x4 },
	{ TD_LION_COVE, 0xca3, -1, 0x4 },
	{ TD_LION_COVE, 0x4a4, -1, 0x1 },
	{ TD_LION_COVE, 0x10a4, -1, 0x8 },
	{ TD_LION_COVE, 0x1b1, -1, 0x8 },
	{ TD_LION_COVE, 0x1cd, -1, 0x3fc },
	{ TD_LION_COVE, 0x2cd, -1, 0x3 },
	{ TD_LION_COVE, 0x87d0, -1, 0x3ff },
	{ TD_LION_COVE, 0x81d0, -1, 0xf },
	{ TD_COUGAR_COVE, 0x4a4, -1, 0x1 },
	{ TD_LION_COVE, 0x12b, -1, 0x3ff, .kernel = TD_LINUX(7, 2, 0) },
	{ TD_LION_COVE, 0xe0, -1, 0xf },
	{ TD_LION_COVE, 0xe0, -1, 0x3ff, .kernel = TD_LINUX(7, 2, 0) },
	{ TD_PANTHER_COVE, 0x1b2, -1, 0xff, .kernel = TD_LINUX(7, 2, 6) },
	{ TD_PANTHER_COVE, 0x1b2, -1, 0xf, .kernel = TD_LINUX(7, 2, 9) },
	{ TD_ARCTIC_WOLF, 0x4d4, -1, 0x4, .kernel = TD_LINUX(7, 1, 13) },
	{ TD_ARCTIC_WOLF, 0x4d4, -1, 0xff, .kernel = TD_LINUX(7, 2, 6) },

	/* Linux 7.2: all counters, but for these */
	{ TD_PANTHER_COVE, 0x10a4, -1, 0xff },
	{ TD_PANTHER_COVE, 0x8a4, -1, 0x1 },
	{ TD_PANTHER_COVE, 0x1cd, -1, 0xfc },
	{ TD_PANTHER_COVE, 0x2cd, -1, 0x3 },
	{ TD_PANTHER_COVE, 0x1ce, -1, 0x1 },
	{ TD_PANTHER_COVE, 0x847, -1, 0xf },
	{ TD_PANTHER_COVE, 0x400, 3, 0 },
	{ TD_COYOTE_COVE, 0x20, -1, 0xf },
	{ TD_COYOTE_COVE, 0x1b2, -1, 0xf, .kernel = TD_LINUX(7, 2, 9) },
	{ TD_COYOTE_COVE, 0x848, -1, 0xff },
	{ TD_COYOTE_COVE, 0x2cd, -1, 0x3 },
	{ TD_ARCTIC_WOLF, 0x8b7, -1, 0x8 },
	{ TD_ARCTIC_WOLF, 0x2d4, -1, 0x2 },
	{ TD_ARCTIC_WOLF, 0x21d3, -1, 0x1 },
	{ TD_ARCTIC_WOLF, 0x2c2, 6, 0xff },

	/* AMD: all of them, also where Intel has a fixed one, and event 0 */
	{ TD_ZEN, 0xc0, -1, 0x3f },
	{ TD_ZEN, 0x76, -1, 0x3f },
	{ TD_ZEN, 0x8000, -1, 0x3f },

	/* older cores: single counters, or all four */
	{ TD_SANDY_BRIDGE, 0x148, -1, 0x4 },
	{ TD_SANDY_BRIDGE, 0x248, -1, 0x4 },
	{ TD_SANDY_BRIDGE, 0x2a3, -1, 0x4 },
	{ TD_SANDY_BRIDGE, 0x6a3, -1, 0x4 },
	{ TD_SANDY_BRIDGE, 0x4a3, -1, 0xf },
	{ TD_SANDY_BRIDGE, 0x1c0, -1, 0x2 },
	{ TD_SANDY_BRIDGE, 0x1cd, -1, 0x8 },
	{ TD_SANDY_BRIDGE, 0x1d1, -1, 0xf, false, true },
	{ TD_IVY_BRIDGE, 0x148, -1, 0x4 },
	{ TD_IVY_BRIDGE, 0x248, -1, 0xf },
	{ TD_IVY_BRIDGE, 0x279, -1, 0xf },
	{ TD_IVY_BRIDGE, 0x5a3, -1, 0xf },
	{ TD_IVY_BRIDGE, 0x8a3 | CMASK(8), -1, 0x4 },
	{ TD_IVY_BRIDGE, 0xca3 | CMASK(12), -1, 0x4 },
	{ TD_IVY_BRIDGE, 0x1c0, -1, 0x2 },
	{ TD_IVY_BRIDGE, 0x1cd, -1, 0xf },
	{ TD_IVY_BRIDGE, 0x1d3, -1, 0xf, false, true },
	{ TD_HASWELL, 0x148, -1, 0x4 },
	{ TD_HASWELL, 0x8a3 | CMASK(8), -1, 0x4 },
	{ TD_HASWELL, 0xca3 | CMASK(12), -1, 0x4 },
	{ TD_HASWELL, 0x4a3 | CMASK(4), -1, 0xf },
	{ TD_HASWELL, 0x1c0, -1, 0x2 },
	{ TD_HASWELL, 0x1cd, -1, 0x8 },
	{ TD_HASWELL, 0x81d0, -1, 0xf, false, true },
	{ TD_HASWELL, 0x1d4, -1, 0xf },
	{ TD_BROADWELL, 0x148, -1, 0x4 },
	{ TD_BROADWELL, 0x8a3 | CMASK(8), -1, 0x4 },
	{ TD_BROADWELL, 0xca3 | CMASK(12), -1, 0x4 },
	{ TD_BROADWELL, 0x4a3 | CMASK(4), -1, 0xf },
	{ TD_BROADWELL, 0x1cd, -1, 0xf },
	{ TD_BROADWELL, 0x81d0, -1, 0xf },
	{ TD_SKYLAKE, 0x1c0, -1, 0x2 },
	{ TD_SKYLAKE, 0xca3 | CMASK(12), -1, 0xf },
	{ TD_SKYLAKE, 0x81d0, -1, 0xf },

	/* other encodings of instructions and reference cycles */
	{ TD_SUNNY_COVE, 0x100, 0, 0 },
	{ TD_SUNNY_COVE, 0x1c0, 0, 0xff },
	{ TD_SUNNY_COVE, 0x13c, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x100, 0, 0 },
	{ TD_GOLDEN_COVE, 0x1c0, -1, 0xff },
	{ TD_GOLDEN_COVE, 0x13c, 2, 0xff },
	{ TD_REDWOOD_COVE, 0x13c, 2, 0xff },
	{ TD_LION_COVE, 0x13c, 2, 0x3ff },
	{ TD_TREMONT, 0x13c, -1, 0xf },
	{ TD_GRACEMONT, 0x13c, 2, 0x3f },
	{ TD_CRESTMONT, 0x13c, 2, 0xff },
	{ TD_SKYMONT, 0x13c, 2, 0xff },
	{ TD_SKYMONT, 0x100, -1, 0 },

	/* Atoms: only Skymont and later ones have fixed counters 4 to 6 */
	{ TD_SKYMONT, 0x73, 4, 0xff },
	{ TD_SKYMONT, 0x19c, 5, 0xff },
	{ TD_SKYMONT, 0x2c2, 6, 0xff },
	{ TD_SKYMONT, 0x2a4, -1, 0xff },
	{ TD_SKYMONT, 0x473, -1, 0xff },
	{ TD_DARKMONT, 0x19c, 5, 0xff },
	{ TD_CRESTMONT, 0x73, -1, 0xff },
	{ TD_GRACEMONT, 0x73, -1, 0x3f },
	{ TD_TREMONT, 0x71, -1, 0xf },
	{ TD_GOLDEN_COVE, 0x19c, -1, 0xff },
};

static const struct {
	unsigned int family, model;
	enum td_uarch core, atom, lowpower;
} models[] = {
	{ 6, 0x2a, TD_SANDY_BRIDGE }, { 6, 0x2d, TD_SANDY_BRIDGE },
	{ 6, 0x3a, TD_IVY_BRIDGE }, { 6, 0x3e, TD_IVY_BRIDGE },
	{ 6, 0x3c, TD_HASWELL }, { 6, 0x3f, TD_HASWELL }, { 6, 0x45, TD_HASWELL },
	{ 6, 0x46, TD_HASWELL },
	{ 6, 0x3d, TD_BROADWELL }, { 6, 0x47, TD_BROADWELL }, { 6, 0x4f, TD_BROADWELL },
	{ 6, 0x56, TD_BROADWELL },
	{ 6, 0x4e, TD_SKYLAKE }, { 6, 0x5e, TD_SKYLAKE }, { 6, 0x55, TD_SKYLAKE },
	{ 6, 0x8e, TD_SKYLAKE }, { 6, 0x9e, TD_SKYLAKE }, { 6, 0xa5, TD_SKYLAKE },
	{ 6, 0xa6, TD_SKYLAKE },
	{ 6, 0x7d, TD_SUNNY_COVE }, { 6, 0x7e, TD_SUNNY_COVE },
	{ 6, 0x6a, TD_SUNNY_COVE }, { 6, 0x6c, TD_SUNNY_COVE },
	{ 6, 0x8c, TD_SUNNY_COVE }, { 6, 0x8d, TD_SUNNY_COVE },
	{ 6, 0xa7, TD_SUNNY_COVE },
	{ 6, 0x8f, TD_GOLDEN_COVE }, { 6, 0xcf, TD_GOLDEN_COVE },
	{ 6, 0xad, TD_REDWOOD_COVE }, { 6, 0xae, TD_REDWOOD_COVE },
	{ 6, 0x97, TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0x9a, TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0xb7, TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0xba, TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0xbf, TD_GOLDEN_COVE, TD_GRACEMONT },
	{ 6, 0xd7, TD_GOLDEN_COVE },
	{ 6, 0xaa, TD_REDWOOD_COVE, TD_CRESTMONT },
	{ 6, 0xac, TD_REDWOOD_COVE, TD_CRESTMONT },
	{ 6, 0xb5, TD_REDWOOD_COVE, TD_CRESTMONT },
	{ 6, 0xbd, TD_LION_COVE, TD_SKYMONT }, { 6, 0xc6, TD_LION_COVE, TD_SKYMONT },
	{ 6, 0xc5, TD_LION_COVE, TD_SKYMONT, TD_CRESTMONT },
	{ 6, 0xcc, TD_COUGAR_COVE, TD_DARKMONT },
	{ 6, 0xe5, TD_COUGAR_COVE, TD_DARKMONT },
	{ 6, 0xd5, TD_COUGAR_COVE, TD_DARKMONT },
	{ 6, 0x96, TD_TREMONT }, { 6, 0x9c, TD_TREMONT }, { 6, 0x86, TD_TREMONT },
	{ 6, 0xbe, TD_GRACEMONT },
	{ 6, 0xaf, TD_CRESTMONT }, { 6, 0xb6, TD_CRESTMONT },
	{ 6, 0xdd, TD_DARKMONT },
	{ 18, 0x01, TD_COYOTE_COVE, TD_ARCTIC_WOLF },
	{ 18, 0x03, TD_COYOTE_COVE, TD_ARCTIC_WOLF },
	{ 19, 0x01, TD_PANTHER_COVE },
};

static const struct {
	enum td_uarch uarch;
	int width, general;
} cores[] = {
	{ TD_UARCH_UNKNOWN, 0, 4 },
	{ TD_SANDY_BRIDGE, 4, 4 }, { TD_IVY_BRIDGE, 4, 4 },
	{ TD_HASWELL, 4, 4 }, { TD_BROADWELL, 4, 4 }, { TD_SKYLAKE, 4, 4 },
	{ TD_SUNNY_COVE, 5, 8 },
	{ TD_GOLDEN_COVE, 6, 8 }, { TD_REDWOOD_COVE, 6, 8 },
	{ TD_LION_COVE, 8, 10 }, { TD_COUGAR_COVE, 8, 10 },
	{ TD_TREMONT, 4, 4 }, { TD_GRACEMONT, 5, 6 }, { TD_CRESTMONT, 6, 8 },
	{ TD_SKYMONT, 8, 8 }, { TD_DARKMONT, 8, 8 },
	/* width not published */
	{ TD_PANTHER_COVE, 0, 8 }, { TD_COYOTE_COVE, 0, 8 }, { TD_ARCTIC_WOLF, 0, 8 },
	{ TD_ZEN, 0, 6 },
};
/* clang-format on */

static void test_place(size_t i)
{
	struct td_placement got =
		td_uarch_place(places[i].uarch, places[i].config,
			       places[i].kernel ? places[i].kernel : TD_LINUX(6, 12, 0));

	ok(got.fixed == places[i].fixed && got.general == places[i].general &&
		   got.metric == places[i].metric && got.leaks == places[i].leaks,
	   "%s, %#" PRIx64 ": fixed %d, general %#x", td_uarch_name(places[i].uarch),
	   places[i].config, got.fixed, got.general);
}

static void test_model(const struct td_model *model, size_t i)
{
	bool hybrid = models[i].atom != TD_UARCH_UNKNOWN;

	ok(model->core == models[i].core && model->atom == models[i].atom &&
		   model->lowpower == models[i].lowpower,
	   "%s, model %#x: its cores", model->name, model->model);
	ok(td_model_is_hybrid(model) == hybrid &&
		   td_model_uarch(model, "cpu_core") == models[i].core &&
		   td_model_uarch(model, "cpu_atom") == models[i].atom &&
		   td_model_uarch(model, "cpu_lowpower") == models[i].lowpower,
	   "its PMUs");
	ok(td_model_uarch(model, "cpu") == (hybrid ? TD_UARCH_UNKNOWN : models[i].core),
	   "behind one PMU");
}

/* All existing models, each with one row of expected facts. */
static void test_models(void)
{
	const struct td_model *model;
	struct td_cpuid cpuid;
	size_t nr = 0, nr_others = 0;

	for (; (model = td_model_at(nr, &cpuid)); nr++) {
		size_t found = 0;

		ok(model->name && td_model_find(&cpuid) == model, "%s is found by its CPUID",
		   model->name);
		if (td_vendor_of(&cpuid) != &td_intel) {
			nr_others++;
			continue;
		}
		for (size_t i = 0; i < TD_ARRAY_SIZE(models); i++) {
			if (models[i].family != model->family || models[i].model != model->model)
				continue;
			found++;
			test_model(model, i);
		}
		ok(found == 1, "%s, model %#x: is expected once", model->name, model->model);
	}
	ok(nr - nr_others == TD_ARRAY_SIZE(models), "no model is missing");
}

/* bsp_init_amd() of Linux 7.2, arch/x86/kernel/cpu/amd.c */
static void test_amd(void)
{
	static const struct {
		unsigned int family, model;
		const char *name;
	} amd[] = {
		{ 23, 0x01, "Zen" },   { 23, 0x31, "Zen 2" }, { 23, 0x71, "Zen 2" },
		{ 25, 0x01, "Zen 3" }, { 25, 0x0f, "Zen 3" }, { 25, 0x11, "Zen 4" },
		{ 25, 0x50, "Zen 3" }, { 25, 0x61, "Zen 4" }, { 25, 0xa0, "Zen 4" },
		{ 26, 0x02, "Zen 5" }, { 26, 0x44, "Zen 5" }, { 26, 0x50, "Zen 6" },
		{ 26, 0x70, "Zen 5" }, { 26, 0xa0, "Zen 6" }, { 22, 0x30, NULL },
		{ 25, 0xb0, NULL },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(amd); i++) {
		struct td_cpuid cpuid = { "AuthenticAMD", amd[i].family, amd[i].model };
		const struct td_model *model = td_model_find(&cpuid);

		is_str(model ? model->name : "none", amd[i].name ? amd[i].name : "none",
		       "AMD %u, %#x", amd[i].family, amd[i].model);
	}
}

static bool is_used(enum td_uarch uarch)
{
	const struct td_model *model;
	struct td_cpuid cpuid;

	for (size_t i = 0; (model = td_model_at(i, &cpuid)); i++) {
		if (model->core == uarch || model->atom == uarch || model->lowpower == uarch)
			return true;
	}
	return false;
}

static bool has_place(enum td_uarch uarch)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++) {
		if (places[i].uarch == uarch)
			return true;
	}
	return false;
}

/* Half a core fails: one of enum td_uarch without a row, a model, or a test. */
static void test_core(enum td_uarch uarch)
{
	const char *name = td_uarch_name(uarch);
	size_t found = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(cores); i++) {
		if (cores[i].uarch != uarch)
			continue;
		found++;
		ok(td_uarch_width(uarch) == cores[i].width &&
			   td_uarch_general(uarch) == cores[i].general,
		   "%s: width and counters", name);
	}
	ok(found == 1, "core %d, %s, is expected once", uarch, name);
	ok(has_place(uarch), "%s: it is known where its events go", name);
	if (uarch == TD_UARCH_UNKNOWN)
		return;
	ok(td_core_of(uarch) != td_core_of(TD_UARCH_UNKNOWN), "core %d has a row", uarch);
	ok(is_used(uarch), "%s is the core of a model", name);
}

/* Events that a later kernel restricts to fewer counters; for other events this is unknown. */
static void test_miscounts(void)
{
	unsigned int old = TD_LINUX(6, 12, 48), new = TD_LINUX(7, 2, 0);

	ok(td_uarch_miscounts(TD_GOLDEN_COVE, 0x5a3, old), "on fewer");
	ok(!td_uarch_miscounts(TD_GOLDEN_COVE, 0x5a3, new) &&
		   !td_uarch_miscounts(TD_GOLDEN_COVE, 0x5a3, 0),
	   "as it should be, and not known");
	ok(!td_uarch_miscounts(TD_GOLDEN_COVE, 0x4a3, old) &&
		   !td_uarch_miscounts(TD_SUNNY_COVE, 0x5a3, old) &&
		   !td_uarch_miscounts(TD_LION_COVE, 0xe0, old),
	   "another event, another core, and on more");
}

/* Only processors of the table are found, whose vendor counts, too. */
static void test_unknown(void)
{
	static const struct td_cpuid unknown[] = {
		{ "GenuineIntel", 6, 0x01 },   { "GenuineIntel", 15, 0x97 },
		{ "GenuineIntel", 6, 0xffff }, { "AuthenticAMD", 6, 0x97 },
		{ "CentaurHauls", 6, 0x97 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(unknown); i++)
		ok(!td_model_find(&unknown[i]), "%s-%u-%x is not known", unknown[i].vendor,
		   unknown[i].family, unknown[i].model);
	ok(!td_model_is_hybrid(NULL) && td_model_uarch(NULL, "cpu_core") == TD_UARCH_UNKNOWN,
	   "a model that is not known");
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++)
		test_place(i);
	test_models();
	test_amd();
	for (enum td_uarch uarch = 0; uarch < TD_NR_UARCHS; uarch++)
		test_core(uarch);
	test_unknown();
	test_miscounts();
	return done_testing();
}
