/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_REPORT_H
#define TD_LIB_COUNT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/count/aggregation.h"
#include "lib/event/event.h"

/* A finished result, which has all that a writer may show. */

struct td_column {
	const char *name;
	const char *unit; /* "%", "GHz"; "": none */
	bool present;     /* a row of this machine can have it */
};

/* The place of a column in the tree of a PMU. */
struct td_node {
	int column;
	const char *parent; /* NULL at level 1 and outside of the tree */
	int level;          /* 0: outside of the tree */
	int depth;          /* indentation: 0 for the uppermost node shown */
	const char *desc;   /* one line; NULL: none */
	/* "HSD29, HSM30": of its events, which may count wrongly; NULL: none */
	const char *errata;
	const char *estimate; /* one of those below; NULL: it is none */
};

/* The formula takes half of the core's clocks, while its other thread runs, too. */
#define TD_ESTIMATE_OF_HALF "shared core"
/* The description calls it one. */
#define TD_ESTIMATE_BY_WORDS "description"

/* Where slots go: level 1 of any vendor's tree. */
enum td_part {
	TD_PART_RETIRING,
	TD_PART_BAD_SPECULATION,
	TD_PART_FRONTEND,
	TD_PART_BACKEND,
	TD_PART_OTHER, /* AMD's smt_contention */
	TD_NR_PARTS
};

/* By the name of its node, "tma_frontend_bound"; TD_NR_PARTS: it is none. */
enum td_part td_part_of(const char *name);
/* For people: "bad speculation". */
const char *td_part_name(enum td_part part);
/* "retiring" of "tma_retiring": AMD's files have the names without it. */
const char *td_node_short_name(const char *name);
/* Is it called so, with or without "tma_"?  Case does not matter. */
bool td_node_is_called(const char *node, const char *name);
/*
 * Is it the name with its words cut off, as narrow tables have it: "mem_bound" of
 * "tma_memory_bound", or without the last word, as the verdict has it: "memory"?
 * len: of typed.
 */
bool td_node_is_short_for(const char *typed, size_t len, const char *name);

enum td_status {
	TD_STATUS_OK,
	TD_STATUS_NOT_COUNTED,   /* it has no value */
	TD_STATUS_NOT_SUPPORTED, /* this machine cannot count it */
	TD_STATUS_NONE,          /* this row's PMU has no such metric */
};

/* What does not fit a value. */
enum td_misfit {
	TD_FITS,
	TD_MISFIT_RANGE,      /* below 0, or above 100 % */
	TD_MISFIT_PARENT,     /* larger than the node above it */
	TD_MISFIT_SUM,        /* level 1 is not all of the slots */
	TD_MISFIT_WIDTH,      /* more slots in a cycle than the core has */
	TD_MISFIT_CORRECTION, /* not larger than what was corrected in it */
};

struct td_cell {
	enum td_status status;
	double value;       /* in the column's unit */
	double running_pct; /* share of the time that its events ran */
	/* how long the event that ran least did; 0: it has no events */
	uint64_t running_ns;
	bool over_threshold;
	bool over_unknown; /* no threshold, or one that was not counted */
	bool other_slices; /* counted in other slices of time than its parent */
	enum td_misfit misfit;
	bool matters; /* if not, it is shown only with all */
	/*
	 * Half the width of the value's 95 % interval, from the course of the
	 * counting, in the column's unit; NaN: unknown.
	 */
	double error;
	bool too_short; /* the error is unknown: there were too few reads */
	/*
	 * What of the error is the same in all runs like it, so that a mean of them
	 * has it, too: rounding, and what may have been while it rested.
	 */
	double error_alike;
	bool rested; /* in a part of the time */
	/*
	 * What it was between in the middle 90 % of the batches of the course;
	 * NaN: unknown.  A value that changed has no larger error for it.
	 */
	double low, high;
	/* over its threshold wherever in its interval the true value is */
	bool clear_of_threshold;
	/* the standard error of a mean of runs, in the column's unit; or NaN */
	double runs_error;
	const char *why; /* why there is no value; NULL: there is, or unknown */
};

