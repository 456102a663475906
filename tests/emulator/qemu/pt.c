/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Intel Processor Trace: what CPUID tells of it, its MSRs. */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "pt.h"

enum {
	PLATFORM_INFO = 0xce,
	OUTPUT_BASE = 0x560,
	OUTPUT_MASK = 0x561,
	CTL = 0x570,
	STATUS = 0x571,
	CR3_MATCH = 0x572,
	RANGES = 0x580,
};

/* CR3 and IP filters, cycles, MTC; ToPA of many entries; two ranges. */
enum {
	ABILITIES = 0xf,
	OUTPUTS = 3,
	MTC_PERIODS = 0x249,
	THRESHOLDS = 0x3f,
	PSB_PERIODS = 0x3f,
};

#define CTL_BITS    0x000000ff0f7bef8fULL
#define STATUS_BITS 0x0001ffff00000037ULL

void tdemu_pt_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	if (!tdemu_settings()->pt)
		return;
	if (leaf == 7 && !subleaf) {
		r[1] |= 1u << 25;
	} else if (leaf == 0x14 && subleaf < 2) {
		r[0] = subleaf ? MTC_PERIODS << 16 | TDEMU_PT_RANGES : 1;
		r[1] = subleaf ? PSB_PERIODS << 16 | THRESHOLDS : ABILITIES;
		r[2] = subleaf ? 0 : OUTPUTS;
		r[3] = 0;
	} else if (leaf == 0x15) {
		r[0] = 1; /* a TSC of 80 times the crystal's 25 MHz */
		r[1] = 80;
		r[2] = 25000000;
		r[3] = 0;
	}
}

bool tdemu_pt_on(const struct tdemu_pt *pt)
{
	return pt->ctl & TDEMU_PT_ON && !(pt->status & (TDEMU_PT_STOPPED | TDEMU_PT_ERROR));
}

bool tdemu_pt_in_context(struct tdemu_pmu *pmu)
{
	const struct tdemu_pt *pt = &pmu->pt;
	bool user = (pmu->env->hflags & HF_CPL_MASK) == 3;

	return pt->ctl & (user ? TDEMU_PT_USER : TDEMU_PT_KERNEL) &&
	       (!(pt->ctl & TDEMU_PT_CR3_FILTER) || pmu->env->cr[3] >> 5 == pt->cr3 >> 5);
}

void tdemu_pt_changed(struct tdemu_pmu *pmu)
{
	const struct tdemu_pt *pt = &pmu->pt;
	uint8_t modes = (pt->ctl & TDEMU_PT_KERNEL ? 7 : 0) | (pt->ctl & TDEMU_PT_USER ? 8 : 0);

	pmu->env->tdemu_traced = tdemu_pt_on(pt) ? modes : 0;
}

static uint64_t *register_at(struct tdemu_pt *pt, uint32_t msr)
{
	switch (msr) {
	case OUTPUT_BASE:
		return &pt->output_base;
	case OUTPUT_MASK:
		return &pt->output_mask;
	case CTL:
		return &pt->ctl;
	case STATUS:
		return &pt->status;
	case CR3_MATCH:
		return &pt->cr3;
	}
	if (msr >= RANGES && msr < RANGES + 2 * TDEMU_PT_RANGES)
		return &pt->ranges[(msr - RANGES) / 2][(msr - RANGES) % 2];
	return NULL;
}

/* The bits that tell what is now. */
static uint64_t enables(struct tdemu_pmu *pmu)
{
	if (!tdemu_pt_on(&pmu->pt))
		return 0;
	return TDEMU_PT_TRIGGERED | (tdemu_pt_in_context(pmu) ? TDEMU_PT_IN_CONTEXT : 0) |
	       (pmu->pt.enabled ? TDEMU_PT_FILTERED : 0);
}

bool tdemu_pt_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value)
{
	const uint64_t *at = register_at(&pmu->pt, msr);

	if (!tdemu_settings()->pt || (!at && msr != PLATFORM_INFO))
		return false;
	*value = at ? *at : 20 << 8; /* a TSC of 20 times 100 MHz */
	if (msr == STATUS)
		*value |= enables(pmu);
	return true;
}

static void begin(struct tdemu_pmu *pmu)
{
	struct tdemu_pt *pt = &pmu->pt;

	pt->compressed = false;
	pt->mode = TDEMU_PT_MODE_UNKNOWN;
	pt->cr3_told = UINT64_MAX;
	pt->enabled = false;
	pt->nr_tnt = pt->tnt = 0;
	pt->cycles_at = 0;
	pmu->env->tdemu_branch = TDEMU_LINEAR;
	if (pt->status >> 32)
		tdemu_pt_put_clock_anew(pmu);
	else
		tdemu_pt_put_psb(pmu, 0);
}

/* What is not written yet is, before tracing ends. */
static void write_ctl(struct tdemu_pmu *pmu, uint64_t value)
{
	struct tdemu_pt *pt = &pmu->pt;
	bool was_on = tdemu_pt_on(pt);

	if (was_on && !(value & TDEMU_PT_ON)) {
		tdemu_pt_end_overflow(pmu);
		tdemu_pt_leave(pmu);
		tdemu_pt_flush(pmu);
	}
	pt->ctl = value;
	if (!was_on && tdemu_pt_on(pt))
		begin(pmu);
	tdemu_pt_changed(pmu);
}

/* While tracing is on, its other registers may not be written. */
bool tdemu_pt_refuses(CPUX86State *env, uint32_t msr, uint64_t value)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu || !tdemu_settings()->pt || !register_at(&pmu->pt, msr))
		return false;
	if (msr == CTL)
		return value & ~CTL_BITS || (value & TDEMU_PT_ON && !(value & TDEMU_PT_TOPA)) ||
		       (pmu->pt.ctl & value & TDEMU_PT_ON && pmu->pt.ctl != value);
	if (msr == STATUS && value & ~STATUS_BITS)
		return true;
	return pmu->pt.ctl & TDEMU_PT_ON;
}

bool tdemu_pt_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value)
{
	uint64_t *at = register_at(&pmu->pt, msr);

	if (!tdemu_settings()->pt || !at)
		return false;
	if (msr == CTL)
		write_ctl(pmu, value);
	else if (msr == STATUS)
		*at = value & (STATUS_BITS & ~7ULL);
	else
		*at = value;
	return true;
}
