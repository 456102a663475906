/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_TRACE_PMU_H
#define TD_LIB_SAMPLE_TRACE_PMU_H

#include "lib/machine/pmu.h"
#include "lib/sample/trace.h"

/* The PMU intel_pt, as sysfs describes it. */

/*
 * -ENODEV if the machine has none that can trace a function and its
 * time.  Free the PMU even then.
 */
int td_trace_pmu_read(const struct td_sysfs *fs, const struct td_ints *online,
		      struct td_pmu *pmu, struct td_err *err);
/* perf_event_attr.config for that, and what is to be known of the times in traces. */
int td_trace_pmu_config(const struct td_sysfs *fs, const struct td_pmu *pmu,
			uint64_t *config, struct td_trace *trace,
			struct td_err *err);

#endif