/* A cell with nothing but a status and a value. */
struct td_cell td_cell_make(enum td_status status, double value);
/* NaN: it has none. */
double td_cell_value(const struct td_cell *cell);

/* What the CPUs of a row did, or its tasks.  Sums over them; NaN: unknown. */
struct td_activity {
	unsigned int cpus; /* 0: it is of tasks */
	double busy_s;     /* CPUs were not halted; tasks ran */
	double whole_s; /* the time of all CPUs; of tasks, the elapsed time */
	double cycles;  /* of the core, in clock_s */
	double clock_s; /* the time not halted in which cycles were counted */
	double instructions; /* in clock_s */
	/* CPUs on which events were enabled for a part of the time at least */
	unsigned int counted_cpus;
};

/* Which nodes had the most slots, batch by batch of the course. */
struct td_phases {
	double first_pct;  /* the share of the time of the first; 0: unknown */
	int first, second; /* columns, of most of the time first; -1: none */
};

/* What a row of a region has besides. */
struct td_region_facts {
	bool outside;
	bool function;  /* of samples: what is of calls alone is not known */
	uint64_t calls; /* that ended on the row's PMU */
	/* of all PMUs */
	uint64_t lost, skipped, moved, migrated, switched, time_ns;
	double slots_per_call; /* NaN: there were no calls, or it is unknown */
	/* of a function: how much of its windows at least is in it; NaN */
	double whole_pct;
	/* of the program's slots: with regions within, and without; NaN */
	double inclusive_pct, exclusive_pct;
	/* what counting took of the time, which is left out of all; NaN */
	double cost_pct;
	/* calls are too short: a call needs so many slots; NaN: they are not */
	double least_slots;
	double order; /* rows with larger ones come first */
	/* Of timed calls (lib/count/regions.h): */
	int timed;      /* 1 + index; 0: they are not */
	const char *of; /* the function; NULL: they are not timed */
	unsigned int bucket;
	bool slow;
	double took_ns, on_ns; /* of those that ended on the row's PMU */
	double time_pct;       /* of the time of all calls of the function */
	double on_cpu_pct;     /* of their time; NaN: unknown */
	/* in a call that ended there, and in no count of it; NaN: unknown */
	double interrupted_ns;
	/* of all PMUs, in a call; NaN: unknown */
	double waited_ns, preempted_ns, faults, switches, migrations;
};

/* What slow calls have more than those around the median. */
enum td_slow_kind {
	TD_SLOW_WAITED,    /* they had no CPU, and wanted none */
	TD_SLOW_PREEMPTED, /* they had no CPU, and wanted one */
	TD_SLOW_OFF,       /* they had no CPU, and nobody knows which of both */
	TD_SLOW_INTERRUPT, /* their CPU was in interrupts */
	TD_SLOW_CORE,      /* they ran on another kind of core */
	TD_SLOW_NODE,      /* more slots of a node of the tree */
	TD_SLOW_CLOCK,     /* fewer slots in the same time */
	TD_SLOW_REST,      /* what is not known */
};

struct td_slow_cause {
	enum td_slow_kind kind;
	const char *node; /* a column's name, or NULL */
	double share_pct; /* of the time that a slow call takes longer */
	double error_pct; /* of it; NaN: unknown, as of few calls */
};

#define TD_SLOW_CAUSES 32

/* Why the slow calls of a function take longer than those around the median. */
struct td_slow {
	const struct td_region_facts *slow; /* NULL: there are none */
	struct td_region_facts middle;      /* of these rows, joined */
	unsigned int middle_end;            /* the last one of their buckets */
	double calls_pct;                   /* of all calls, that are slow */
	double time_pct;    /* of the time of all calls, that they take */
	double extra_ns;    /* that a slow call takes longer */
	bool no_interrupts; /* theirs are not known */
	/* the largest share first; they add up to 100 % */
	struct td_slow_cause causes[TD_SLOW_CAUSES];
	size_t nr;
};

/* Is it known, and larger than its error? */
bool td_slow_is_clear(const struct td_slow_cause *cause);

/* Less busy CPUs, and threads, have no marks and no verdict, nor fewer slots. */
#define TD_IDLE_PCT      5
#define TD_FEW_SLOTS_PCT 1

