/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Architectural LBR in its call stack mode: the branches are the calls that have
 * not returned, the last one first.  In its other modes nothing is noted.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"

enum {
	CTL = 0x14ce,
	DEPTH = 0x14cf,
	INFO = 0x1200,
	FROM = 0x1500,
	TO = 0x1600,
};

/* Of CTL. */
enum {
	ON = 1 << 0,
	KERNEL = 1 << 1,
	USER = 1 << 2,
	CALL_STACK = 1 << 3,
};

bool tdemu_has_lbr(void)
{
	const struct tdemu_settings *settings = tdemu_settings();

	return settings->on && settings->lbr;
}

/* 32 of them with linear addresses; filters by privilege, branch and mode. */
void tdemu_lbr_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	if (!tdemu_settings()->lbr || subleaf)
		return;
	if (leaf == 7) {
		r[3] |= 1u << 19;
	} else if (leaf == 0x1c) {
		r[0] = 1u << 31 | 1u << 3;
		r[1] = 7;
		r[2] = r[3] = 0;
	}
}

static uint64_t *register_at(struct tdemu_pmu *pmu, uint32_t msr)
{
	static const uint32_t first[] = { FROM, TO, INFO };

	for (int i = 0; i < 3; i++) {
		if (msr >= first[i] && msr < first[i] + TDEMU_BRANCHES)
			return &pmu->branches[(pmu->newest + msr - first[i]) % TDEMU_BRANCHES][i];
	}
	return msr == CTL ? &pmu->lbr_ctl : NULL;
}

bool tdemu_lbr_rdmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t *value)
{
	const uint64_t *at = register_at(pmu, msr);

	if (!tdemu_settings()->lbr || (!at && msr != DEPTH))
		return false;
	*value = at ? *at : TDEMU_BRANCHES;
	return true;
}

bool tdemu_lbr_wrmsr(struct tdemu_pmu *pmu, uint32_t msr, uint64_t value)
{
	uint64_t *at = register_at(pmu, msr);

	if (!tdemu_settings()->lbr || (!at && msr != DEPTH))
		return false;
	if (at)
		*at = value;
	else
		memset(pmu->branches, 0, sizeof(pmu->branches));
	return true;
}

/* NULL: nothing is noted here. */
static struct tdemu_pmu *noting(CPUX86State *env)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);
	bool user = (env->hflags & HF_CPL_MASK) == 3;
	uint64_t wanted = ON | CALL_STACK | (user ? USER : KERNEL);

	return pmu && (pmu->lbr_ctl & wanted) == wanted ? pmu : NULL;
}

void tdemu_call(CPUX86State *env, uint64_t from, uint64_t to)
{
	struct tdemu_pmu *pmu = noting(env);

	if (!pmu)
		return;
	pmu->newest = (pmu->newest + TDEMU_BRANCHES - 1) % TDEMU_BRANCHES;
	pmu->branches[pmu->newest][0] = from;
	pmu->branches[pmu->newest][1] = to;
	pmu->branches[pmu->newest][2] = 0;
}

/* The oldest place is free then. */
void tdemu_return(CPUX86State *env)
{
	struct tdemu_pmu *pmu = noting(env);

	if (!pmu)
		return;
	memset(pmu->branches[pmu->newest], 0, sizeof(pmu->branches[0]));
	pmu->newest = (pmu->newest + 1) % TDEMU_BRANCHES;
}
