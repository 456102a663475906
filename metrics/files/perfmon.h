/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_PERFMON_H
#define TD_METRICS_FILES_PERFMON_H

/*
 * The files of a checkout of intel/perfmon, brought into the form of the kernel
 * tree's: names as perf spells them, formulas as metrics/formula/expr.h reads them.
 */
#include "metrics/files/parts.h"

/* The processor's files but those of other units, by a map that was begun. */
int td_perfmon_read(struct td_pmu_events *out, const char *root,
		    struct td_map *map, struct td_err *err);
/* Those. */
int td_perfmon_read_uncore(struct td_pmu_events *out, const char *root,
			   struct td_map *map, struct td_err *err);

#endif