/*
 * Did so many CPUs, which were busy for busy_s of whole_s seconds together, do no more
 * than the kernel's own housekeeping, and that of what measures it?  One busy CPU of
 * many is more.
 */
bool td_are_idle(double busy_pct, double busy_s, double whole_s,
		 unsigned int nr_cpus);

/* What a row is of. */
enum td_row_kind {
	TD_ROW_INTERVAL,
	TD_ROW_SUMMARY, /* the whole run */
	TD_ROW_MEAN,    /* of several runs */
	TD_ROW_SPREAD,  /* how far the mean may be off: no values, but errors */
};

struct td_row {
	const char *id;     /* "all", "CPU5", "S0-D0-C3", a cgroup */
	const char *pmu;    /* "all" for the merged row */
	double slots;       /* NaN: unknown */
	double share_pct;   /* of its id's slots on all PMUs; NaN: unknown */
	double running_pct; /* the largest one of its cells */
	/*
	 * How busy the CPUs were; of tasks, their CPU time as a share of one
	 * CPU, which may be above 100.  NaN: unknown.
	 */
	double busy_pct;
	double ghz; /* while not halted; NaN: unknown */
	double ipc; /* instructions a cycle; NaN: unknown */
	struct td_activity activity;
	/* the four fields of PERF_METRICS over the slots; NaN: unknown */
	double fields_sum;
	struct td_phases phases;
	bool idle;             /* too little went on for marks and a verdict */
	struct td_cell *cells; /* one a column */
	const struct td_node *nodes; /* in the order of the tree */
	size_t nr_nodes;
	bool absent;       /* no task was on the PMU */
	bool general;      /* its tree came from general counters */
	bool holds_others; /* a cgroup: rows of others within it follow */
	double lost_pct;   /* of the slots of all rows, it lost these; or NaN */
	double lost_error; /* in these points; NaN: unknown */
	/* of a mean: the least and the largest share_pct of a run; NaN: unknown */
	double share_least, share_most;
	double running_least_pct; /* the least one of cells with a value */
	const char *name;         /* the id without a cgroup */
	const char *cgroup;       /* NULL: none */
	const char *container;    /* whose it is; NULL: none, or unknown */
	/* For programs, by td_report_tell(). */
	enum td_row_kind kind;
	double interval;  /* its number, from 1 on; NaN: it is of no interval */
	double seconds;   /* how long it was; NaN: unknown */
	double cpu, tid;  /* NaN: the row is of none */
	const char *core; /* "S0-D0-C3"; NULL: the row is of none */
	const char *comm; /* of a thread; NULL: unknown */
	char comm_text[16];
	const char *host; /* in rows of several hosts, else NULL */
	bool package;     /* it is of no kind of core */
	const struct td_region_facts *region; /* NULL: it is not of one */
	/*
	 * The nodes with the largest value first, owned, and the sum of their
	 * values; NULL: they are in the order of the tree.
	 */
	struct td_node *ranked;
	const struct td_node
		*unranked; /* what nodes was before; NULL as well */
	double ranked_sum;
	size_t nr_valueless; /* number of nodes that the sum lacks */
};

/* A row of which no more is known: what is missing is NaN. */
struct td_row td_row_init(const char *id, const char *pmu);

#define TD_SHOWN_SIZE 512

/*
 * The id for people, who know a container by its name, not by its cgroup.  buf is
 * for what has to be put together; a name that is too long is cut.
 */
const char *td_row_shown(const struct td_row *row, char buf[TD_SHOWN_SIZE]);

struct td_report {
	uint64_t time_ns; /* since counting began */
	const struct td_column *columns;
	size_t nr_columns;
	struct td_row *rows;
	size_t nr_rows;
	size_t nr_kept; /* rows that have cells, which the next report may use */
	bool has_busy;  /* busy_pct of its rows is known */
	bool has_ipc;   /* ipc is */
	bool has_lost;  /* its rows are of several ids, and lost_pct is known */
	/* of tasks without ids: the CPU time of all, as a share of one CPU */
	double tasks_pct;   /* NaN: unknown, or not of tasks */
	bool mostly_waited; /* it is small */
	/* without ids: somebody else had the counters most of the time */
	bool held;
	struct td_region_facts *regions; /* owned; what its rows point to */
	bool functions; /* the regions are, and their calls are windows */
	/* The functions whose calls are told apart by time, borrowed; or NULL. */
	const struct td_timed *timed;
	size_t nr_timed;
	struct td_slow *slow; /* one for each of them, owned */
};

