/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/serve: counters for monitoring.
 *
 * In: the report of each interval.
 * Out: struct td_counters: slots, cycles, instructions and seconds since the start, per
 * PMU and id of rows, and the newest values of metrics that cannot be summed up.
 *
 * Percentages of a level become slots here, so that sums over time and over machines
 * have the right weights.
 */
#pragma once

#include <stdio.h>

#include "lib/count/report.h"
#include "lib/target/cgroup.h"

/* Families of series, in the order of the page. */
enum td_family_kind {
	TD_FAMILY_SLOTS, /* slots of intervals with level 1 */
	TD_FAMILY_LEVEL_1,
	TD_FAMILY_L2_SLOTS, /* slots of intervals with level 2 */
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

/* The name and properties of a family. */
struct td_family_row {
	const char *name; /* name, without the "_total" of counters */
	const char *help;
	const char *unit;  /* the unit at the end of the name, or NULL */
	const char *label; /* the name of the label td_series.name, or NULL */
	bool counter;      /* never falls; otherwise the value of one interval */
	int decimals;      /* -1: ten significant digits */
};

/* Set the first seven members; free with td_counters_free(). */
struct td_counters {
	/* labels of tdstat_info; borrowed */
	const char *version; /* tdstat's */
	char cpuid[48];      /* "GenuineIntel-6-97-2" */
	const char *model;   /* "Alder Lake"; "": unknown */
	const char *files;   /* version of the metric files; NULL: none */
	const char *label;   /* name of the label with a row's id: "cpu"; NULL: none */
	size_t prefix;       /* length of the prefix of ids, "CPU" */
	size_t max_series;
	uint64_t interval_ns;
	bool always_enabled; /* rows are whole CPUs, whose events are always enabled */
	/* cgroups of the rows, which come and go; borrowed, NULL: none */
	const struct td_cgroups *cgroups;
	double read_s; /* end of the interval that is being added, in s since 1970 */
	struct td_family {
		struct td_series *v;
		size_t nr;
		struct td_index index;
	} families[TD_NR_FAMILIES];
	size_t nr_series;   /* series of rows, which max_series limits */
	size_t nr_own;      /* series about the counting itself */
	size_t nr_left_out; /* series of the last interval beyond max_series */
	bool reported_left_out;
	uint64_t intervals; /* number of intervals added */
	/* while probing, a row only counts existing and new series */
	bool probing;
	size_t nr_found, nr_lacking;
};

const struct td_family_row *td_family_row(enum td_family_kind kind);
/*
 * Add an interval.  A level is added only if all of it was counted.  A correction can make a node
 * negative; it is then subtracted from later values, so that no counter ever falls.  A row that
 * would exceed max_series is left out entirely.  Series of removed cgroups end.
 */
void td_counters_add(struct td_counters *counters, const struct td_report *report);
void td_counters_free(struct td_counters *counters);

/* Formats that Prometheus reads. */
enum td_exposition {
	TD_EXPOSE_OPENMETRICS, /* OpenMetrics 1.0 */
	TD_EXPOSE_TEXT,        /* Prometheus's text format 0.0.4 */
};

#define TD_NR_EXPOSITIONS (TD_EXPOSE_TEXT + 1)

/* Write all counters as text. */
void td_out_openmetrics(FILE *fp, enum td_exposition how, const struct td_counters *counters);
/* Return the content type for the HTTP header. */
const char *td_out_openmetrics_type(enum td_exposition how);
