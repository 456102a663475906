/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/diff: the differences between two sides of recordings.
 *
 * In: the finished reports of the recordings of each side, A and B.
 * Out: rows with the difference B minus A of each value, and its 95 % interval.
 */
#pragma once

#include "lib/count/report.h"
#include "metrics/diff/interval.h"

/* --- the request ---------------------------------------------------------- */

/* Unit of work, per which slots and counts are compared. */
enum td_per {
	TD_PER_DEFAULT, /* chosen for the recordings */
	TD_PER_INSTRUCTIONS,
	TD_PER_SECOND,
	TD_PER_RUN,
	TD_PER_SLOTS,
	TD_NR_PERS
};

/* Options of a comparison.  Strings belong to argv; NULL: not given. */
struct td_diff_ask {
	enum td_per per;
	const char *fail_above; /* the limits */
	bool strict;            /* unknown differences fail as well */
	bool bisect;            /* undecided limits have their own status, for git bisect run */
	const char *junit;      /* file for the result of each limit */
	const char *page;       /* file for HTML */
	size_t nr_before;       /* number of recordings before "--"; 0: there is no "--" */
};

/* --- the recordings, and the rows of their difference ----------------------- */

/* Instructions per cycle of a PMU. */
struct td_diff_ipc {
	const char *id, *pmu;
	double value; /* NaN: unknown */
};

/* One recording.  All members are borrowed. */
struct td_diff_input {
	const struct td_report *report;       /* report of a tree, or NULL */
	const struct td_event_report *events; /* report of events if there is no tree, or NULL */
	const double *scales; /* for each row: 1 % of the slots, or 1, per unit of work; or NaN */
	double elapsed_s, user_s, sys_s; /* NaN: unknown */
	double instructions;             /* sum over all ids and PMUs; NaN: unknown */
	const struct td_diff_ipc *ipc;
	size_t nr_ipc;
};

struct td_diff_side {
	const struct td_diff_input *v;
	size_t nr;
	const char *name; /* name in titles: the first recording, or the command that was run */
	bool is_command;
	bool of_runs; /* each recording is a complete run of a command, so times are comparable */
};

enum td_diff_kind {
	TD_DIFF_TIME,
	TD_DIFF_IPC,
	TD_DIFF_METRIC,
	TD_DIFF_EVENT,
};

struct td_diff_row {
	enum td_diff_kind kind;
	/* "all", a cgroup, or the name of a thread or region */
	const char *id;
	const char *pmu; /* NULL: all */
	const char *name;
	const char *unit;           /* "s", "%"; "": none */
	const char *per;            /* td_per_word() of td_diff.per */
	int level;                  /* level of a node of the tree; else 0 */
	struct td_diff_value value; /* in unit; differences of percentages are in points */
	struct td_diff_value slots; /* slots per unit of work, for nodes that are shares of slots */
	struct td_diff_change change; /* relative change if unit is not "%"; or NaN */
	bool marked; /* significant among all rows (interval.h), and not shown as 0 */
};

struct td_limits;

/*
 * A comparison.  The rows of the time come first, then the ids in the order of recordings.  The
 * rows of an id are IPC, marked rows, other rows by change of slots and then by change of other
 * values, and rows of only one side.
 */
struct td_diff {
	enum td_per per; /* never TD_PER_DEFAULT */
	struct td_diff_side sides[TD_DIFF_SIDES];
	struct td_diff_row *rows;
	size_t nr;
	struct td_index index;      /* used by td_diff_make(): rows here and in all recordings */
	bool has_ids;               /* a row has an id other than "all" */
	struct td_diff_value slots; /* slots per unit of work, on all PMUs; NaN: unknown */
	struct td_diff_value slots_per_run, slots_per_instruction;
	size_t enough;                  /* td_diff_enough() */
	const char *again;              /* command that repeats the runs; borrowed; NULL: none */
	const struct td_limits *limits; /* borrowed; NULL: none */
};

/* --- rows.c --------------------------------------------------------------- */

/*
 * Compares two sides (interval.h describes the tests).  Before the call, set diff->limits and
 * zero the other members.  Names are borrowed from the reports.
 */
void td_diff_make(struct td_diff *diff, const struct td_diff_side *a, const struct td_diff_side *b,
		  enum td_per per);
void td_diff_free(struct td_diff *diff);

