// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/doctor/parts.h"

#include <errno.h>
#include <string.h>

#define SET_SIZE CPU_ALLOC_SIZE(TD_MAX_CPU + 1)

cpu_set_t *td_cpus_home(void)
{
	cpu_set_t *home = CPU_ALLOC(TD_MAX_CPU + 1);

	if (home && sched_getaffinity(0, SET_SIZE, home)) {
		CPU_FREE(home);
		home = NULL;
	}
	return home;
}

int td_cpus_go_home(const cpu_set_t *home)
{
	return sched_setaffinity(0, SET_SIZE, home) ? -errno : 0;
}

int td_cpus_choose(const struct td_pmu *pmu, const cpu_set_t *home)
{
	for (size_t i = pmu->cpus.nr; i-- > 0;) {
		if (CPU_ISSET_S((size_t)pmu->cpus.v[i], SET_SIZE, home))
			return pmu->cpus.v[i];
	}
	return -1;
}

int td_cpus_of_thread(int *first, int *last, struct td_err *err)
{
	cpu_set_t *set = td_cpus_home();

	if (!set)
		return td_err_nomem(err);
	*first = *last = -1;
	for (int cpu = 0; cpu <= TD_MAX_CPU; cpu++) {
		if (!CPU_ISSET_S((size_t)cpu, SET_SIZE, set))
			continue;
		*first = *first < 0 ? cpu : *first;
		*last = cpu;
	}
	CPU_FREE(set);
	return 0;
}

/* Those of the array that are at home, too; NULL: all. */
static int stay(const int *cpus, size_t nr, const cpu_set_t *home,
		struct td_err *err)
{
	cpu_set_t *set = CPU_ALLOC(TD_MAX_CPU + 1);
	int rc;

	if (!set)
		return td_err_nomem(err);
	CPU_ZERO_S(SET_SIZE, set);
	for (size_t i = 0; i < nr; i++) {
		if (!home || CPU_ISSET_S((size_t)cpus[i], SET_SIZE, home))
			CPU_SET_S((size_t)cpus[i], SET_SIZE, set);
	}
	rc = td_cpus_go_home(set);
	CPU_FREE(set);
	return rc ? td_err_set(err, rc, "CPU %d: cannot run there: %s",
			       nr ? cpus[0] : -1, strerror(-rc))
		  : 0;
}

int td_stay_on(int cpu, struct td_err *err)
{
	return stay(&cpu, 1, NULL, err);
}

int td_stay_on_kind(const struct td_pmu *pmu, const cpu_set_t *home,
		    struct td_err *err)
{
	return stay(pmu->cpus.v, pmu->cpus.nr, home, err);
}
