// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/doctor/parts.h"

#include <errno.h>
#include <string.h>

#include "lib/base/memory.h"

#define SET_SIZE CPU_ALLOC_SIZE(TD_MAX_CPU + 1)

cpu_set_t *td_affinity_get(void)
{
	cpu_set_t *cpus = td_need(CPU_ALLOC(TD_MAX_CPU + 1));

	CPU_ZERO_S(SET_SIZE, cpus);
	sched_getaffinity(0, SET_SIZE, cpus);
	return cpus;
}

int td_affinity_set(const cpu_set_t *cpus)
{
	return sched_setaffinity(0, SET_SIZE, cpus) ? -errno : 0;
}

int td_affinity_choose(const struct td_pmu *pmu, const cpu_set_t *cpus)
{
	for (size_t i = pmu->cpus.nr; i-- > 0;) {
		if (CPU_ISSET_S((size_t)pmu->cpus.v[i], SET_SIZE, cpus))
			return pmu->cpus.v[i];
	}
	return -1;
}

void td_affinity_range(int *first, int *last)
{
	cpu_set_t *cpus = td_affinity_get();

	*first = *last = -1;
	for (int cpu = 0; cpu <= TD_MAX_CPU; cpu++) {
		if (!CPU_ISSET_S((size_t)cpu, SET_SIZE, cpus))
			continue;
		*first = *first < 0 ? cpu : *first;
		*last = cpu;
	}
	CPU_FREE(cpus);
}

/* Run only on those of nr CPUs that are in the set; NULL: on all of them. */
static int stay(const int *cpus, size_t nr, const cpu_set_t *in, struct td_err *err)
{
	cpu_set_t *set = td_need(CPU_ALLOC(TD_MAX_CPU + 1));
	int rc;

	CPU_ZERO_S(SET_SIZE, set);
	for (size_t i = 0; i < nr; i++) {
		if (!in || CPU_ISSET_S((size_t)cpus[i], SET_SIZE, in))
			CPU_SET_S((size_t)cpus[i], SET_SIZE, set);
	}
	rc = td_affinity_set(set);
	CPU_FREE(set);
	return rc ? td_err_set(err, rc, "CPU %d: cannot run there: %s", nr ? cpus[0] : -1,
			       strerror(-rc))
		  : 0;
}

int td_stay_on(int cpu, struct td_err *err)
{
	return stay(&cpu, 1, NULL, err);
}

int td_stay_on_pmu(const struct td_pmu *pmu, const cpu_set_t *cpus, struct td_err *err)
{
	return stay(pmu->cpus.v, pmu->cpus.nr, cpus, err);
}