/* What perf prints next to a count: "1.50  insn per cycle". */
struct td_ratio {
	double value;
	int decimals;
	const char *unit; /* "insn per cycle", "of all branches", "K/sec" */
	bool percent;
	bool rate;    /* per second, in thousands, millions ... */
	double plain; /* the value, of a rate the number per second */
};

#define TD_MAX_RATIOS 2

/* One event of one id. */
struct td_event_row {
	const char *id;    /* "all", "CPU5", "S0-D0-C3", "comm-tid" */
	const char *event; /* its name: "cpu_core/cycles/u" */
	const char *unit;  /* "msec", "ns", "Joules"; "": none */
	enum td_status status;
	double value; /* scaled up, in unit; NaN unless OK */
	int decimals; /* 0, or 2 if the unit makes fractions of counts */
	uint64_t running_ns;
	double running_pct; /* 100 when it was never enabled */
	struct td_ratio ratios[TD_MAX_RATIOS];
	int nr_ratios;
	int which;             /* the plan's event; of a sum, the first */
	int pmu;               /* index in the machine */
	const char *cgroup;    /* NULL: none */
	const char *container; /* whose it is; NULL: none, or unknown */
	bool elsewhere;        /* not counted, as the task was on other cores */
	unsigned int nr;       /* number of counters in the sum */
	double error_pct;      /* of a mean of runs; NaN: unknown */
};

/* Counts, not metrics.  The ids of an event stand together. */
struct td_event_report {
	uint64_t time_ns; /* since counting began */
	struct td_event_row *rows;
	size_t nr_rows;
};

/* The times of an interval, for the events that tdstat counts itself. */
struct td_times {
	uint64_t elapsed_ns;
	bool has_cpu_times;
	uint64_t user_ns, system_ns;
	uint64_t unsure_ns; /* counts may be of so much more or less time */
};

/* Too unsure for shares of them? */
static inline bool td_times_are_unsure(const struct td_times *times)
{
	return times->unsure_ns > times->elapsed_ns / 20;
}
/* The value of a tool's event in nanoseconds; NaN: not known. */
double td_times_of_tool(const struct td_times *times, enum td_tool tool);

/* What is known at the end of a run. */
struct td_usage {
	uint64_t elapsed_ns;
	bool has_times; /* user_ns and sys_ns are known: a command ended */
	uint64_t user_ns, sys_ns;
	/* For several runs (elapsed_ns is their mean); else NULL and 0. */
	const uint64_t *runs_ns;
	size_t nr_runs;
	double error_ns;  /* of the mean; NaN: unknown */
	bool table;       /* show each run, too */
	bool interrupted; /* of a recording without an end: known up to here */
};

/*
 * The row with this id and PMU, or NULL.  The search begins at the row hint: for
 * a row of a report that mostly has the same rows, its own index.
 */
const struct td_row *td_report_find(const struct td_report *in, const char *id,
				    const char *pmu, size_t hint);
/*
 * Fills what programs are told of rows besides their ids: what they are of, by
 * how the ids were made, and of which host (or NULL).  The rows must stay where
 * they are from then on.
 */
void td_report_tell(struct td_report *report, enum td_aggregation how,
		    const char *host, enum td_row_kind kind, double interval,
		    double seconds);
/*
 * Adds a row whose cells the PMU does not have, all report->nr_columns of them.
 * NULL if memory ran out.
 */
struct td_row *td_report_add_row(struct td_report *report, const char *id,
				 const char *pmu);
/* Removes rows of tasks that were not on the PMU. */
void td_report_drop_absent(struct td_report *report);
/* Empties a report, which is zeroed or was used; keeps the memory of its rows. */
void td_report_clear(struct td_report *report);
void td_report_free(struct td_report *report);

#endif
