/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/table: makes the table of events from counts.
 *
 * In: a plan of events that were typed, and the totals of one interval.
 * Out: struct td_event_report, with a row for each event and its ratios;
 * and the standard errors over several runs.
 */
#ifndef TD_METRICS_TABLE_TABLE_H
#define TD_METRICS_TABLE_TABLE_H

#include <math.h>

#include "lib/base/index.h"
#include "lib/count/aggregator.h"
#include "lib/count/latencies.h"
#include "lib/count/report.h"
#include "lib/count/totals_sum.h"
#include "lib/machine/machine.h"
#include "lib/plan/plan.h"

/* --- ratios.c ------------------------------------------------------------- */

/*
 * The divisors of ratios: known once for a plan, and counted for all ids of an
 * interval.  Free with td_ratios_free().
 */
struct td_ratios {
	const struct td_plan *plan; /* borrowed, like totals */
	struct td_ratio_event *events;
	/*
	 * The number of each divisor: a kind of event, with its PMU, modifiers
	 * and group.
	 */
	struct td_index divisors;
	size_t nr_divisors;
	const struct td_total *totals; /* [id][event] */
	/* [id][divisor]: the first such event that was counted, or -1 */
	int *firsts;
};

/* Returns 0 or -ENOMEM; free it even then. */
int td_ratios_build(struct td_ratios *ratios, const struct td_plan *plan);
/* Finds the divisors in the totals of an interval.  Returns 0 or -ENOMEM. */
int td_ratios_count(struct td_ratios *ratios, const struct td_total *totals,
		    size_t nr_ids);
void td_ratios_free(struct td_ratios *ratios);
/*
 * Computes the ratios that perf stat prints next to an event's count
 * (tools/perf/util/stat-shadow.c of Linux 6.12): insn per cycle, GHz, CPUs
 * utilized, a share of another event, a rate per second.  elapsed_ns: of the
 * same interval.  Events are recognized by type and config, not by name, and
 * are divided only by events of the same id, PMU and modifiers.  An event that
 * was not counted has no ratio.  Sets row->ratios.
 */
void td_ratios_fill(const struct td_ratios *ratios, size_t id, int event,
		    uint64_t elapsed_ns, struct td_event_row *row);

/* --- what ratio_table.c shares -------------------------------------------- */

/* The kinds of events that perf's ratios distinguish. */
enum td_ratio_kind {
	TD_KIND_NONE, /* has no ratio */
	TD_KIND_OTHER,
	TD_KIND_CLOCK,
	TD_KIND_CYCLES,
	TD_KIND_INSTRUCTIONS,
	TD_KIND_FRONTEND_STALLS,
	TD_KIND_BACKEND_STALLS,
	TD_KIND_BRANCHES,
	TD_KIND_BRANCH_MISSES,
	TD_KIND_CACHE_REFS,
	TD_KIND_CACHE_MISSES,
	TD_KIND_L1D,
	TD_KIND_L1D_MISSES,
	TD_KIND_L1I,
	TD_KIND_L1I_MISSES,
	TD_KIND_LL,
	TD_KIND_LL_MISSES,
	TD_KIND_DTLB,
	TD_KIND_DTLB_MISSES,
	TD_KIND_ITLB,
	TD_KIND_ITLB_MISSES,
};

enum td_ratio_kind td_ratio_kind(const struct td_event *event);
/* Are events divided by events of this kind? */
bool td_ratio_is_divisor(enum td_ratio_kind kind);
/* What the modifiers exclude, as bits: user, kernel, hypervisor, host, idle. */
unsigned int td_ratio_excluded(const struct td_modifiers *mods);

/* Software events can be in a group of any PMU. */
bool td_ratio_is_software(const struct td_event *event);

/* What is known of an event before counting. */
struct td_ratio_event {
	enum td_ratio_kind kind;
	unsigned int excluded; /* see td_ratio_excluded() */
	/* with others: it runs at other times than events outside */
	bool grouped;
	/* The numbers as a divisor: for all events, and for its group alone. */
	size_t divisor, divisor_in_group; /* TD_NO_DIVISOR: it is none */
};

