/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/counters: sums that only grow, for monitoring.
 *
 * In: the report of each interval.
 * Out: struct td_counters: slots, cycles, instructions and seconds since the start, by
 * PMU and by the id of rows, and the newest values of metrics that are no sums.
 *
 * The percentages of a level are of the row's slots, and become slots here: their
 * sums over time and over machines are weighted as they should be.
 */
#ifndef TD_METRICS_COUNTERS_COUNTERS_H
#define TD_METRICS_COUNTERS_COUNTERS_H

#include "lib/base/err.h"
#include "lib/base/index.h"
#include "lib/count/report.h"
#include "lib/target/cgroup.h"

/* In the order in which they are shown. */
enum td_family_kind {
	TD_FAMILY_SLOTS, /* of the intervals that have level 1 */
	TD_FAMILY_LEVEL_1,
	TD_FAMILY_L2_SLOTS, /* of those that have level 2 */
	TD_FAMILY_LEVEL_2,
	TD_FAMILY_CYCLES,
	TD_FAMILY_INSTRUCTIONS,
	TD_FAMILY_CPU_SECONDS,
	TD_FAMILY_COUNTED,
	TD_FAMILY_ENABLED,
	TD_FAMILY_MISSED,
	TD_FAMILY_CPUS,
	TD_FAMILY_CGROUPS,
	TD_FAMILY_NESTED,
	TD_FAMILY_SERIES,
	TD_FAMILY_LEFT_OUT,
	TD_FAMILY_LAST_READ,
	TD_FAMILY_RATIO,
	TD_FAMILY_VALUE,
	TD_FAMILY_COUNTED_RATIO,
};

#define TD_NR_FAMILIES (TD_FAMILY_COUNTED_RATIO + 1)

/* What all series of a family have in common. */
struct td_family_row {
	const char *name; /* of a counter without "_total" */
	const char *help;
	const char *unit;  /* with which the name ends, or NULL */
	const char *label; /* the name of the label td_series.name, or NULL */
	bool counter;      /* it never falls; else it is of one interval */
	int decimals;      /* -1: as many as the value has */
};

/* Labels are NULL if the series has none of that name.  All are owned. */
struct td_series {
	char *pmu;
	char *id; /* "5" of "CPU5", a cgroup */
	char *parent, *name, *unit;
	double value;
	double owed;       /* what corrections took back and is still to come */
	uint64_t interval; /* the number of the last one with a value */
};

struct td_family {
	struct td_series *v;
	size_t nr;
	struct td_index index;
};

/* Set the first seven; free with td_counters_free(). */
struct td_counters {
	/* labels of tdstat_info; borrowed */
	const char *version; /* of tdstat */
	const char *cpuid;   /* "GenuineIntel-6-97-2" */
	const char *model;   /* "Alder Lake"; "": not in the table */
	const char *files;   /* version of the metric files; NULL: none */
	const char *label;   /* of the ids of rows: "cpu"; NULL: none */
	size_t prefix;       /* length of what ids begin with: "CPU" */
	size_t max_series;
	uint64_t interval_ns;
	bool always_enabled; /* events are, as rows are of whole CPUs */
	/* rows are of these cgroups, which come and go; borrowed, NULL: none */
	const struct td_cgroups *cgroups;
	double read_s; /* since 1970: when the interval that is added ended */
	struct td_family families[TD_NR_FAMILIES];
	size_t nr_series;   /* of rows: those of max_series */
	size_t nr_own;      /* that say how the counting goes */
	size_t nr_left_out; /* of the last interval, as they would be too many */
	uint64_t intervals; /* that were added */
	/* of a row that is looked at before it is put: what it has, and lacks */
	bool probing;
	size_t nr_found, nr_lacking;
};

const struct td_family_row *td_family_row(enum td_family_kind kind);
/*
 * Adds an interval.  A level is added if all of it was counted, and left out
 * else.  A part that is negative, as corrections can make one, is taken off what
 * comes next, so no counter ever falls.  Of what would be more than max_series, a
 * row is left out whole.  Series of cgroups that are gone end.
 */
int td_counters_add(struct td_counters *counters,
		    const struct td_report *report, struct td_err *err);
/*
 * False for what is of one interval and has no value in the last, and for counters of
 * CPUs of which none was counted in it: they go on when one is there again.
 */
bool td_counters_has_value(const struct td_counters *counters,
			   enum td_family_kind kind,
			   const struct td_series *series);
void td_counters_free(struct td_counters *counters);

/* --- for add.c ------------------------------------------------------------ */

/* What tells a series from the others of its family; NULL: no such label. */
struct td_series_key {
	const char *pmu, *id, *parent, *name, *unit;
};

/* series.c: the series, made if it is new; NULL on error, or, with err->code 0, left out. */
struct td_series *td_series_find(struct td_counters *counters,
				 enum td_family_kind kind,
				 const struct td_series_key *key,
				 struct td_err *err);
/* Adds a part of a counter, or sets what is of one interval; not NaN. */
int td_series_put(struct td_counters *counters, enum td_family_kind kind,
		  const struct td_series_key *key, double value,
		  struct td_err *err);
/* Of the series of rows, how many more there may be. */
size_t td_series_room(const struct td_counters *counters);

/* Is the cgroup with this name gone, or not counted any more? */
bool td_counters_is_gone(const struct td_counters *counters, const char *id);
/* Is it in another one that is counted, too? */
bool td_counters_is_nested(const struct td_counters *counters, const char *id);
/* Ends the series of cgroups that are gone.  Returns 0 or -ENOMEM. */
int td_counters_drop_gone(struct td_counters *counters);

#endif
