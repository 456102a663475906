/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/aggregation.h"
#include "lib/event/event.h"

/* A finished result: everything that a writer may show. */

struct td_column {
	const char *name;
	const char *unit; /* "%", "GHz"; "": none */
	bool present;     /* rows of this machine can have values in this column */
};

/* The place of a column in the tree of a PMU. */
struct td_node {
	int column;
	const char *parent; /* NULL at level 1 and outside of the tree */
	int level;          /* 0: outside of the tree */
	int depth;          /* indentation: 0 for the uppermost node shown */
	const char *desc;   /* one line; NULL: none */
	/* errata that may make its events count wrongly: "HSD29, HSM30"; NULL: none */
	const char *errata;
	const char *estimate; /* why it is an estimate, TD_ESTIMATE_*; NULL: it is not */
};

/* The formula uses half of the core's clocks while both of its threads run. */
#define TD_ESTIMATE_OF_HALF "shared core"
/* The node's description calls it an estimate. */
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

/* Returns the part of a node by its name, such as "tma_frontend_bound", or TD_NR_PARTS. */
enum td_part td_part_of(const char *name);
/* Returns the name to print: "bad speculation". */
const char *td_part_name(enum td_part part);
/* Returns the name without "tma_", which AMD's files do not use. */
const char *td_node_short_name(const char *name);
/* Returns true if the node has this name, with or without "tma_".  Ignores case. */
bool td_node_is_called(const char *node, const char *name);
/*
 * Checks if typed, len bytes, abbreviates a name: by shortened words, as in narrow tables
 * ("mem_bound" for "tma_memory_bound"), or without "bound", as in the verdict ("memory").
 */
bool td_node_is_short_for(const char *typed, size_t len, const char *name);

enum td_status {
	TD_STATUS_OK,
	TD_STATUS_NOT_COUNTED,   /* no value: see td_cell.why */
	TD_STATUS_NOT_SUPPORTED, /* this machine cannot count it */
	TD_STATUS_NONE,          /* the row's PMU does not have the metric */
};

/* Why a value is impossible or doubtful. */
enum td_misfit {
	TD_FITS,
	TD_MISFIT_RANGE,      /* below 0, or above 100 % */
	TD_MISFIT_PARENT,     /* larger than its parent */
	TD_MISFIT_SUM,        /* level 1 does not add up to all slots */
	TD_MISFIT_WIDTH,      /* more slots per cycle than the core has */
	TD_MISFIT_CORRECTION, /* not larger than the correction that it includes */
};

struct td_cell {
	enum td_status status;
	double value;       /* in the column's unit */
	double running_pct; /* share of the time that its events ran */
	/* minimum time that one of its events ran; 0: no events */
	uint64_t running_ns;
	bool over_threshold;
	bool over_unknown; /* no threshold, or one that was not counted */
	bool other_slices; /* counted in other slices of time than its parent */
	enum td_misfit misfit;
	bool matters; /* shown even without --all */
	/*
	 * Half of the value's 95 % confidence interval, from the variation during the
	 * run or between runs, in the column's unit; NaN: unknown.
	 */
	double error;
	bool too_short; /* the error is unknown because there were too few reads */
	/*
	 * The part of the error that is the same in all runs, so that their mean has it,
	 * too: rounding, and pauses.
	 */
	double systematic_error;
	bool paused; /* paused for a part of the time */
	/*
	 * The range of the middle 90 % of the batches of the timeline; NaN: unknown.  It
	 * does not affect the error.
	 */
	double low, high;
	/* above its threshold at both ends of the confidence interval */
	bool clear_of_threshold;
	/* standard error of the mean of several runs, in the column's unit; or NaN */
	double runs_error;
	const char *why; /* reason for a missing value, or NULL */
};

/* Returns a cell with a status and a value only. */
struct td_cell td_cell_make(enum td_status status, double value);
/* Returns NaN if the cell has no value. */
double td_cell_value(const struct td_cell *cell);

