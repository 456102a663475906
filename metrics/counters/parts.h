/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_COUNTERS_PARTS_H
#define TD_METRICS_COUNTERS_PARTS_H

#include "metrics/counters/counters.h"

/* What tells a series from the others of its family; NULL: no such label. */
struct td_series_key {
	const char *pmu, *id, *parent, *name, *unit;
};

/* The series, made if it is new; NULL on error. */
struct td_series *td_series_find(struct td_counters *counters,
				 enum td_family_kind kind,
				 const struct td_series_key *key,
				 struct td_err *err);
/* Adds a part of a counter, or sets what is of one interval; not NaN. */
int td_series_put(struct td_counters *counters, enum td_family_kind kind,
		  const struct td_series_key *key, double value,
		  struct td_err *err);

#endif
