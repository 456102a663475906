/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_COUNTERS_PARTS_H
#define TD_METRICS_COUNTERS_PARTS_H

#include "metrics/counters/counters.h"

/* What tells a series from the others of its family; NULL: no such label. */
struct td_series_key {
	const char *pmu, *id, *parent, *name, *unit;
};

/* The series, made if it is new; NULL on error, or, with err->code 0, left out. */
struct td_series *td_series_find(struct td_counters *counters,
				 enum td_family_kind kind,
				 const struct td_series_key *key,
				 struct td_err *err);
/* Adds a part of a counter, or sets what is of one interval; not NaN. */
int td_series_put(struct td_counters *counters, enum td_family_kind kind,
		  const struct td_series_key *key, double value,
		  struct td_err *err);
/* As the family's index has it. */
uint64_t td_series_hash(const struct td_series *series);
/* Frees its labels. */
void td_series_free(struct td_series *series);
/* Of the series of rows, how many more there may be. */
size_t td_series_room(const struct td_counters *counters);

/* cgroups.c: is the cgroup with this name gone, or not counted any more? */
bool td_counters_is_gone(const struct td_counters *counters, const char *id);
/* Is it in another one that is counted, too? */
bool td_counters_is_nested(const struct td_counters *counters, const char *id);
/* Ends the series of cgroups that are gone.  Returns 0 or -ENOMEM. */
int td_counters_drop_gone(struct td_counters *counters);

#endif
