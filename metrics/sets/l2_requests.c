// SPDX-License-Identifier: GPL-2.0-only
/* Group L2Requests: the requests to the L2 cache, by origin and outcome. */
#include "metrics/sets/set.h"

#include "lib/base/util.h"

/* clang-format off */

/*
 * L2_RQSTS, event 0x24, of Skylake and its descendants.  Its umask has
 * bits for the origin of a request and bits for its outcome; several bits of a
 * kind count all of these.
 *
 *	origin	0x01 demand read	0x02 RFO	0x04 code read
 *		0x08 and 0x10 prefetches, see below
 *	outcome	0x20 miss	0x40 hit in state E or S	0x80 hit in state M
 *
 * Intel's event lists name sums of them: DEMAND_DATA_RD_MISS is 0x21,
 * DEMAND_DATA_RD_HIT 0xc1, RFO_HIT 0xc2, CODE_RD_HIT 0xc4, REFERENCES 0xff.
 * They do not say which hit bit is which.  Their hits were 0x4n before they were
 * 0xcn, to add lines that were modified; and events that do name the states go
 * up from miss over S and E to M (Sandy Bridge's L2_L1D_WB_RQSTS).
 */
#define REQUEST(name_, umask, desc_)                                    \
	{ .name = (name_), .formula = "cpu@event\\=0x24\\,umask\\=" umask "@", \
	  .unit = "", .factor = 1, .groups = "L2Requests",       \
	  .desc = (desc_) }

#define REQUESTS(name, who, hit, hit_m, hit_es, miss)                          \
	REQUEST("l2_" name "_hit", hit, who " that hit the L2 cache, in any state"), \
	REQUEST("l2_" name "_hit_m", hit_m,                                    \
		who " that hit a modified line (state M) in the L2 cache"),    \
	REQUEST("l2_" name "_hit_es", hit_es,                                  \
		who " that hit a clean line (state E or S) in the L2 cache"),  \
	REQUEST("l2_" name "_miss", miss, who " that missed the L2 cache")

#define DEMAND                                                                 \
	REQUESTS("demand_read", "Demand data reads", "0xc1", "0x81", "0x41", "0x21"), \
	REQUESTS("rfo", "Reads for ownership (stores)", "0xc2", "0x82", "0x42", "0x22"), \
	REQUESTS("code", "Code reads", "0xc4", "0x84", "0x44", "0x24")

static const struct td_metric_def skylake_l2_metrics[] = {
	DEMAND,
	REQUESTS("l1_prefetch", "Prefetches of the L1 data cache", "0xc8", "0x88", "0x48", "0x28"),
	REQUESTS("l2_prefetch", "Prefetches of the L2 cache", "0xd0", "0x90", "0x50", "0x30"),
};

/* From Ice Lake on, Intel's event lists call 0x08 SWPF and 0x10 HWPF. */
static const struct td_metric_def later_l2_metrics[] = {
	DEMAND,
	REQUESTS("sw_prefetch", "Software prefetches", "0xc8", "0x88", "0x48", "0x28"),
	REQUESTS("hw_prefetch", "Hardware prefetches of the L1 and L2 caches", "0xd0", "0x90", "0x50", "0x30"),
};

static const struct td_metric_set
	skylake_l2 = { .metrics = skylake_l2_metrics,
		       .nr_metrics = TD_ARRAY_SIZE(skylake_l2_metrics) },
	later_l2 = { .metrics = later_l2_metrics,
		     .nr_metrics = TD_ARRAY_SIZE(later_l2_metrics) };

/* clang-format on */

const struct td_metric_set *td_l2_requests_find(enum td_uarch uarch)
{
	if (td_uarch_has(uarch, TD_CORE_FIELDS))
		return &later_l2;
	return uarch == TD_SKYLAKE ? &skylake_l2 : NULL;
}
