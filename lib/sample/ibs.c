// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/ibs.h"

/* Places in the record, which has them in the order of their numbers. */
enum {
	FETCH_CTL = 0,
	OP_DATA3 = 4, /* behind OpCtl, OpRip, OpData and OpData2 */
};

/* Of IbsOpData3. */
enum {
	LOAD = 0,
	LOAD_L1_TLB_MISS = 2,
	LOAD_MISS = 7,
	MISS_LATENCY = 32,   /* 16 bits */
	REFILL_LATENCY = 48, /* 16 bits, of the L1 TLB */
};

/* Of IbsFetchCtl. */
enum {
	FETCH_LATENCY = 32, /* 16 bits */
	FETCH_MISS = 51,
	FETCH_L1_TLB_MISS = 55,
};

static bool bit(uint64_t reg, int at)
{
	return reg >> at & 1;
}

static uint64_t latency(uint64_t reg, int at)
{
	return reg >> at & UINT16_MAX;
}

uint64_t td_ibs_load_wait(const uint64_t *regs, size_t nr)
{
	uint64_t data3 = nr > OP_DATA3 ? regs[OP_DATA3] : 0, wait = 0;

	if (!bit(data3, LOAD))
		return 0;
	if (bit(data3, LOAD_MISS))
		wait += latency(data3, MISS_LATENCY);
	if (bit(data3, LOAD_L1_TLB_MISS))
		wait += latency(data3, REFILL_LATENCY);
	return wait;
}

uint64_t td_ibs_fetch_wait(const uint64_t *regs, size_t nr)
{
	uint64_t ctl = nr > FETCH_CTL ? regs[FETCH_CTL] : 0;

	return bit(ctl, FETCH_MISS) || bit(ctl, FETCH_L1_TLB_MISS)
		       ? latency(ctl, FETCH_LATENCY)
		       : 0;
}
