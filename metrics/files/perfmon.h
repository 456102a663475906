/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_PERFMON_H
#define TD_METRICS_FILES_PERFMON_H

/*
 * Reads a checkout of intel/perfmon into the kernel tree's form: names as perf
 * spells them, formulas as metrics/formula/expr.h reads them.
 */
#include "metrics/files/parts.h"

/*
 * Reads the files of the processor's cores; map was begun with td_map_begin().
 */
int td_perfmon_read(struct td_pmu_events *out, const char *root,
		    struct td_map *map, struct td_err *err);
/* Reads the files of the uncore units. */
int td_perfmon_read_uncore(struct td_pmu_events *out, const char *root,
			   struct td_map *map, struct td_err *err);

#endif
