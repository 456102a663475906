/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Overflows of the processor's own buffer, which silicon has where its memory is
 * too slow for the packets, and the emulator where it is told to (TDEMU_PT_LOSSY):
 * blocks go by untold, then OVF says so.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "pt.h"

enum {
	LOST_BLOCKS = 300
};

void tdemu_pt_overflow(struct tdemu_pt *pt)
{
	uint64_t after = tdemu_settings()->pt_lossy;

	if (!after || pt->losing || pt->written < after)
		return;
	pt->losing = LOST_BLOCKS;
	pt->written = 0;
}

/* Nothing of what was before helps a decoder to read what follows. */
static void forget(struct tdemu_pt *pt)
{
	pt->nr_tnt = pt->tnt = 0;
	pt->depth = 0;
	pt->compressed = false;
}

void tdemu_pt_end_overflow(struct tdemu_pmu *pmu)
{
	static const uint8_t packet[] = { 0x02, 0xf3 };

	if (!pmu->pt.losing)
		return;
	pmu->pt.losing = 0;
	pmu->pt.enabled = false;
	forget(&pmu->pt);
	tdemu_pt_put_time(pmu);
	tdemu_pt_put(pmu, packet, sizeof(packet));
}

void tdemu_pt_lose(struct tdemu_pmu *pmu, uint64_t ip, bool traced)
{
	struct tdemu_pt *pt = &pmu->pt;

	if (pt->losing > 1) {
		pt->losing--;
		return;
	}
	tdemu_pt_end_overflow(pmu);
	if (!traced)
		return;
	tdemu_pt_put_mode(pmu);
	tdemu_pt_put_ip(pmu, TDEMU_PT_FUP, ip);
	pt->enabled = true;
}
