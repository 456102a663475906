// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel's cores and models, and what the kernel's sysfs contains for them.  Each core is a row of
 * cores[], each model a row of models[].  From arch/x86/events/intel/core.c and
 * arch/x86/include/asm/intel-family.h of Linux 6.12, and of 7.2 for later cores and models.
 */
#include "lib/base/util.h"
#include "lib/machine/kernel.h"
#include "lib/machine/vendor.h"

/* --- sysfs ---------------------------------------------------------------- */

static const struct td_sysfs_row formats[] = {
	{ "any", "config:21", .with = TD_CORE_WHOLE },
	{ "cmask", "config:24-31" },
	{ "edge", "config:18" },
	{ "eq", "config:36", .with = TD_CORE_UMASK2 },
	{ "event", "config:0-7" },
	{ "frontend", "config1:0-23", .with = TD_CORE_FRONTEND },
	{ "inv", "config:23" },
	{ "ldlat", "config1:0-15" },
	{ "offcore_rsp", "config1:0-63" },
	{ "pc", "config:19" },
	{ "snoop_rsp", "config1:0-63", .with = TD_CORE_SNOOP },
	{ "umask", "config:8-15", .unless = TD_CORE_UMASK2 },
	{ "umask", "config:8-15,40-47", .with = TD_CORE_UMASK2 },
	{ 0 },
};

/* The architectural events, SLOTS and the fields of PERF_METRICS. */
static const struct td_sysfs_row events[] = {
	{ "branch-instructions", "event=0xc4" },
	{ "branch-misses", "event=0xc5" },
	{ "bus-cycles", "event=0x3c,umask=0x01" },
	{ "cache-misses", "event=0x2e,umask=0x41" },
	{ "cache-references", "event=0x2e,umask=0x4f" },
	{ "cpu-cycles", "event=0x3c" },
	{ "instructions", "event=0xc0" },
	{ "ref-cycles", "event=0x3c,umask=0x01", .with = TD_CORE_REF_TSC_P },
	{ "ref-cycles", "event=0x00,umask=0x03", .unless = TD_CORE_REF_TSC_P },
	{ "slots", "event=0x00,umask=0x4", .with = TD_CORE_FIELDS },
	{ "topdown-bad-spec", "event=0x00,umask=0x81", .with = TD_CORE_FIELDS },
	{ "topdown-be-bound", "event=0x00,umask=0x83", .with = TD_CORE_FIELDS },
	{ "topdown-br-mispredict", "event=0x00,umask=0x85", .with = TD_CORE_FIELDS_8 },
	{ "topdown-fe-bound", "event=0x00,umask=0x82", .with = TD_CORE_FIELDS },
	{ "topdown-fetch-lat", "event=0x00,umask=0x86", .with = TD_CORE_FIELDS_8 },
	{ "topdown-heavy-ops", "event=0x00,umask=0x84", .with = TD_CORE_FIELDS_8 },
	{ "topdown-mem-bound", "event=0x00,umask=0x87", .with = TD_CORE_FIELDS_8 },
	{ "topdown-retiring", "event=0x00,umask=0x80", .with = TD_CORE_FIELDS },
	{ 0 },
};

/* clang-format off */

/* Encodings without hyper-threading; with it, the kernel adds any=1. */
#define WHOLE_CORE_EVENTS(recovery)                                          \
	{ "topdown-fetch-bubbles", "event=0x9c,umask=0x1" },                 \
	{ "topdown-recovery-bubbles", recovery, 4 },                         \
	{ "topdown-slots-issued", "event=0xe,umask=0x1" },                   \
	{ "topdown-slots-retired", "event=0xc2,umask=0x2" },                 \
	{ "topdown-total-slots", "event=0x3c,umask=0x0", 4 }

/* E-cores count slots with events of their own; up to Crestmont, with these. */
#define ATOM_EVENTS(retiring, bad)                                           \
	{ "topdown-be-bound", "event=0x74,umask=0x0" },                      \
	{ "topdown-fe-bound", "event=0x71,umask=0x0" },                      \
	{ "topdown-retiring", retiring }, { "topdown-bad-spec", bad }

