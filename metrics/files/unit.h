/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_UNIT_H
#define TD_METRICS_FILES_UNIT_H

#include "lib/base/err.h"
#include "metrics/files/pmu_events.h"

/*
 * Sets metric->unit, if the file has no ScaleUnit, to the unit that the
 * description or name tells ("1GB/s"), provided the formula agrees.
 */
int td_unit_from_words(struct td_model_metric *metric, struct td_err *err);

#endif
