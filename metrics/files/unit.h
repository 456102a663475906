/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_UNIT_H
#define TD_METRICS_FILES_UNIT_H

#include "lib/base/err.h"
#include "metrics/files/pmu_events.h"

/*
 * Where the file has no ScaleUnit: the unit that the metric's description or
 * name says, "1GB/s", if the formula bears it out.  Into metric->unit.
 */
int td_unit_from_words(struct td_model_metric *metric, struct td_err *err);

#endif