static const struct td_sysfs_row
	sandy_bridge_events[] = {
		WHOLE_CORE_EVENTS("event=0xd,umask=0x3,cmask=1"), { 0 } },
	skylake_events[] = {
		WHOLE_CORE_EVENTS("event=0xd,umask=0x1,cmask=1"), { 0 } },
	tremont_events[] = {
		ATOM_EVENTS("event=0xc2,umask=0x0", "event=0x73,umask=0x6"), { 0 } },
	gracemont_beside[] = {
		ATOM_EVENTS("event=0xc2,umask=0x0", "event=0x73,umask=0x0"), { 0 } },
	crestmont_events[] = {
		ATOM_EVENTS("event=0x72,umask=0x0", "event=0x73,umask=0x0"), { 0 } },
	skymont_events[] = {
		{ "topdown-bad-spec", "event=0x73,umask=0x0" },
		{ "topdown-be-bound", "event=0xa4,umask=0x02" },
		{ "topdown-fe-bound", "event=0x9c,umask=0x01" },
		{ "topdown-retiring", "event=0xc2,umask=0x02" }, { 0 } };

/* --- constraints ---------------------------------------------------------- */

/*
 * *_event_constraints[].  Entries for the first four counters are left out where
 * a core has only four.
 */
#define OLD 0, TD_LINUX(7, 2, 0)
#define NEW TD_LINUX(7, 2, 0)
static const struct td_bound sandy_bridge_bound[] = {
	{ 0x48, 0x48, -1, 0x4 }, { 0xa3, 0xa3, 0x02, 0x4 }, { 0xa3, 0xa3, 0x06, 0x4 },
	{ 0xc0, 0xc0, 0x01, 0x2 }, { 0xcd, 0xcd, -1, 0x8 }, { 0 },
};
static const struct td_bound ivy_bridge_bound[] = {
	{ 0x48, 0x48, 0x01, 0x4 }, { 0xa3, 0xa3, 0x08, 0x4 }, { 0xa3, 0xa3, 0x0c, 0x4 },
	{ 0xc0, 0xc0, 0x01, 0x2 }, { 0 },
};
static const struct td_bound haswell_bound[] = {
	{ 0x48, 0x48, 0x01, 0x4 }, { 0xa3, 0xa3, 0x08, 0x4 }, { 0xa3, 0xa3, 0x0c, 0x4 },
	{ 0xc0, 0xc0, 0x01, 0x2 }, { 0xcd, 0xcd, -1, 0x8 }, { 0 },
};
static const struct td_bound broadwell_bound[] = {
	{ 0x48, 0x48, 0x01, 0x4 }, { 0xa3, 0xa3, 0x08, 0x4 }, { 0xa3, 0xa3, 0x0c, 0x4 },
	{ 0 },
};
static const struct td_bound skylake_bound[] = {
	{ 0xc0, 0xc0, 0x01, 0x2 }, { 0 },
};
static const struct td_bound sunny_cove_bound[] = {
	{ 0x03, 0x0a, -1, 0xf }, { 0x1f, 0x28, -1, 0xf }, { 0x32, 0x32, -1, 0xf },
	{ 0x48, 0x56, -1, 0xf }, { 0x60, 0x8b, -1, 0xf }, { 0xa3, 0xa3, 0x04, 0xff },
	{ 0xa3, 0xa3, 0x10, 0xff }, { 0xa3, 0xa3, 0x14, 0xff }, { 0xa3, 0xa3, -1, 0xf },
	{ 0xa8, 0xb0, -1, 0xf }, { 0xb7, 0xbd, -1, 0xf }, { 0xd0, 0xe6, -1, 0xf },
	{ 0xef, 0xf4, -1, 0xf }, { 0 },
};
static const struct td_bound golden_cove_bound[] = {
	{ 0x2e, 0x2e, -1, 0xff }, { 0x3c, 0x3c, -1, 0xff }, { 0x01, 0x8f, -1, 0xf },
	{ 0xa3, 0xa3, 0x01, 0xf }, { 0xa3, 0xa3, 0x02, 0xf }, { 0xa3, 0xa3, 0x08, 0xf },
	{ 0xa3, 0xa3, 0x05, 0xf, NEW }, { 0xa3, 0xa3, 0x06, 0xf, NEW },
	{ 0xa3, 0xa3, 0x0c, 0xf, NEW }, { 0xcd, 0xcd, 0x01, 0xfe, NEW },
	{ 0xa4, 0xa4, 0x04, 0x1 }, { 0xa4, 0xa4, 0x08, 0x1 }, { 0xcd, 0xcd, 0x02, 0x1 },
	{ 0xce, 0xce, -1, 0x1 }, { 0xd0, 0xdf, -1, 0xf }, { 0 },
};
static const struct td_bound lion_cove_bound[] = {
	{ 0x20, 0x20, -1, 0xf }, { 0x2a, 0x2b, 0x01, 0xf, OLD }, { 0x48, 0x48, 0x01, 0x4 },
	{ 0x75, 0x75, 0x01, 0x4 }, { 0xa3, 0xa3, 0x08, 0x4 }, { 0xa3, 0xa3, 0x0c, 0x4 },
	{ 0xa4, 0xa4, 0x04, 0x1 }, { 0xa4, 0xa4, 0x08, 0x1 }, { 0xa4, 0xa4, 0x10, 0x8 },
	{ 0xb1, 0xb1, 0x01, 0x8 }, { 0xcd, 0xcd, 0x01, 0x3fc },
	{ 0xcd, 0xcd, 0x02, 0x3 }, { 0xd0, 0xd0, 0x87, 0x3ff }, { 0xd0, 0xdf, -1, 0xf },
	{ 0xe0, 0xe0, 0x00, 0xf, OLD }, { 0 },
};
static const struct td_bound panther_cove_bound[] = {
	{ 0x20, 0x20, -1, 0xf }, { 0x79, 0x79, -1, 0xf }, { 0x75, 0x75, 0x02, 0xf },
	{ 0x76, 0x76, 0x01, 0xf }, { 0xa4, 0xa4, 0x04, 0x1 }, { 0xa4, 0xa4, 0x08, 0x1 },
	{ 0xcd, 0xcd, 0x01, 0xfc }, { 0xcd, 0xcd, 0x02, 0x3 }, { 0xd0, 0xd1, -1, 0xf },
	{ 0xd4, 0xd4, -1, 0xf }, { 0xd6, 0xd6, -1, 0xf }, { 0xdf, 0xdf, -1, 0xf },
	{ 0xce, 0xce, -1, 0x1 }, { 0xb1, 0xb1, 0x01, 0x8 }, { 0x47, 0x47, 0x08, 0xf },
	{ 0x46, 0x46, 0x04, 0xf }, { 0x46, 0x46, 0x08, 0xf }, { 0x48, 0x48, 0x01, 0xf },
	{ 0xb2, 0xb2, 0x01, 0xf, TD_LINUX(7, 2, 9) },
	{ 0xb2, 0xb2, 0x02, 0xf, TD_LINUX(7, 2, 9) }, { 0 },
};
static const struct td_bound arctic_wolf_bound[] = {
	{ 0xb7, 0xb7, 0x01, 0x1 }, { 0xb7, 0xb7, 0x02, 0x2 }, { 0xb7, 0xb7, 0x04, 0x4 },
	{ 0xb7, 0xb7, 0x08, 0x8 }, { 0xd4, 0xd4, 0x01, 0x1, OLD }, { 0xd4, 0xd4, 0x02, 0x2, OLD },
	{ 0xd4, 0xd4, 0x04, 0x4, OLD }, { 0xd4, 0xd4, 0x08, 0x8, OLD }, { 0x75, 0x75, 0x01, 0x1 },
	{ 0x75, 0x75, 0x02, 0x2 }, { 0xd3, 0xd3, 0x21, 0x1 }, { 0xd3, 0xd3, 0x22, 0x1 },
	{ 0 },
};
#undef OLD
#undef NEW