#define TD_NO_DIVISOR SIZE_MAX

/*
 * The key of a divisor: its kind, what modifiers exclude, its PMU (not for
 * clocks), and the group if the event has one.  Different divisors have
 * different keys: kinds take 6 bits, excluded modes 6, PMUs 20 and groups 32.
 */
static inline uint64_t td_ratio_divisor_key(enum td_ratio_kind kind,
					    unsigned int excluded, int pmu,
					    int group)
{
	uint64_t pmu_key = kind == TD_KIND_CLOCK ? 0 : (uint64_t)pmu + 1;

	return td_hash((uint64_t)kind | (uint64_t)excluded << 6 |
		       pmu_key << 12 | (uint64_t)((int64_t)group + 1) << 32);
}

static inline bool td_ratio_is_counted(const struct td_event *event,
				       const struct td_total *total)
{
	return !event->hidden && !event->refusal && !isnan(total->value);
}

/* --- ratio_table.c: the table of --metric-only ---------------------------- */

/*
 * The table of --metric-only with events: the ratios (insn per cycle, GHz,
 * rates) without the counts, as a report of metrics.
 */
struct td_ratio_table {
	const struct td_machine *machine;
	bool merge; /* all kinds of core in one row */
	/* all that are possible, the same for each interval */
	struct td_column *columns;
	/* for each column, bits of the rows' PMUs that have it */
	uint64_t *pmus;
	struct td_node *nodes; /* one for each column, outside of any tree */
	size_t nr;
	struct td_index names; /* finds columns by name */
	uint64_t all_pmus;     /* bits of the PMUs that have any column */
};

/*
 * Returns -ENODATA if the events of plan have no ratios.  Free it even after an
 * error.
 */
int td_ratio_table_build(struct td_ratio_table *table,
			 const struct td_plan *plan,
			 const struct td_machine *machine, bool merge,
			 struct td_err *err);
/*
 * Fills a report with a row for each id and kind of core; events of no core are
 * in a row "all".  It borrows from table and events; free with td_report_free()
 * even after an error.
 */
int td_ratio_table_fill(const struct td_ratio_table *table,
			const struct td_event_report *events,
			struct td_report *report, struct td_err *err);
void td_ratio_table_free(struct td_ratio_table *table);

/* --- event_table.c -------------------------------------------------------- */

/*
 * The event table.  Zeroed but for the first two; what is the same in all intervals
 * is prepared at the first, and memory is used again.  Free it with
 * td_event_table_free().
 */
struct td_event_table {
	const struct td_plan *plan; /* borrowed */
	bool hybrid;                /* an event on several kinds is one row */
	struct td_event_report report;

	/* What it was prepared for: the plan's events, and those refused. */
	size_t nr_events, nr_refused;
	struct td_specs specs;
	struct td_ratios ratios;
	size_t nr_pmus;
	/* for each event: it gets no row; its name, if it is a sum, or NULL */
	bool *left_out;
	char **names;

	/* The interval: */
	const struct td_totals *totals;
	const struct td_times *times;
	bool each; /* the rows come cgroup by cgroup */
	/* the ids of the current block of rows, without last */
	size_t first, last;
	bool *anywhere; /* for each event: it belongs to some id */
	/* [id][event]: sums over the kinds of core, and their ratios */
	struct td_total *sums;
	struct td_ratios merged_ratios;
	bool *elsewhere; /* [id][event]: the tasks ran on other kinds of core */
	bool *looked_at; /* [id][PMU]: some event of it was opened */
};

/* Also when the plan may be another one, as that of the next run. */
void td_event_table_free(struct td_event_table *table);

/* For rows.c: */
static inline const struct td_total *
td_event_table_totals(const struct td_event_table *t, size_t id)
{
	return t->totals->v + id * t->totals->nr_events;
}

/* Prepares what is of the plan, unless that was done.  Returns 0 or -ENOMEM. */
int td_event_table_fit(struct td_event_table *t);
/* Prepares what many rows of the interval need.  Returns 0 or -ENOMEM. */
int td_event_table_prepare(struct td_event_table *t);
/* Is other the event itself, or merged into its row? */
bool td_event_table_is_of_row(const struct td_event_table *t, int event,
			      int other);
