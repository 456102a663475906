/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packets of Processor Trace that tell the time.  Cycles are those of the
 * virtual clock, times what the core's clock is set to, but for the time that the
 * CPU is halted; the crystal clock goes at 25 MHz, a part of the TSC's 2 GHz.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "pt.h"
#include "qemu/timer.h"

enum {
	TSC_OF_CTC = 80,
	MOST_SKIPPED = 128, /* a decoder knows 8 bits of the count */
};

static int64_t virtual_ns(void)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void put_ratio(struct tdemu_pmu *pmu)
{
	int ratio = (int)(10 * tdemu_ghz(pmu) + .5);
	uint8_t cbr[] = { 0x02, 0x03, (uint8_t)ratio, 0 };

	pmu->pt.ratio = ratio;
	tdemu_pt_put(pmu, cbr, sizeof(cbr));
}

/* Six bits of the count are in the first byte, seven in each that follows. */
static void put_cycles(struct tdemu_pmu *pmu, uint64_t count)
{
	uint8_t bytes[11] = { (uint8_t)(3 | (count & 31) << 3) };
	int nr = 1;

	count >>= 5;
	bytes[0] |= count ? 4 : 0;
	for (; count; count >>= 7, nr++)
		bytes[nr] = (uint8_t)((count & 127) << 1 | (count >> 7 != 0));
	tdemu_pt_put(pmu, bytes, nr);
}

static uint64_t threshold(const struct tdemu_pt *pt)
{
	int field = (int)(pt->ctl >> 19 & 15);

	return field ? 1ULL << (field - 1) : 1;
}

static void put_cycles_until(struct tdemu_pmu *pmu, int64_t now)
{
	struct tdemu_pt *pt = &pmu->pt;
	uint64_t whole;

	pt->cycles += (double)(now - pt->cycles_at) * tdemu_ghz(pmu);
	pt->cycles_at = now;
	if (!(pt->ctl & TDEMU_PT_CYC))
		return;
	whole = (uint64_t)pt->cycles;
	if (pt->cycles < 1 || whole < threshold(pt))
		return;
	pt->cycles -= (double)whole;
	put_cycles(pmu, whole);
}

/* Silicon has a packet for each of the periods that went by. */
static void put_periods(struct tdemu_pmu *pmu, int64_t now)
{
	struct tdemu_pt *pt = &pmu->pt;
	int shift = (int)(pt->ctl >> 14 & 15);
	uint64_t last = (uint64_t)now * 2 / TSC_OF_CTC >> shift;

	while (pt->ctc < last) {
		uint8_t mtc[] = { 0x59, 0 };

		pt->ctc += MIN(last - pt->ctc, MOST_SKIPPED);
		mtc[1] = (uint8_t)pt->ctc;
		put_cycles_until(pmu, (int64_t)((pt->ctc << shift) * TSC_OF_CTC / 2));
		tdemu_pt_put(pmu, mtc, sizeof(mtc));
	}
}

void tdemu_pt_put_time(struct tdemu_pmu *pmu)
{
	struct tdemu_pt *pt = &pmu->pt;
	int64_t now = virtual_ns();

	if (pt->ctl & TDEMU_PT_MTC)
		put_periods(pmu, now);
	put_cycles_until(pmu, now);
	if ((int)(10 * tdemu_ghz(pmu) + .5) != pt->ratio)
		put_ratio(pmu);
}

static void put_tsc(struct tdemu_pmu *pmu, uint64_t tsc)
{
	uint64_t packet = tsc << 8 | 0x19;

	tdemu_pt_put(pmu, &packet, sizeof(packet));
}

/* Where the crystal clock stands, and how far the TSC is beyond it. */
static void put_tma(struct tdemu_pmu *pmu, uint64_t tsc)
{
	uint64_t ctc = tsc / TSC_OF_CTC, beyond = tsc % TSC_OF_CTC;
	uint8_t tma[] = { 0x02, 0x73, (uint8_t)ctc, (uint8_t)(ctc >> 8), 0, (uint8_t)beyond, 0 };

	tdemu_pt_put(pmu, tma, sizeof(tma));
	pmu->pt.ctc = ctc >> (pmu->pt.ctl >> 14 & 15);
}

/*
 * Cycles begin where the first TSC is.  A later one is of the time that they were told
 * up to: the next count is of what comes behind it.
 */
void tdemu_pt_put_clock(struct tdemu_pmu *pmu)
{
	struct tdemu_pt *pt = &pmu->pt;
	int64_t now = pt->cycles_at;

	if (!now) {
		pt->cycles_at = now = virtual_ns();
		pt->cycles = 0;
	}
	if (pt->ctl & TDEMU_PT_TSC)
		put_tsc(pmu, (uint64_t)now * 2);
	if (pt->ctl & TDEMU_PT_TSC && pt->ctl & TDEMU_PT_MTC)
		put_tma(pmu, (uint64_t)now * 2);
	put_ratio(pmu);
}

/* perf takes a TSC for the time of a CYC if that is right before it. */
void tdemu_pt_put_clock_anew(struct tdemu_pmu *pmu)
{
	pmu->pt.cycles_at = 0;
	if (pmu->pt.ctl & TDEMU_PT_CYC)
		put_cycles(pmu, 0);
	tdemu_pt_put_clock(pmu);
}

/* Cycles stop while it is halted, or go at another speed from now on. */
void tdemu_pt_clock_changes(struct tdemu_pmu *pmu)
{
	if (!tdemu_pt_on(&pmu->pt))
		return;
	tdemu_pt_end_overflow(pmu);
	tdemu_pt_put_time(pmu);
}

void tdemu_pt_unhalt(struct tdemu_pmu *pmu)
{
	if (tdemu_pt_on(&pmu->pt))
		tdemu_pt_put_clock_anew(pmu);
}