/* Further data of a region's row. */
struct td_region_facts {
	bool outside;   /* the row is for time outside of all regions */
	bool function;  /* a sampled function, with windows instead of calls */
	uint64_t calls; /* number of calls that ended on the row's PMU */
	/* the members of struct td_calls, of all PMUs */
	uint64_t lost, skipped, moved, migrated, switched, time_ns;
	double slots_per_call; /* NaN: no calls, or unknown */
	/*
	 * functions: minimum share of the windows that are entirely in the function; NaN: unknown
	 */
	double whole_pct;
	/* shares of the program's slots, with and without nested regions; NaN: unknown */
	double inclusive_pct, exclusive_pct;
	/* cost of counting, in % of the time including it; NaN: no time */
	double cost_pct;
	/* minimum number of slots per call, if the calls are shorter; else NaN */
	double least_slots;
	double order; /* sort key; the largest comes first */
	/* The other members are for timed calls (lib/count/regions.h). */
	int timed;           /* 1 + index in timed; 0: calls are not timed */
	const char *of;      /* name of the function; NULL: calls are not timed */
	unsigned int bucket; /* bucket of the calls' durations */
	bool slow;           /* the calls are those of this bucket and all slower ones */
	/* total time, and time with a CPU, of the calls that ended on the row's PMU */
	double took_ns, on_ns;
	double time_pct;   /* took_ns in % of the time of all calls of the function */
	double on_cpu_pct; /* on_ns in % of took_ns; NaN: unknown */
	/* time in interrupts, which counts exclude, per call on the row's PMU; NaN: unknown */
	double interrupted_ns;
	/* means per call over all PMUs, as in struct td_call_facts; NaN: unknown */
	double waited_ns, preempted_ns, faults, switches, migrations;
};

/* Reasons why slow calls take longer than typical calls. */
enum td_slow_kind {
	TD_SLOW_WAITED,    /* the thread waited, and was not runnable */
	TD_SLOW_PREEMPTED, /* the thread was runnable without a CPU */
	TD_SLOW_OFF,       /* the thread had no CPU; unknown if it was runnable */
	TD_SLOW_INTERRUPT, /* the CPU handled interrupts */
	TD_SLOW_CORE,      /* the call ran on another core type */
	TD_SLOW_NODE,      /* more slots of a node of the tree */
	TD_SLOW_CLOCK,     /* fewer slots in the same time */
	TD_SLOW_REST,      /* unexplained */
};

#define TD_SLOW_CAUSES 32

/* Causes of the slow calls of a function, compared with typical calls. */
struct td_slow {
	const struct td_region_facts *slow; /* slow calls; NULL: none */
	struct td_region_facts middle;      /* typical calls, summed over their buckets */
	unsigned int middle_end;            /* last bucket of the typical calls */
	double calls_pct;                   /* share of slow calls in all calls */
	double time_pct;                    /* share of slow calls in the time of all calls */
	double extra_ns;                    /* mean time of a slow call minus a typical one's */
	bool no_interrupts;                 /* time in interrupts is unknown */
	/* the largest share first; they add up to 100 % */
	struct td_slow_cause {
		enum td_slow_kind kind;
		const char *node; /* a column's name, or NULL */
		double share_pct; /* share of the extra time of a slow call (extra_ns) */
		double error_pct; /* error of share_pct; NaN: unknown, for example with few calls */
	} causes[TD_SLOW_CAUSES];
	size_t nr;
};

/* Returns true if a cause is known and its share larger than the error. */
bool td_slow_is_clear(const struct td_slow_cause *cause);

/* Rows of CPUs or threads that are less busy than this are idle: no marks and no verdict. */
#define TD_IDLE_PCT 5
/* Rows with less than this share of their id's slots on all PMUs are idle, too. */
#define TD_FEW_SLOTS_PCT 1

/*
 * Returns true if CPUs that were busy for busy_s of their total time whole_s did little more
 * than the housekeeping of the kernel and of tdstat.  One busy CPU of many is not idle.
 */
bool td_are_idle(double busy_pct, double busy_s, double whole_s, unsigned int nr_cpus);

/* The period that a row covers. */
enum td_row_kind {
	TD_ROW_INTERVAL,
	TD_ROW_SUMMARY, /* the whole run */
	TD_ROW_MEAN,    /* the mean of several runs */
	TD_ROW_SPREAD,  /* the errors of the mean, instead of values */
};

