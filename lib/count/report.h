/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_COUNT_REPORT_H
#define TD_LIB_COUNT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A finished result: what a writer shows, and all that it may know. */

struct td_column {
	const char *name;
	const char *unit; /* "%", "GHz"; "": none */
	bool present;     /* some row of this machine can have it */
};

/* Where a column stands in the tree of a row's PMU. */
struct td_node {
	int column;
	const char *parent; /* NULL at level 1, and outside of the tree */
	int level;          /* 0: outside of the tree */
	int depth;        /* below the uppermost one that is there: 0, 1 ... */
	const char *desc; /* one line; NULL: none */
};

enum td_status {
	TD_STATUS_OK,
	TD_STATUS_NOT_COUNTED,   /* value is not to be shown */
	TD_STATUS_NOT_SUPPORTED, /* this machine cannot count it */
	TD_STATUS_NONE,          /* this row's PMU has no such metric */
};

struct td_cell {
	enum td_status status;
	double value;       /* in the column's unit */
	double running_pct; /* of the time, its events were on the PMU */
	bool over_threshold;
	bool over_unknown; /* no threshold, or one of what was not counted */
	bool apart;        /* counted in other slices of time than its parent */
	bool matters;      /* else shown only when all is */
	double error; /* of a mean of runs, in the column's unit; NaN: not known */
	const char *why; /* there is no value; NULL: there is, or not known */
};

struct td_row {
	const char *id;   /* "all", "CPU5", "S0-D0-C3", a cgroup */
	const char *pmu;  /* "all" for the merged row */
	double slots;     /* NaN: not known */
	double share_pct; /* of its id's slots on all PMUs; NaN: of all */
	double running_pct; /* of the time, its PMU was counted: the most of its cells */
	struct td_cell *cells;       /* one a column */
	const struct td_node *nodes; /* in the order of the tree */
	size_t nr_nodes;
	bool absent; /* of tasks: none was on the PMU */
};

struct td_report {
	uint64_t time_ns; /* since counting began */
	const struct td_column *columns;
	size_t nr_columns;
	struct td_row *rows;
	size_t nr_rows;
};

/* What perf prints beside a count: "1.50  insn per cycle". */
struct td_beside {
	double value;
	int decimals;
	const char *unit; /* "insn per cycle", "of all branches", "K/sec" */
	bool percent;
	bool rate;    /* per second, in thousands, millions ... */
	double plain; /* the value, of a rate the number per second */
};

#define TD_MAX_BESIDE 2

/* One event of one id. */
struct td_event_row {
	const char *id;    /* "all", "CPU5", "S0-D0-C3", "comm-tid" */
	const char *event; /* its name: "cpu_core/cycles/u" */
	const char *unit;  /* "msec", "ns", "Joules"; "": none */
	enum td_status status;
	double value; /* scaled up to the whole time, in unit; NaN unless OK */
	int decimals; /* 0, or 2 where the unit makes fractions of counts */
	uint64_t running_ns;
	double running_pct; /* 100 when it was never enabled */
	struct td_beside beside[TD_MAX_BESIDE];
	int nr_beside;
	int which;          /* event of the plan, the first of a sum */
	int pmu;            /* the machine's */
	const char *cgroup; /* NULL: none */
	bool elsewhere;     /* no value, as the task was on other cores: 0 */
	unsigned int nr;    /* counters that it is the sum of */
	double error_pct;   /* of a mean of runs; NaN: not known */
};

/* Counts as such: all ids of an event, then the next event. */
struct td_event_report {
	uint64_t time_ns; /* since counting began */
	struct td_event_row *rows;
	size_t nr_rows;
	char **names; /* of rows that are the sum of several events */
	size_t nr_names;
};

/* The times of one interval, for the events that the kernel does not count. */
struct td_times {
	uint64_t elapsed_ns;
	bool has_cpu_times;
	uint64_t user_ns, system_ns;
};

/* What the end of a run adds. */
struct td_usage {
	uint64_t elapsed_ns;
	bool has_times; /* a command ran to its end */
	uint64_t user_ns, sys_ns;
	/* Of several runs, whose mean elapsed_ns is; else NULL and 0. */
	const uint64_t *runs_ns;
	size_t nr_runs;
	double error_ns; /* of the mean; NaN: not known */
	bool table;      /* each of them is shown, too */
};

/* Rows of tasks that were not on the PMU go: each of them is on one at a time. */
void td_report_drop_absent(struct td_report *report);
void td_report_free(struct td_report *report);
void td_event_report_free(struct td_event_report *report);

#endif