/*
 * Return the name of a unit of work: "instruction", "second", "run", "slot" in rows,
 * "instructions", "second", "run", "slots" in options; NULL for TD_PER_DEFAULT.
 */
const char *td_per_word(enum td_per per);
const char *td_per_option(enum td_per per);

/* --- summary.c ------------------------------------------------------------ */

/* Returns the number of decimals to show for slots or counts of this size. */
int td_diff_decimals(double size);
/*
 * Marks significant rows, at 5 % for all rows together.  Rows with limits have half of the
 * weight, and the time of commands half of the remainder, so that both can be significant
 * however many other rows there are.
 */
void td_diff_mark(struct td_diff *diff);
/* Sorts the rows as described in struct td_diff. */
void td_diff_sort(struct td_diff *diff);

/* Summary of a difference. */
struct td_diff_summary {
	/* whole is the time, because the sides are commands or recordings of commands */
	bool of_time;
	/*
	 * the time, or the slots per unit of work, whose diff is NaN if it is unknown; and slots in
	 * recordings of commands, else NaN
	 */
	struct td_diff_whole {
		struct td_diff_value value;
		struct td_diff_change change;
		bool told; /* the row was reported: it changed significantly, or with unknown noise */
	} whole, per_run, per_instruction;
	/* "user" or "sys" if it changed significantly and the time did not; or NULL */
	const struct td_diff_row *busy;
	/*
	 * the node with most of the saved or added slots, and its share of the slots that all
	 * nodes of level 1 saved (or added); NULL: not significant, or unknown
	 */
	const struct td_diff_row *node;
	double node_pct;
	bool saved;
	/* largest significant change, if node is NULL; NULL: none, or only that of whole */
	const struct td_diff_row *most;
};

/* With fewer recordings per side, most marks lack degrees of freedom. */
#define TD_DIFF_FEW 3

/* Are there enough recordings to know the noise? */
bool td_diff_has_chances(const struct td_diff *diff);
struct td_diff_summary td_diff_sum_up(const struct td_diff *diff);
/*
 * Returns how many runs per side would make the difference of the whole significant, with the same
 * difference and variation as in these runs.  0: there are enough runs, or it would take too many.
 */
size_t td_diff_enough(const struct td_diff *diff);

/* --- limits.c ------------------------------------------------------------- */

/* Result of a limit, the worst last. */
enum td_gate {
	TD_GATE_PASSED,
	TD_GATE_UNDECIDED, /* only if td_limits.bisect */
	TD_GATE_EXCEEDED,
	TD_GATE_TROUBLE, /* something was not compared */
};

struct td_limits {
	/* Limit of --fail-above for the growth from A to B. */
	struct td_limit {
		char *name;        /* a node, an event, "IPC" or a time */
		double most;       /* maximum growth (IPC: fall): points for nodes, else percent */
		enum td_gate gate; /* result; TD_GATE_TROUBLE before td_limits_exceeded() */
		struct td_notes found; /* reasons for the result */
	} * v;
	size_t nr;
	bool strict; /* differences with unknown noise fail */
	bool bisect; /* if the error of a difference includes the limit, it does not pass */
};

/*
 * Parses a text such as "tma_memory_bound:2,tma_fetch_latency:0.5"; NULL: no limits.  A usage error
 * for an invalid text.  Call td_limits_free() even after an error.
 */
int td_limits_parse(struct td_limits *limits, const char *text, struct td_err *err);
/* Is there a limit for the row? */
bool td_limits_has(const struct td_limits *limits, const struct td_diff_row *row);
/* Returns the first name of a limit without a row in the difference, or NULL. */
const char *td_limits_find_missing(const struct td_limits *limits, const struct td_diff *diff);
/*
 * Returns a usage error if a limit has no row.  It suggests names of rows in diff and in nodes,
 * which has rows for all nodes of the processor (NULL: unknown).
 */
int td_limits_check(const struct td_limits *limits, const struct td_diff *diff,
		    const struct td_diff *nodes, struct td_err *err);
/*
 * Did a row grow significantly by more than its limit?  Sets the result of each limit, with the
 * rows that exceed it, whose noise is unknown, or that one side lacks.
 */
enum td_gate td_limits_exceeded(struct td_limits *limits, const struct td_diff *diff);
/* Adds the results as notes. */
void td_limits_note(const struct td_limits *limits, struct td_notes *notes);
void td_limits_free(struct td_limits *limits);