/*
 * Finds the next event of the row that was opened for the id of totals.  *at is
 * t->specs.first[event] at the first call.  Returns -1 after the last.
 */
int td_event_table_next(const struct td_event_table *t, int event,
			const struct td_total *totals, size_t *at);
/* Was the row's event opened for this id? */
bool td_event_table_has_id(const struct td_event_table *t, int event,
			   size_t id);
/*
 * Was the event opened for this id, or refused where its PMU has others open?
 */
bool td_event_table_belongs_to(const struct td_event_table *t, int event,
			       size_t id);

/* --- rows.c --------------------------------------------------------------- */

/*
 * Fills table->report: a row for each event that was typed and each id.  Rows
 * are in the order of the command line: all ids of an event, then the next
 * event; or with totals->by_id all events of an id, then the next id; or, if
 * every event is counted in every cgroup, all rows of a cgroup, then the next
 * cgroup.  An event that the kernel refused is "not supported", but is left out
 * if another PMU has it under the same name.  The report borrows from table, its
 * plan and totals.  Returns -ENOMEM.
 */
int td_event_rows(struct td_event_table *table, const struct td_totals *totals,
		  const struct td_times *times, struct td_err *err);
/*
 * Gives the events that were sampled, those with the modifier R, the mean of their
 * retire latencies, in whole cycles as in perf, or no value if there were too few
 * samples.
 */
void td_event_rows_set_latencies(struct td_event_report *report,
				 const struct td_plan *plan,
				 const struct td_latencies *latencies);

/*
 * Puts the nodes of each row in the order of their values, largest first and
 * those without a value last, and adds up the values.  For nodes that are not
 * below each other.  Returns 0 or -ENOMEM.
 */
int td_report_rank(struct td_report *report);

/* --- spread.c ------------------------------------------------------------- */

/*
 * The mean and variance of one value over the runs of -r, by Welford's method.
 */
struct td_spread {
	char *key; /* id, PMU and column, or id, cgroup and event */
	unsigned int nr;
	double mean, m2;
	double least, most;
	double alike; /* the sum of the runs' error_alike */
	bool rested;  /* in one of them */
};

/* The values of several runs; zeroed before the first one. */
struct td_spreads {
	struct td_spread *v;
	size_t nr;
	size_t next;           /* where the next key is expected */
	struct td_index index; /* finds keys */
};

void td_spread_add(struct td_spread *spread, double value);
/*
 * The standard error of the mean, sd / sqrt(n), as perf stat's "+-"
 * (stddev_stats() in tools/perf/util/stat.c); NaN for fewer than two values.  Its
 * percentage is perf's, too: no interval, which metrics/diff/interval.h has.
 */
double td_spread_error(const struct td_spread *spread);

/*
 * Add the values of a run, except those that were not counted.  Return 0 or
 * -ENOMEM.
 */
int td_spreads_add_report(struct td_spreads *spreads,
			  const struct td_report *report);
int td_spreads_add_events(struct td_spreads *spreads,
			  const struct td_event_report *report);
/*
 * Set the errors in the report of the means: of events as perf stat has them; of
 * metrics also half of the 95 % interval, with as many degrees of freedom as
 * runs had a value but one, which is the meaning of all other errors.  Runs that
 * are alike are rounded alike, so that their spread does not tell of it.  Of a row
 * of metrics also the least and the largest share of the slots that a run had.
 */
int td_spreads_fill_report(struct td_spreads *spreads,
			   struct td_report *report);
int td_spreads_fill_events(struct td_spreads *spreads,
			   struct td_event_report *report);
/*
 * Sets values, [row][column], to the means of what rested in some run, else NaN:
 * sums over all runs do not have it (metrics/eval/rested.c).  Returns 1 if there
 * is any, 0, or -ENOMEM.
 */
int td_spreads_find_rested(struct td_spreads *spreads,
			   const struct td_report *report, double *values);
void td_spreads_free(struct td_spreads *spreads);

#endif
