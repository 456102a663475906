/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_READ_H
#define TD_METRICS_FILES_READ_H

#include "metrics/files/pmu_events.h"

/*
 * Adds the metrics that all models have in common, which are in
 * <root>/common/metrics*.json, or where the kernel's tree has them, in
 * <root>/../common/common.  A metric whose name the model's own files define is
 * left out.  Without such a folder nothing is added.
 */
int td_common_read(struct td_pmu_events *out, const char *root,
		   struct td_err *err);

#endif
