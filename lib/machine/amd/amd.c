// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMD's processors, whose top-down metrics are in metric files only.  From Zen on
 * a thread has six counters (AMD64_NUM_COUNTERS_CORE), and events may use any of
 * them (arch/x86/events/amd/core.c).
 */
#include "lib/base/util.h"
#include "lib/machine/vendor.h"

static const struct td_sysfs_row formats[] = {
	{ "cmask", "config:24-31" },     { "edge", "config:18" },
	{ "event", "config:0-7,32-35" }, { "inv", "config:23" },
	{ "umask", "config:8-15" },      { 0 },
};

static const struct td_core cores[TD_NR_UARCHS] = {
	[TD_ZEN] = { "Zen", .general = 6, .traits = TD_CORE_NO_FIXED },
};

const struct td_vendor td_amd = {
	.name = "AuthenticAMD",
	.cores = cores,
	.nr_cores = TD_ARRAY_SIZE(cores),
	.any = TD_ZEN,
	.any_since = 23,
	.formats = formats,
	.guest_pmus = "module/kvm_amd/parameters/enable_mediated_pmu",
};