/* --- cores ---------------------------------------------------------------- */

#define OLD_LEAKING (TD_CORE_WHOLE | TD_CORE_LEAKS)
/* Traits of P-cores: COVE since Golden Cove, LION since Lion Cove. */
#define COVE (TD_CORE_FIELDS_8 | TD_CORE_REF_TSC_P | TD_CORE_FRONTEND)
#define LION (COVE | TD_CORE_LATENCIES | TD_CORE_UMASK2)
/* Traits of E-cores: MONT since Crestmont, SKY since Skymont. */
#define MONT (TD_CORE_REF_TSC_P | TD_CORE_SNOOP)
#define SKY  (MONT | TD_CORE_FIXED_SLOTS | TD_CORE_UMASK2)

/*
 * Slots per cycle are from the width constants in Intel's metric files
 * (tools/perf/pmu-events/arch/x86), numbers of general counters from counter.json there.  Timing
 * information exists since Meteor Lake.  Formulas use that of P-cores; no formula uses that of
 * E-cores.
 */
static const struct td_core cores[TD_NR_UARCHS] = {
	[TD_SANDY_BRIDGE] = { "Sandy Bridge", 4, 4, OLD_LEAKING,
		.bound = sandy_bridge_bound, .events = sandy_bridge_events },
	[TD_IVY_BRIDGE] = { "Ivy Bridge", 4, 4, OLD_LEAKING,
		.bound = ivy_bridge_bound, .events = sandy_bridge_events },
	[TD_HASWELL] = { "Haswell", 4, 4, OLD_LEAKING,
		.bound = haswell_bound, .events = sandy_bridge_events },
	[TD_BROADWELL] = { "Broadwell", 4, 4, TD_CORE_WHOLE,
		.bound = broadwell_bound, .events = sandy_bridge_events },
	[TD_SKYLAKE] = { "Skylake", 4, 4, TD_CORE_WHOLE | TD_CORE_FRONTEND,
		.bound = skylake_bound, .events = skylake_events },
	[TD_SUNNY_COVE] = { "Sunny Cove", 5, 8,
		TD_CORE_FIELDS_4 | TD_CORE_DROPS | TD_CORE_CLEARS | TD_CORE_FRONTEND,
		.bound = sunny_cove_bound },
	[TD_GOLDEN_COVE] = { "Golden Cove", 6, 8, COVE | TD_CORE_DROPS,
		.bound = golden_cove_bound },
	[TD_REDWOOD_COVE] = { "Redwood Cove", 6, 8,
		COVE | TD_CORE_DROPS | TD_CORE_LATENCIES, .bound = golden_cove_bound },
	[TD_LION_COVE] = { "Lion Cove", 8, 10, LION, .bound = lion_cove_bound },
	[TD_COUGAR_COVE] = { "Cougar Cove", 8, 10, LION, .bound = lion_cove_bound },
	[TD_PANTHER_COVE] = { "Panther Cove", 0, 8, LION, .bound = panther_cove_bound },
	/* intel_pmu_init_cyc(): Panther Cove but for the responses of built-in cache events */
	[TD_COYOTE_COVE] = { "Coyote Cove", 0, 8, LION, .bound = panther_cove_bound },
	[TD_TREMONT] = { "Tremont", 4, 4, 0, .events = tremont_events },
	[TD_GRACEMONT] = { "Gracemont", 5, 6, TD_CORE_REF_TSC_P,
		.events = tremont_events, .beside = gracemont_beside },
	[TD_CRESTMONT] = { "Crestmont", 6, 8, MONT,
		.events = crestmont_events, .beside = gracemont_beside },
	[TD_SKYMONT] = { "Skymont", 8, 8, SKY, .events = skymont_events },
	[TD_DARKMONT] = { "Darkmont", 8, 8, SKY, .events = skymont_events },
	[TD_ARCTIC_WOLF] = { "Arctic Wolf", 0, 8, SKY,
		.bound = arctic_wolf_bound, .events = skymont_events },
};

