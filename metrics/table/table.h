/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/table: makes the table of events from counts.
 *
 * In: a plan of events, and the totals of one interval.
 * Out: struct td_event_report, with a row for each event and its ratios, and the
 * standard errors over several runs.
 */
#pragma once

#include "lib/count/aggregator.h"
#include "lib/count/latencies.h"
#include "lib/count/report.h"
#include "lib/count/totals_sum.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/* --- ratios.c ------------------------------------------------------------- */

/* The divisors of ratios: found once per plan, and counted for all ids of an interval. */
struct td_ratios {
	const struct td_plan *plan; /* borrowed, like totals */
	struct td_ratio_event *events;
	/* finds the numbers of divisors by kind of event, PMU, modifiers and group */
	struct td_index divisors;
	size_t nr_divisors;
	const struct td_total *totals; /* [id][event] */
	/* [id][divisor]: the first such event that was counted, or -1 */
	int *firsts;
};

void td_ratios_build(struct td_ratios *ratios, const struct td_plan *plan);
/* Find the divisors in the totals of an interval. */
void td_ratios_count(struct td_ratios *ratios, const struct td_total *totals, size_t nr_ids);
void td_ratios_free(struct td_ratios *ratios);
/*
 * Set row->ratios to the ratios that perf stat prints next to an event's count
 * (tools/perf/util/stat-shadow.c of Linux 6.12): insn per cycle, GHz, CPUs utilized, a share
 * of another event, a rate per second.  elapsed_ns is the duration of the interval.  Events
 * are recognized by type and config, not by name, and are divided only by events of the same
 * id, PMU and modifiers.  An event that was not counted has no ratio.
 */
void td_ratios_fill(const struct td_ratios *ratios, size_t id, int event, uint64_t elapsed_ns,
		    struct td_event_row *row);

/* Table of --metric-only with events: ratios without the counts, as a report of metrics. */
struct td_ratio_table {
	const struct td_machine *machine;
	bool merge;                /* all core types in one row */
	struct td_column *columns; /* the same columns for each interval */
	uint64_t *pmus;        /* for each column, bits of the PMUs whose rows have it: row_pmu() */
	struct td_node *nodes; /* one for each column, outside of any tree */
	size_t nr;
	struct td_index names; /* finds columns by name */
	uint64_t all_pmus;     /* bits of the PMUs that have columns */
};

/* Returns -ENODATA if the events have no ratios.  Call td_ratio_table_free() either way. */
int td_ratio_table_build(struct td_ratio_table *table, const struct td_plan *plan,
			 const struct td_machine *machine, bool merge, struct td_err *err);
/*
 * Fill a report with a row for each id and core type; events of no core are in a row "all".
 * It borrows from table and events; free it with td_report_free().
 */
void td_ratio_table_fill(const struct td_ratio_table *table, const struct td_event_report *events,
			 struct td_report *report);
void td_ratio_table_free(struct td_ratio_table *table);

/* --- rows.c --------------------------------------------------------------- */

/*
 * The event table.  Set the first two members and zero the others.  The first interval
 * prepares the data that all share; memory is reused.
 */
struct td_event_table {
	const struct td_plan *plan; /* borrowed */
	bool hybrid;                /* events on several core types are one row */
	struct td_event_report report;

	size_t nr_events, nr_refused; /* in the plan when the data were prepared */
	struct td_specs specs;
	struct td_ratios ratios;
	size_t nr_pmus;
	bool *left_out; /* for each event: it has no row of its own */
	char **names;   /* for each event: the name of its sum, or NULL */

	/* counts of the interval */
	const struct td_totals *totals;
	const struct td_times *times;
	bool each;                      /* rows are sorted by cgroup */
	size_t first, last;             /* ids of the current block of rows; last is not included */
	bool *anywhere;                 /* for each event: it belongs to some id */
	struct td_total *sums;          /* [id][event]: sums over core types */
	struct td_ratios merged_ratios; /* of sums */
	bool *elsewhere;                /* [id][event]: the tasks ran on other core types */
	bool *looked_at;                /* [id][PMU]: some event of the PMU was opened */
};

/* Also call this before another plan is used, such as the plan of the next run. */
void td_event_table_free(struct td_event_table *table);

/*
 * Fill table->report: a row for each typed event and each id.  Rows are sorted by event, in the
 * order of the command line; with totals->by_id by id; or, if every event is counted in every
 * cgroup, by cgroup.  An event that the kernel refused is "not supported", but is left out if
 * another PMU has an event with its name.  The report borrows from table, its plan and totals.
 */
void td_event_rows(struct td_event_table *table, const struct td_totals *totals,
		   const struct td_times *times);
/*
 * Set sampled events (modifier R) to the mean of their retire latencies, in whole cycles as
 * in perf, or to no value if there were too few samples.
 */
void td_event_rows_set_latencies(struct td_event_report *report, const struct td_plan *plan,
				 const struct td_latencies *latencies);

/*
 * Sort the nodes of each row by value, largest first and those without a value last, and sum
 * the values.  No node may be a descendant of another.
 */
void td_report_rank(struct td_report *report);

/* --- values of several runs ------------------------------------------------- */

/* Values of several runs; zero it before the first run. */
struct td_spreads {
	/* Mean and variance of one value over the runs of -r (Welford's method). */
	struct td_spread {
		char *key; /* id, PMU and column; or id, cgroup and event */
		unsigned int nr;
		double mean, m2, least, most;
		double systematic; /* sum of the runs' systematic_error */
		bool paused;       /* the node was paused at times in some run */
	} * v;
	size_t nr;
	size_t next;           /* where the next key is expected */
	struct td_index index; /* finds keys */
};

void td_spread_add(struct td_spread *spread, double value);
/*
 * Return the standard error of the mean, sd / sqrt(n), as in perf stat's "+-" (stddev_stats()
 * in tools/perf/util/stat.c); NaN for fewer than two values.
 */
double td_spread_error(const struct td_spread *spread);

/* Add the values of a run, except those that were not counted. */
void td_spreads_add_report(struct td_spreads *spreads, const struct td_report *report);
void td_spreads_add_events(struct td_spreads *spreads, const struct td_event_report *report);
/*
 * Set the errors in a report of means.  Events get the standard error, as in perf stat.  Metrics
 * also get half of the 95 % confidence interval, with one degree of freedom less than runs with a
 * value.  Rounding is the same in similar runs, so their variation does not include it.  Rows of
 * metrics also get the minimum and maximum share of the slots.
 */
void td_spreads_fill_report(struct td_spreads *spreads, struct td_report *report);
void td_spreads_fill_events(struct td_spreads *spreads, struct td_event_report *report);
/*
 * Set values, [row][column], to the means of nodes that were not measured all the time in some run,
 * else NaN: sums over all runs do not have them (td_paused_find()).  Returns true if there are any.
 */
bool td_spreads_find_paused(struct td_spreads *spreads, const struct td_report *report,
			    double *values);
void td_spreads_free(struct td_spreads *spreads);
