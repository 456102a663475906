// SPDX-License-Identifier: GPL-2.0-only
/* Classifies events for perf's ratios. */
#include <linux/perf_event.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/table/ratio_parts.h"

/*
 * Configs of cache events, see perf_event_open(2): reads are 0, and so are
 * accesses.
 */
#define READS(cache) PERF_COUNT_HW_CACHE_##cache
#define READ_MISSES(cache) \
	(PERF_COUNT_HW_CACHE_##cache | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16))

/* clang-format off */
static const struct {
	uint32_t type;
	uint32_t config;
	enum td_ratio_kind kind;
} encodings[] = {
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, TD_KIND_CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, TD_KIND_CLOCK },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, TD_KIND_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, TD_KIND_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  TD_KIND_FRONTEND_STALLS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  TD_KIND_BACKEND_STALLS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  TD_KIND_BRANCHES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
	  TD_KIND_BRANCH_MISSES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
	  TD_KIND_CACHE_REFS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, TD_KIND_CACHE_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(L1D), TD_KIND_L1D },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(L1D), TD_KIND_L1D_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(L1I), TD_KIND_L1I },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(L1I), TD_KIND_L1I_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(LL), TD_KIND_LL },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(LL), TD_KIND_LL_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(DTLB), TD_KIND_DTLB },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(DTLB), TD_KIND_DTLB_MISSES },
	{ PERF_TYPE_HW_CACHE, READS(ITLB), TD_KIND_ITLB },
	{ PERF_TYPE_HW_CACHE, READ_MISSES(ITLB), TD_KIND_ITLB_MISSES },
};

/*
 * Names in sysfs of the same events (cpu/instructions/), which perf treats
 * alike.
 */
static const struct {
	const char *name;
	enum td_ratio_kind kind;
} sysfs_names[] = {
	{ "cpu-cycles", TD_KIND_CYCLES },
	{ "instructions", TD_KIND_INSTRUCTIONS },
	{ "stalled-cycles-frontend", TD_KIND_FRONTEND_STALLS },
	{ "stalled-cycles-backend", TD_KIND_BACKEND_STALLS },
	{ "branch-instructions", TD_KIND_BRANCHES },
	{ "branch-misses", TD_KIND_BRANCH_MISSES },
	{ "cache-references", TD_KIND_CACHE_REFS },
	{ "cache-misses", TD_KIND_CACHE_MISSES },
};

/* clang-format on */

/* The config without the PMU's type, which core PMUs have in the upper half. */
static uint64_t own_config(const struct td_event *event)
{
	if (event->type == PERF_TYPE_HARDWARE ||
	    event->type == PERF_TYPE_HW_CACHE)
		return event->config[0] & UINT32_MAX;
	return event->config[0];
}

/*
 * The kind of an event like "cpu_core/instructions/u", which is opened as a raw
 * event if sysfs defines it.
 */
static enum td_ratio_kind sysfs_kind(const char *name)
{
	const char *id = name ? strchr(name, '/') : NULL;
	size_t len;

	if (!id ||
	    (strncmp(name, "cpu/", 4) != 0 && strncmp(name, "cpu_", 4) != 0))
		return TD_KIND_OTHER;
	len = strcspn(++id, "/");
	for (size_t i = 0; i < TD_ARRAY_SIZE(sysfs_names); i++) {
		if (strlen(sysfs_names[i].name) == len &&
		    strncmp(sysfs_names[i].name, id, len) == 0)
			return sysfs_names[i].kind;
	}
	return TD_KIND_OTHER;
}

enum td_ratio_kind td_ratio_kind(const struct td_event *event)
{
	uint64_t config = own_config(event);

	/* Times have no rate; neither have SLOTS and its fields in perf. */
	if (event->tool != TD_TOOL_NONE || td_event_is_slots(event) ||
	    td_event_is_metric(event))
		return TD_KIND_NONE;
	for (size_t i = 0; i < TD_ARRAY_SIZE(encodings); i++) {
		if (encodings[i].type == event->type &&
		    encodings[i].config == config)
			return encodings[i].kind;
	}
	return sysfs_kind(event->name);
}

bool td_ratio_is_divisor(enum td_ratio_kind kind)
{
	switch (kind) {
	case TD_KIND_CLOCK:
	case TD_KIND_CYCLES:
	case TD_KIND_FRONTEND_STALLS:
	case TD_KIND_BACKEND_STALLS:
	case TD_KIND_BRANCHES:
	case TD_KIND_CACHE_REFS:
	case TD_KIND_L1D:
	case TD_KIND_L1I:
	case TD_KIND_LL:
	case TD_KIND_DTLB:
	case TD_KIND_ITLB:
		return true;
	default:
		return false;
	}
}

unsigned int td_ratio_excluded(const struct td_modifiers *mods)
{
	bool some = mods->user || mods->kernel || mods->hypervisor;

	return (some && !mods->user ? 1u : 0) |
	       (some && !mods->kernel ? 2u : 0) |
	       (some && !mods->hypervisor ? 4u : 0) |
	       (mods->guest && !mods->host ? 8u : 0) |
	       (mods->non_idle ? 16u : 0);
}

bool td_ratio_is_software(const struct td_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE ||
	       event->type == PERF_TYPE_TRACEPOINT;
}
