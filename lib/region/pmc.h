/* SPDX-License-Identifier: MIT */
/* Reads the counters of a group in user space, by RDPMC. */
#ifndef TD_REGION_PMC_H
#define TD_REGION_PMC_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "lib/region/spec.h"

/* One PMU's group. */
struct td_group_counters {
	int fds[TD_REGION_VALUES];
	struct perf_event_mmap_page *pages[TD_REGION_VALUES];
	size_t nr_pages;    /* up to the last one that is not NULL */
	uint32_t lock;      /* of all pages, at the last read() */
	uint64_t slots_now; /* what SLOTS held at the last look */
	uint64_t enabled_ns, running_ns;
	uint64_t id; /* the kernel's; 0: it is not open */
};

struct td_thread_counters {
	const struct td_group_spec *spec;
	struct td_group_counters groups[TD_REGION_GROUPS];
	uint64_t totals[TD_REGION_VALUES]; /* at the last look */
	/*
	 * When the kernel last set PERF_METRICS to 0, as it does at each read():
	 * the totals, and what the kernel's own counts were.
	 */
	uint64_t before[TD_REGION_VALUES];
	uint64_t counts[TD_REGION_VALUES];
	/* of other events, what is no part of the totals */
	uint64_t skipped[TD_REGION_VALUES];
	uint64_t waited_ns; /* at the last read(): since then it had a CPU */
	bool rdpmc;
	bool user_only; /* as the kernel may not be counted */
};

/* What a look at a group came to. */
enum td_look {
	TD_LOOKED,    /* its totals are those of now */
	TD_ASLEEP,    /* it does not count; its totals may be old */
	TD_DISTURBED, /* only read() can tell */
};

/* Every event of the group that is no field must have its page. */
enum td_look td_pmc_look(struct td_thread_counters *counters, size_t g);
/*
 * Changes whenever the kernel begins or stops to count the group, or counts one of its
 * events elsewhere.
 */
uint32_t td_pmc_lock(const struct td_group_counters *group);

#endif