struct td_row {
	const char *id;     /* "all", "CPU5", "S0-D0-C3", a cgroup */
	const char *pmu;    /* "all" for the merged row */
	double slots;       /* NaN: unknown */
	double share_pct;   /* share of the slots of the row's id on all PMUs; NaN: unknown */
	double running_pct; /* maximum over its cells */
	/*
	 * How busy the CPUs were; for tasks, their CPU time in % of one CPU, which may
	 * be above 100.  NaN: unknown.
	 */
	double busy_pct;
	double ghz; /* mean clock rate while not halted; NaN: unknown */
	double ipc; /* instructions per cycle; NaN: unknown */
	/* Activity of a row's CPUs or tasks, summed over them.  NaN: unknown. */
	struct td_activity {
		unsigned int cpus;   /* number of CPUs; 0: tasks */
		double busy_s;       /* time that CPUs were not halted, or that tasks ran */
		double whole_s;      /* time of all CPUs; for tasks, the elapsed time */
		double cycles;       /* core cycles during clock_s */
		double clock_s;      /* time, not halted, in which cycles were counted */
		double instructions; /* instructions during clock_s */
		/* number of CPUs on which events were enabled at any time */
		unsigned int counted_cpus;
	} activity;
	/* sum of the four fields of PERF_METRICS, divided by the slots; NaN: unknown */
	double fields_sum;
	/* The nodes that had the most slots in batches of the timeline. */
	struct td_phases {
		double first_pct;  /* share of the time that first had the most slots; 0: unknown */
		int first, second; /* columns with the most slots for the longest times; -1: none */
	} phases;
	bool idle;                   /* too little activity for marks and a verdict */
	struct td_cell *cells;       /* one per column */
	const struct td_node *nodes; /* in the order of the tree */
	size_t nr_nodes;
	bool absent;       /* no task was on the PMU */
	bool general;      /* the tree was measured with general counters */
	bool holds_others; /* the cgroup contains cgroups that have rows */
	double lost_pct;   /* lost slots, in % of the slots of all rows; NaN: unknown */
	double lost_error; /* error of lost_pct; NaN: unknown */
	/* mean of runs: the minimum and maximum share_pct of a run; NaN: unknown */
	double share_least, share_most;
	double running_least_pct; /* minimum of the cells with a value */
	const char *name;         /* the id without a cgroup */
	const char *cgroup;       /* NULL: none */
	const char *container;    /* container of the cgroup; NULL: none, or unknown */
	/* td_report_set_context() sets these, up to host, for formats that programs read. */
	enum td_row_kind kind;
	double interval;  /* number of the interval, from 1; NaN: not an interval */
	double seconds;   /* duration; NaN: unknown */
	double cpu, tid;  /* NaN: not the row of one CPU, or of one thread */
	const char *core; /* "S0-D0-C3"; NULL: not the row of one core */
	const char *comm; /* name of the thread; NULL: unknown */
	char comm_text[16];
	const char *host;                     /* set if rows are from several hosts, else NULL */
	bool package;                         /* the row is for packages, not for a core type */
	const struct td_region_facts *region; /* NULL: not the row of a region */
	/*
	 * The nodes sorted by value, the largest first; owned.  NULL: nodes are in the order
	 * of the tree.
	 */
	struct td_node *ranked;
	const struct td_node *unranked; /* nodes in the order of the tree, if ranked; or NULL */
	double ranked_sum;              /* sum of the values of ranked */
	size_t nr_valueless;            /* number of ranked nodes without a value */
};

/* Returns a row with an id and a PMU; all other numbers are NaN. */
struct td_row td_row_init(const char *id, const char *pmu);

#define TD_SHOWN_SIZE 512

/*
 * Returns the id to print.  A cgroup with a container gets the name of the container, which buf may
 * be used for; names that are too long are cut off.
 */
const char *td_row_shown(const struct td_row *row, char buf[TD_SHOWN_SIZE]);

struct td_report {
	uint64_t time_ns; /* since counting began */
	const struct td_column *columns;
	size_t nr_columns;
	struct td_row *rows;
	size_t nr_rows;
	size_t nr_kept; /* number of rows whose memory the next report may reuse */
	bool has_busy;  /* rows have a busy_pct */
	bool has_ipc;   /* rows have an ipc */
	bool has_lost;  /* rows have several ids, and a lost_pct */
	/* tasks without ids: CPU time of all tasks, in % of one CPU; NaN: unknown */
	double tasks_pct;
	bool mostly_waited; /* tasks_pct is small */
	/* without ids: another program held the counters for most of the time */
	bool held;
	/* multiplexed values of a PMU have no error because of td_timeline_in_step() */
	bool in_step;
	struct td_region_facts *regions; /* the regions of the rows; owned */
	bool functions;                  /* regions are sampled functions, and calls windows */
	/* functions and regions with timed calls; borrowed, or NULL */
	const struct td_timed *timed;
	size_t nr_timed;
	struct td_slow *slow; /* one for each of timed; owned */
	uint64_t elapsed_ns;  /* duration of the interval that ended at time_ns */
};

