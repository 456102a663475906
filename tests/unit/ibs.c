// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contents of IBS registers: the records of perf-amd-ibs(1), and others built from the bits in the
 * PPR.
 */
#include "lib/sample/record.h"

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define LOAD        (1ULL << 0)
#define STORE       (1ULL << 1)
#define L1_TLB      (1ULL << 2)
#define MISS        (1ULL << 7)
#define LATENCY(nr) ((uint64_t)(nr) << 32)
#define REFILL(nr)  ((uint64_t)(nr) << 48)

static const struct {
	const char *name;
	uint64_t data3, wait;
} loads[] = {
	{ "no access", 0, 0 },
	{ "a load that hit", LOAD, 0 },
	{ "a load that missed", LOAD | MISS | LATENCY(300), 300 },
	{ "the longest", LOAD | MISS | LATENCY(65535), 65535 },
	{ "whose address missed, too", LOAD | MISS | L1_TLB | LATENCY(300) | REFILL(40), 340 },
	{ "only the address", LOAD | L1_TLB | REFILL(7) | LATENCY(5), 7 },
	{ "what is not valid", LOAD | LATENCY(300) | REFILL(40), 0 },
	/* its latency is not valid */
	{ "a store", STORE | MISS | LATENCY(300), 0 },
	{ "a load and a store", LOAD | STORE | MISS | LATENCY(20), 20 },
	/* StOp 1, DcMiss 1, DcMissLat 0: the manual's example */
	{ "perf's example", 0x31960092, 0 },
};

static const struct {
	const char *name;
	uint64_t ctl, wait;
} fetches[] = {
	/* Lat 18, IcMiss 1, FetchOcMiss 1 */
	{ "a miss", 0x101f0012f424f424, 18 },
	/* Lat 1, nothing missed */
	{ "a hit", 0x00170001f424f424, 0 },
	/* Lat 8, L1TlbMiss 1 */
	{ "whose address missed", 0x00970008f424f424, 8 },
	/* Lat 4, FetchOcMiss 1 */
	{ "a miss of the op cache alone", 0x10170004f424f424, 0 },
};

int main(void)
{
	/* OpCtl, OpRip, OpData, OpData2, OpData3, DcLinAd, DcPhysAd, BrTarget */
	uint64_t regs[8];

	for (size_t i = 0; i < TD_ARRAY_SIZE(loads); i++) {
		memset(regs, 0xff, sizeof(regs));
		regs[4] = loads[i].data3;
		ok(td_ibs_load_wait(regs, 8) == loads[i].wait, "%s", loads[i].name);
	}
	regs[4] = LOAD | MISS | LATENCY(300);
	ok(td_ibs_load_wait(regs, 5) == 300, "no more registers are needed");
	ok(td_ibs_load_wait(regs, 4) == 0, "with fewer it is not known");
	for (size_t i = 0; i < TD_ARRAY_SIZE(fetches); i++)
		ok(td_ibs_fetch_wait(&fetches[i].ctl, 1) == fetches[i].wait, "a fetch: %s",
		   fetches[i].name);
	ok(td_ibs_fetch_wait(NULL, 0) == 0, "without a register");
	return done_testing();
}
