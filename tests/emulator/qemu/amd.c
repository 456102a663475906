/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUID and the MSRs of AMD's PerfMonV2. */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"

enum {
	COUNTERS = 6,
	PERF_CTL = 0xc0010200, /* a select, a counter, and so on */
	GLOBAL_STATUS = 0xc0000300,
	GLOBAL_CTL,
	STATUS_CLEAR,
	STATUS_SET,
};

/* Bits of a select. */
#define GUEST_ONLY (1ULL << 40)
#define HOST_ONLY  (1ULL << 41)

enum {
	EAX,
	EBX,
	ECX,
	EDX
};

bool tdemu_amd_counts(const struct tdemu_pmu *pmu, uint64_t select)
{
	uint64_t where = select & (GUEST_ONLY | HOST_ONLY);

	return !where || where & (pmu->guest ? GUEST_ONLY : HOST_ONLY);
}

void tdemu_guest(CPUX86State *env, bool runs)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu || pmu->guest == runs)
		return;
	tdemu_advance(pmu);
	pmu->guest = runs;
	tdemu_changed(pmu);
}

void tdemu_amd_cpuid(const struct tdemu_pmu *pmu, uint32_t leaf, uint32_t r[4])
{
	tdemu_ibs_cpuid(pmu, leaf, r);
	if (leaf != 0x80000022)
		return;
	r[EAX] = 1; /* PerfMonV2 */
	r[EBX] = COUNTERS;
	r[ECX] = r[EDX] = 0;
}

static bool is_pair(uint32_t msr)
{
	return msr >= PERF_CTL && msr < PERF_CTL + 2 * COUNTERS;
}

bool tdemu_amd_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value)
{
	uint32_t nr = (msr - PERF_CTL) / 2;

	if (tdemu_ibs_rdmsr(pmu, msr, value))
		return true;
	tdemu_advance(pmu);
	if (is_pair(msr))
		*value = msr & 1 ? pmu->general[nr].value : pmu->select[nr];
	else if (msr == GLOBAL_STATUS)
		*value = pmu->status;
	else if (msr == GLOBAL_CTL)
		*value = pmu->global_ctrl;
	else
		return false;
	return true;
}

static void write_pair(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value)
{
	uint32_t nr = (msr - PERF_CTL) / 2;

	if (msr & 1)
		pmu->general[nr].value = value & TDEMU_COUNTER_MASK;
	else
		pmu->select[nr] = value;
}

bool tdemu_amd_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value)
{
	if (tdemu_ibs_wrmsr(pmu, msr, value))
		return true;
	tdemu_advance(pmu);
	if (is_pair(msr)) {
		write_pair(pmu, msr, value);
		pmu->stopped = 0;
	} else if (msr == GLOBAL_CTL) {
		pmu->global_ctrl = value;
	} else if (msr == STATUS_CLEAR) {
		pmu->status &= ~value;
		pmu->pending = pmu->pending && pmu->status;
	} else if (msr == STATUS_SET) {
		pmu->status |= value;
	} else {
		return false;
	}
	tdemu_changed(pmu);
	return true;
}
