/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What QEMU calls, handed on to the vendor's part. */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"

void tdemu_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu)
		return;
	if (pmu->core->amd)
		tdemu_amd_cpuid(pmu, leaf, r);
	else
		tdemu_intel_cpuid(pmu, leaf, subleaf, r);
	tdemu_lbr_cpuid(leaf, subleaf, r);
	tdemu_pt_cpuid(leaf, subleaf, r);
}

bool tdemu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu)
		return false;
	if (tdemu_rapl_rdmsr(env, msr, value) || tdemu_uncore_rdmsr(msr, value) ||
	    tdemu_units_rdmsr(env, msr, value) || tdemu_idle_rdmsr(env, msr, value) ||
	    tdemu_lbr_rdmsr(pmu, msr, value) || tdemu_pt_rdmsr(pmu, msr, value))
		return true;
	tdemu_hold_back(pmu);
	return pmu->core->amd ? tdemu_amd_rdmsr(pmu, msr, value)
			      : tdemu_intel_rdmsr(pmu, msr, value);
}

bool tdemu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu)
		return false;
	if (tdemu_uncore_wrmsr(msr, value) || tdemu_units_wrmsr(env, msr, value) ||
	    tdemu_lbr_wrmsr(pmu, msr, value) || tdemu_pt_wrmsr(pmu, msr, value))
		return true;
	tdemu_hold_back(pmu);
	return pmu->core->amd ? tdemu_amd_wrmsr(pmu, msr, value)
			      : tdemu_intel_wrmsr(pmu, msr, value);
}

bool tdemu_rdpmc(CPUX86State *env, uint32_t index, uint64_t *value)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu)
		return false;
	tdemu_hold_back(pmu);
	tdemu_advance(pmu);
	if (!pmu->core->amd)
		return tdemu_intel_rdpmc(pmu, index, value);
	*value = index < TDEMU_GENERAL ? pmu->general[index].value : 0;
	return true;
}
