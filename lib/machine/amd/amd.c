// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMD's processors, whose top-down metrics exist only in metric files.  Since Zen, a thread has six
 * counters (AMD64_NUM_COUNTERS_CORE), and events may use any of them (arch/x86/events/amd/core.c).
 */
#include "lib/base/util.h"
#include "lib/machine/vendor.h"

static const struct td_sysfs_row formats[] = {
	{ "cmask", "config:24-31" }, { "edge", "config:18" },    { "event", "config:0-7,32-35" },
	{ "inv", "config:23" },      { "umask", "config:8-15" }, { 0 },
};

static const struct td_core cores[TD_NR_UARCHS] = {
	[TD_ZEN] = { "Zen", .general = 6, .traits = TD_CORE_NO_FIXED | TD_CORE_IBS },
};

/* bsp_init_amd() of arch/x86/kernel/cpu/amd.c */
static const struct td_model models[] = {
	{ 23, 0x00, "Zen", .core = TD_ZEN, .last = 0x2f },
	{ 23, 0x30, "Zen 2", .core = TD_ZEN, .last = 0x4f },
	{ 23, 0x50, "Zen", .core = TD_ZEN, .last = 0x5f },
	{ 23, 0x60, "Zen 2", .core = TD_ZEN, .last = 0x7f },
	{ 23, 0x90, "Zen 2", .core = TD_ZEN, .last = 0x91 },
	{ 23, 0xa0, "Zen 2", .core = TD_ZEN, .last = 0xaf },
	{ 25, 0x00, "Zen 3", .core = TD_ZEN, .last = 0x0f },
	{ 25, 0x10, "Zen 4", .core = TD_ZEN, .last = 0x1f },
	{ 25, 0x20, "Zen 3", .core = TD_ZEN, .last = 0x5f },
	{ 25, 0x60, "Zen 4", .core = TD_ZEN, .last = 0xaf },
	{ 26, 0x00, "Zen 5", .core = TD_ZEN, .last = 0x2f },
	{ 26, 0x40, "Zen 5", .core = TD_ZEN, .last = 0x4f },
	{ 26, 0x50, "Zen 6", .core = TD_ZEN, .last = 0x5f },
	{ 26, 0x60, "Zen 5", .core = TD_ZEN, .last = 0x7f },
	{ 26, 0x80, "Zen 6", .core = TD_ZEN, .last = 0xaf },
	{ 26, 0xc0, "Zen 6", .core = TD_ZEN, .last = 0xcf },
};

const struct td_vendor td_amd = {
	.name = "AuthenticAMD",
	.cores = cores,
	.nr_cores = TD_ARRAY_SIZE(cores),
	.models = models,
	.nr_models = TD_ARRAY_SIZE(models),
	.any = TD_ZEN,
	.any_since = 23,
	.formats = formats,
	.guest_pmus = "module/kvm_amd/parameters/enable_mediated_pmu",
};
