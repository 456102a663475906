/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUID and the MSRs of Intel's architectural performance monitoring, 4 and 5. */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"

enum {
	MPERF = 0xe7,
	APERF = 0xe8,
	PERFCTR = 0xc1, /* general counters, written with 32 bits */
	PERFEVTSEL = 0x186,
	FIXED_CTR = 0x309,
	METRICS = 0x329,
	PERF_CAPABILITIES = 0x345,
	FIXED_CTR_CTRL = 0x38d,
	GLOBAL_STATUS = 0x38e,
	GLOBAL_CTRL = 0x38f,
	STATUS_RESET = 0x390,
	STATUS_SET = 0x391,
	FULL_PERFCTR = 0x4c1, /* the same counters, written whole */
	PPERF = 0x64e,
};

enum {
	EAX,
	EBX,
	ECX,
	EDX
};

/* What each kind of core counts is told in leaf 0x23; leaf 0xA is for all. */
static void leaf_a(uint32_t r[4])
{
	const struct tdemu_core *core = tdemu_settings()->leaf_a;
	uint32_t any_thread_deprecated = core->version >= 5 ? 1u << 15 : 0;

	r[EAX] = core->version | core->general << 8 | 48 << 16 | 8 << 24;
	r[EBX] = 0;
	r[ECX] = core->fixed_mask;
	r[EDX] = core->fixed | 48 << 5 | any_thread_deprecated;
}

static void leaf_23(const struct tdemu_core *core, uint32_t subleaf, uint32_t r[4])
{
	memset(r, 0, 4 * sizeof(*r));
	if (!tdemu_settings()->leaf_23)
		return;
	if (subleaf == 0) {
		r[EAX] = 3; /* subleaves 0 and 1 */
		r[EBX] = 3; /* umask2 and eq in event selects */
	} else if (subleaf == 1) {
		r[EAX] = core->general_23;
		r[EBX] = core->fixed_23;
	}
}

static void leaf_7(uint32_t subleaf, uint32_t r[4])
{
	const struct tdemu_settings *settings = tdemu_settings();

	if (subleaf == 0 && settings->hybrid)
		r[EDX] |= 1u << 15;
	if (subleaf == 0 && settings->leaf_23)
		r[EAX] = MAX(r[EAX], 1);
	if (subleaf == 1 && settings->leaf_23)
		r[EAX] |= 1u << 8; /* ARCH_PERFMON_EXT */
}

/* PERF_CAPABILITIES; for PEBS the DS area, of which there is no BTS. */
static void leaf_1(struct tdemu_pmu *pmu, uint32_t r[4])
{
	r[ECX] |= 1u << 15;
	if (!tdemu_settings()->pebs)
		return;
	r[ECX] |= 1u << 2;
	r[EDX] |= 1u << 21;
	pmu->env->msr_ia32_misc_enable |= 1u << 11;
}

void tdemu_intel_cpuid(struct tdemu_pmu *pmu, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	const struct tdemu_core *core = pmu->core;

	switch (leaf) {
	case 1:
		leaf_1(pmu, r);
		break;
	case 6:
		r[ECX] |= tdemu_settings()->power; /* APERF and MPERF */
		break;
	case 7:
		leaf_7(subleaf, r);
		break;
	case 0xa:
		leaf_a(r);
		break;
	case 0x1a:
		memset(r, 0, 4 * sizeof(*r));
		if (tdemu_settings()->hybrid || core->atom)
			r[EAX] = core->native_id;
		break;
	case 0x23:
		leaf_23(core, subleaf, r);
		break;
	}
}

/* PEBS: a trap, registers as the architecture has them, format 4, adaptive. */
#define PEBS_CAPABILITIES (1 << 6 | 1 << 7 | 4 << 8 | 1 << 14)

/* Full-width writes; PERF_METRICS, which a hybrid tells with leaf 0x23 only. */
static uint64_t capabilities(const struct tdemu_core *core)
{
	const struct tdemu_settings *settings = tdemu_settings();
	bool metrics = core->metrics && (!settings->hybrid || settings->leaf_23);

	return 1 << 13 | (metrics ? 1 << 15 : 0) | (settings->pebs ? PEBS_CAPABILITIES : 0) |
	       (settings->pebs_timing ? 1 << 17 : 0);
}

static struct tdemu_counter *counter_at(struct tdemu_pmu *pmu, uint32_t msr)
{
	if (msr >= PERFCTR && msr < PERFCTR + TDEMU_GENERAL)
		return &pmu->general[msr - PERFCTR];
	if (msr >= FULL_PERFCTR && msr < FULL_PERFCTR + TDEMU_GENERAL)
		return &pmu->general[msr - FULL_PERFCTR];
	if (msr >= FIXED_CTR && msr < FIXED_CTR + TDEMU_FIXED)
		return &pmu->fixed[msr - FIXED_CTR];
	return NULL;
}