#define TD_MAX_RATIOS 2

/* One event of one id. */
struct td_event_row {
	const char *id;    /* "all", "CPU5", "S0-D0-C3", "comm-tid" */
	const char *event; /* name of the event: "cpu_core/cycles/u" */
	const char *unit;  /* "msec", "ns", "Joules"; "": none */
	enum td_status status;
	double value; /* scaled up, in unit; NaN unless status is OK */
	int decimals; /* 0, or 2 if values in this unit may be fractions */
	uint64_t running_ns;
	double running_pct; /* 100 if the event was never enabled */
	/* The ratio that perf stat prints next to a count: "1.50  insn per cycle". */
	struct td_ratio {
		double value;
		int decimals;
		const char *unit; /* "insn per cycle", "of all branches", "K/sec" */
		bool percent;
		bool rate;    /* per second, in thousands, millions ... */
		double plain; /* the value; for a rate, the number per second */
	} ratios[TD_MAX_RATIOS];
	int nr_ratios;
	int which;             /* index in the plan; for a sum, index of its first event */
	int pmu;               /* index in the machine */
	const char *cgroup;    /* NULL: none */
	const char *container; /* container of the cgroup; NULL: none, or unknown */
	bool elsewhere;        /* not counted because the task was on other core types */
	unsigned int nr;       /* number of counters in the sum */
	double error_pct;      /* standard error of a mean of runs; NaN: unknown */
};

/* Counts, not metrics.  The rows of one event are adjacent. */
struct td_event_report {
	uint64_t time_ns; /* since counting began */
	struct td_event_row *rows;
	size_t nr_rows;
	uint64_t elapsed_ns; /* duration of the interval that ended at time_ns */
};

/* The times of an interval, for the events that tdstat counts itself. */
struct td_times {
	uint64_t elapsed_ns;
	bool has_cpu_times;
	uint64_t user_ns, system_ns;
	uint64_t unsure_ns; /* counts may cover up to this much more or less time */
};

/* Returns true if the times are too uncertain for percentages. */
static inline bool td_times_are_unsure(const struct td_times *times)
{
	return times->unsure_ns > times->elapsed_ns / 20;
}
/* Returns the value of a tool's event in nanoseconds, or NaN. */
double td_times_of_tool(const struct td_times *times, enum td_tool tool);

/* Times of a run, or of several. */
struct td_usage {
	uint64_t elapsed_ns; /* duration of the run, or the mean of several */
	bool has_times;      /* user_ns and sys_ns are known: a command ended */
	uint64_t user_ns, sys_ns;
	/* durations of several runs; NULL and 0 for one run */
	const uint64_t *runs_ns;
	size_t nr_runs;
	double error_ns;  /* standard error of the mean; NaN: unknown */
	bool table;       /* also show each run */
	bool interrupted; /* the recording has no end, so its times are those of a part */
	uint64_t from_ns; /* start of the part of a recording that is shown */
};

/* Fills an index of the rows for td_report_find(); free it with td_index_free(). */
void td_report_index(const struct td_report *report, struct td_index *index);
/* Returns the row with the id and PMU of another report's row, or NULL. */
const struct td_row *td_report_find(const struct td_report *in, const struct td_index *index,
				    const struct td_row *row);
/*
 * Sets the members of rows for formats that programs read: the CPU, core or thread of an id,
 * and the arguments; host may be NULL.  The rows must not be moved afterwards.
 */
void td_report_set_context(struct td_report *report, enum td_aggregation how, const char *host,
			   enum td_row_kind kind, double interval, double seconds);
/* Adds and returns a row; all its cells are TD_STATUS_NONE. */
struct td_row *td_report_add_row(struct td_report *report, const char *id, const char *pmu);
/* Removes rows of tasks that were not on the PMU. */
void td_report_drop_absent(struct td_report *report);
/* Is it the row of CPUs without a task (TD_TASK_IDLE)? */
bool td_row_is_idle_task(const struct td_row *row);
/* Empties a report, which is zeroed or was used; keeps the memory of its rows. */
void td_report_clear(struct td_report *report);
void td_report_free(struct td_report *report);
