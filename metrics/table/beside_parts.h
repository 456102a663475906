/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_TABLE_BESIDE_PARTS_H
#define TD_METRICS_TABLE_BESIDE_PARTS_H

#include <math.h>

#include "lib/base/index.h"
#include "lib/count/aggregate.h"
#include "lib/count/report.h"
#include "lib/plan/plan.h"

/* What beside.c, beside_kind.c and beside_sorts.c share. */

/* What an event is, for perf's ratios. */
enum td_beside_kind {
	KIND_NONE, /* nothing is shown beside it */
	KIND_OTHER,
	KIND_CLOCK,
	KIND_CYCLES,
	KIND_INSTRUCTIONS,
	KIND_FRONTEND_STALLS,
	KIND_BACKEND_STALLS,
	KIND_BRANCHES,
	KIND_BRANCH_MISSES,
	KIND_CACHE_REFS,
	KIND_CACHE_MISSES,
	KIND_L1D,
	KIND_L1D_MISSES,
	KIND_L1I,
	KIND_L1I_MISSES,
	KIND_LL,
	KIND_LL_MISSES,
	KIND_DTLB,
	KIND_DTLB_MISSES,
	KIND_ITLB,
	KIND_ITLB_MISSES,
};

enum td_beside_kind td_beside_kind(const struct td_event *event);
/* Are others divided by it? */
bool td_beside_is_divisor(enum td_beside_kind kind);
/* What its modifiers leave out: the bits of perf_event_attr that they set. */
unsigned int td_beside_without(const struct td_modifiers *mods);

/* What is known of an event before anything is counted. */
struct td_beside_event {
	enum td_beside_kind kind;
	unsigned int without; /* what its modifiers leave out */
	bool grouped;         /* with others: counted at moments of its own */
	/* What of it others are divided by: anywhere, and in its group alone. */
	size_t sort, sort_in_group; /* NO_SORT: nothing is */
};

#define NO_SORT SIZE_MAX

/*
 * What an event may be divided by: of its own PMU, but for clocks, and of its
 * own group if it has one.  Different ones have different hashes: kinds take
 * 6 bits, what is left out takes 6, PMUs 20 and groups 32.
 */
static inline uint64_t td_beside_sort(enum td_beside_kind kind,
				      unsigned int without, int pmu, int group)
{
	uint64_t place = kind == KIND_CLOCK ? 0 : (uint64_t)pmu + 1;

	return td_hash((uint64_t)kind | (uint64_t)without << 6 | place << 12 |
		       (uint64_t)((int64_t)group + 1) << 32);
}

static inline bool td_beside_is_counted(const struct td_event *event,
					const struct td_total *total)
{
	return !event->hidden && !event->refusal && !isnan(total->value);
}

#endif
