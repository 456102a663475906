// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMD's processors, whose top-down metrics are in metric files only: no core is
 * known by name, and events may use any counter (arch/x86/events/amd/core.c).
 */
#include "lib/machine/vendor.h"

static const struct td_sysfs_row formats[] = {
	{ "cmask", "config:24-31" },     { "edge", "config:18" },
	{ "event", "config:0-7,32-35" }, { "inv", "config:23" },
	{ "umask", "config:8-15" },      { 0 },
};

const struct td_vendor td_amd = {
	.name = "AuthenticAMD",
	.formats = formats,
	.guest_pmus = "module/kvm_amd/parameters/enable_mediated_pmu",
};