/* Registers that are read as they were written. */
static uint64_t *register_at(struct tdemu_pmu *pmu, uint32_t msr)
{
	int extra = tdemu_extra_index(msr);

	if (msr >= PERFEVTSEL && msr < PERFEVTSEL + TDEMU_GENERAL)
		return &pmu->select[msr - PERFEVTSEL];
	if (msr == FIXED_CTR_CTRL)
		return &pmu->fixed_ctrl;
	if (msr == GLOBAL_CTRL)
		return &pmu->global_ctrl;
	return extra >= 0 ? &pmu->extra[extra] : NULL;
}

/* They count while the CPU is not halted.  A quarter of its cycles is of no use. */
static bool read_clock(const struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value)
{
	if (!tdemu_settings()->power)
		return false;
	if (msr == MPERF)
		*value = 2 * (uint64_t)pmu->at;
	else if (msr == APERF)
		*value = (uint64_t)pmu->actual;
	else if (msr == PPERF)
		*value = (uint64_t)(pmu->actual * 3 / 4);
	else
		return false;
	return true;
}

bool tdemu_intel_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value)
{
	struct tdemu_counter *counter = counter_at(pmu, msr);
	uint64_t *reg = register_at(pmu, msr);

	tdemu_advance(pmu);
	if (counter)
		*value = counter->value;
	else if (reg)
		*value = *reg;
	else if (msr == METRICS)
		*value = tdemu_metrics(pmu);
	else if (msr == GLOBAL_STATUS)
		*value = pmu->status;
	else if (msr == PERF_CAPABILITIES)
		*value = capabilities(pmu->core);
	else
		return read_clock(pmu, msr, value);
	return true;
}

/* Its bit in GLOBAL_STATUS and PEBS_ENABLE. */
static int bit_of(const struct tdemu_pmu *pmu, const struct tdemu_counter *counter)
{
	if (counter >= pmu->fixed && counter < pmu->fixed + TDEMU_FIXED)
		return 32 + (int)(counter - pmu->fixed);
	return (int)(counter - pmu->general);
}

static void write_counter(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value)
{
	struct tdemu_counter *counter = counter_at(pmu, msr);

	if (msr < FIXED_CTR)
		value = (uint64_t)(int32_t)value;
	counter->value = value & TDEMU_COUNTER_MASK;
	pmu->records &= ~(1ULL << bit_of(pmu, counter));
	if (counter == &pmu->fixed[3])
		tdemu_metrics_reset(pmu);
}

static bool write_other(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value)
{
	if (msr == STATUS_RESET) {
		pmu->status &= ~value;
		pmu->pending = pmu->pending && pmu->status;
	} else if (msr == STATUS_SET) {
		pmu->status |= value;
	} else if (msr == METRICS) {
		tdemu_metrics_write(pmu, value);
	} else {
		return false;
	}
	return true;
}

bool tdemu_intel_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value)
{
	uint64_t *reg = register_at(pmu, msr);

	tdemu_advance(pmu);
	if (counter_at(pmu, msr))
		write_counter(pmu, msr, value);
	else if (reg)
		*reg = value;
	else if (!write_other(pmu, msr, value))
		return false;
	if (counter_at(pmu, msr) || (reg && msr != GLOBAL_CTRL))
		pmu->stopped = 0;
	tdemu_changed(pmu);
	return true;
}

/* The counters of a kind that the core has; mask: as CPUID tells it, or 0. */
static bool has(uint32_t nr, uint32_t how_many, uint32_t mask)
{
	return nr < 32 && (mask ? mask >> nr & 1 : nr < how_many);
}

/* SDM volume 2, RDPMC: what the core does not have is a #GP. */
bool tdemu_intel_rdpmc(struct tdemu_pmu *pmu, uint32_t index, uint64_t *value)
{
	const struct tdemu_core *core = pmu->core;
	uint32_t nr = index & 0xffff;

	if (index & 1u << 29) {
		*value = core->metrics ? tdemu_metrics(pmu) : 0;
		return core->metrics;
	}
	if (index & 1u << 30) {
		uint32_t mask = core->fixed_23 ? core->fixed_23 : core->fixed_mask;

		*value = nr < TDEMU_FIXED ? pmu->fixed[nr].value : 0;
		return has(nr, core->fixed, mask);
	}
	*value = nr < TDEMU_GENERAL ? pmu->general[nr].value : 0;
	return has(nr, core->general, core->general_23);
}
