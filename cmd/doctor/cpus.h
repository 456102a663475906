/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_CPUS_H
#define TD_CMD_DOCTOR_CPUS_H

#include <sched.h>

#include "lib/base/err.h"
#include "lib/machine/machine.h"

/* Where this thread may run; freed by CPU_FREE(3).  NULL: out of memory. */
cpu_set_t *td_cpus_home(void);
/* Lets it run there. */
int td_cpus_go_home(const cpu_set_t *home);
/* The last CPU of the PMU where it may run; -1: none. */
int td_cpus_choose(const struct td_pmu *pmu, const cpu_set_t *home);
/* The first and the last CPU where it may run now. */
int td_cpus_of_thread(int *first, int *last, struct td_err *err);
/* Lets the thread run on one CPU, or on those of the PMU at home, only. */
int td_stay_on(int cpu, struct td_err *err);
int td_stay_on_kind(const struct td_pmu *pmu, const cpu_set_t *home,
		    struct td_err *err);

#endif
