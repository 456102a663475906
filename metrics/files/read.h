/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_READ_H
#define TD_METRICS_FILES_READ_H

#include "metrics/files/pmu_events.h"

#endif