/* --- models --------------------------------------------------------------- */

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
	{ 6, 0x8f, "Sapphire Rapids", .core = TD_GOLDEN_COVE, .linux_since = "6.1" },
	{ 6, 0xcf, "Emerald Rapids", .core = TD_GOLDEN_COVE, .linux_since = "6.1" },
	{ 6, 0xad, "Granite Rapids", .core = TD_REDWOOD_COVE, .linux_since = "6.12" },
	{ 6, 0xae, "Granite Rapids-D", .core = TD_REDWOOD_COVE, .linux_since = "6.12" },
	{ 6, 0x97, "Alder Lake", TD_GOLDEN_COVE, TD_GRACEMONT, .linux_since = "6.1" },
	{ 6, 0x9a, "Alder Lake", TD_GOLDEN_COVE, TD_GRACEMONT, .linux_since = "6.1" },
	{ 6, 0xb7, "Raptor Lake", TD_GOLDEN_COVE, TD_GRACEMONT, .linux_since = "6.1" },
	{ 6, 0xba, "Raptor Lake", TD_GOLDEN_COVE, TD_GRACEMONT, .linux_since = "6.1" },
	{ 6, 0xbf, "Raptor Lake", TD_GOLDEN_COVE, TD_GRACEMONT, .linux_since = "6.1" },
	{ 6, 0xd7, "Bartlett Lake", .core = TD_GOLDEN_COVE, .linux_since = TD_LATER_LINUX },
	{ 6, 0xaa, "Meteor Lake", TD_REDWOOD_COVE, TD_CRESTMONT, .linux_since = "6.12" },
	{ 6, 0xac, "Meteor Lake", TD_REDWOOD_COVE, TD_CRESTMONT, .linux_since = "6.12" },
	{ 6, 0xb5, "Arrow Lake-U", TD_REDWOOD_COVE, TD_CRESTMONT, .linux_since = "6.12" },
	{ 6, 0xbd, "Lunar Lake", TD_LION_COVE, TD_SKYMONT, .linux_since = "6.12" },
	{ 6, 0xc6, "Arrow Lake", TD_LION_COVE, TD_SKYMONT, .linux_since = "6.12" },
	{ 6, 0xc5, "Arrow Lake-H", TD_LION_COVE, TD_SKYMONT, TD_CRESTMONT, .linux_since = "7.2" },
	{ 6, 0xcc, "Panther Lake", TD_COUGAR_COVE, TD_DARKMONT, .linux_since = "7.2" },
	{ 6, 0xe5, "Panther Lake-R", TD_COUGAR_COVE, TD_DARKMONT, .linux_since = TD_LATER_LINUX,
		.files = 0xcc },
	{ 6, 0xd5, "Wildcat Lake", TD_COUGAR_COVE, TD_DARKMONT, .linux_since = "7.2" },
	{ 18, 0x01, "Nova Lake", TD_COYOTE_COVE, TD_ARCTIC_WOLF, .linux_since = "7.2" },
	{ 18, 0x03, "Nova Lake", TD_COYOTE_COVE, TD_ARCTIC_WOLF, .linux_since = "7.2" },
	{ 19, 0x01, "Diamond Rapids", .core = TD_PANTHER_COVE, .linux_since = "7.2" },
	{ 6, 0x96, "Elkhart Lake", .core = TD_TREMONT },
	{ 6, 0x9c, "Jasper Lake", .core = TD_TREMONT },
	{ 6, 0x86, "Snow Ridge", .core = TD_TREMONT },
	{ 6, 0xbe, "Alder Lake-N", .core = TD_GRACEMONT, .linux_since = "6.1" },
	{ 6, 0xaf, "Sierra Forest", .core = TD_CRESTMONT, .linux_since = "6.12" },
	{ 6, 0xb6, "Grand Ridge", .core = TD_CRESTMONT, .linux_since = "6.12" },
	{ 6, 0xdd, "Clearwater Forest", .core = TD_DARKMONT, .linux_since = "7.2" },
};

/* clang-format on */

const struct td_vendor td_intel = {
	.name = "GenuineIntel",
	.cores = cores,
	.nr_cores = TD_ARRAY_SIZE(cores),
	.models = models,
	.nr_models = TD_ARRAY_SIZE(models),
	.formats = formats,
	.events = events,
	.guest_pmus = "module/kvm_intel/parameters/enable_mediated_pmu",
	.architectural = true,
};
