/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/diff: how two sides of recordings differ.
 *
 * In: the finished reports of the recordings of each side, A and B.
 * Out: rows with the difference B minus A of each value, and its 95 % interval.
 */
#ifndef TD_METRICS_DIFF_DIFF_H
#define TD_METRICS_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/index.h"
#include "lib/count/report.h"
#include "metrics/diff/interval.h"

/* --- what is asked for ---------------------------------------------------- */

/* The unit of work: slots and counts are compared for one of it. */
enum td_per {
	TD_PER_DEFAULT, /* what fits the recordings */
	TD_PER_INSTRUCTIONS,
	TD_PER_SECOND,
	TD_PER_RUN,
	TD_PER_SLOTS,
	TD_NR_PERS
};

/* How two sides are to be compared.  Strings are argv's; NULL: not given. */
struct td_diff_ask {
	enum td_per per;
	const char *fail_above; /* the limits */
	bool strict;            /* what is not known fails, too */
	const char *junit; /* the file that tells what became of each limit */
	const char *page;  /* that of HTML, beside another result or alone */
	size_t nr_before;  /* recordings before "--"; 0: there is none */
};

/* --- what is compared, and the rows that come of it ----------------------- */

/* Instructions per cycle of a PMU. */
struct td_diff_ipc {
	const char *id, *pmu;
	double value; /* NaN: one of both was not counted */
};

/* One recording as a whole; all of it is borrowed. */
struct td_diff_input {
	const struct td_report *report; /* of a tree; NULL: there are events */
	const struct td_event_report *events; /* NULL: there is a tree */
	/*
	 * Of each row of either: what 1 % of the slots, or a count of 1, is for one
	 * unit of work; NaN: unknown.
	 */
	const double *scales;
	double elapsed_s, user_s, sys_s; /* NaN: unknown */
	double instructions;             /* of all ids and PMUs; NaN: unknown */
	const struct td_diff_ipc *ipc;
	size_t nr_ipc;
};

struct td_diff_side {
	const struct td_diff_input *v;
	size_t nr;
	/* for titles: of its first recording, or the command that was run nr times */
	const char *name;
	bool is_command;
	/* each is of a command, from its beginning to its end: times tell */
	bool of_runs;
};

enum td_diff_kind {
	TD_DIFF_TIME,
	TD_DIFF_IPC,
	TD_DIFF_METRIC,
	TD_DIFF_EVENT,
};

struct td_diff_row {
	enum td_diff_kind kind;
	/* "all", a cgroup, the name of a thread or region */
	const char *id;
	const char *pmu; /* NULL: it is of all */
	const char *name;
	const char *unit; /* "s", "%"; "": none */
	const char *per;  /* the word of struct td_diff's */
	int level;        /* of a node of the tree; else 0 */
	/* in unit: of percentages, the difference is in points */
	struct td_diff_value value;
	struct td_diff_value slots;   /* per unit of work; of nodes in slots */
	struct td_diff_change change; /* if it is no percentage; or NaN */
	/*
	 * more than chance, of all rows together (interval.h), and more than is
	 * shown as 0
	 */
	bool marked;
};

struct td_limits;

/*
 * The time comes first, then the ids as they were recorded.  Of each: IPC; then
 * what changed most, by slots, then by the other values; then what only one side
 * has.
 */
struct td_diff {
	enum td_per per; /* never TD_PER_DEFAULT */
	struct td_diff_side sides[TD_DIFF_SIDES];
	struct td_diff_row *rows;
	size_t nr;
	/* of these rows, and of those of all recordings, while they are made */
	struct td_index index;
	bool has_ids; /* some row is not of all */
	/* all of a unit of work, on all PMUs; NaN: unknown */
	struct td_diff_value slots;
	struct td_diff_value slots_per_run, slots_per_instruction;
	/* runs that are enough where these are not (td_diff_enough()); 0: they are */
	size_t enough;
	/* borrowed; NULL: none */
	const char *again; /* the command that runs them */
	const struct td_limits *limits;
};

/* --- rows.c --------------------------------------------------------------- */

/*
 * interval.h says what is known of chance.  Names are borrowed from the
 * reports. Returns -ENOMEM; free with td_diff_free() even then.
 */
int td_diff_make(struct td_diff *diff, const struct td_diff_side *a,
		 const struct td_diff_side *b, enum td_per per,
		 struct td_err *err);
void td_diff_free(struct td_diff *diff);

/*
 * "instruction", "second", "run", "slot"; of TD_PER_DEFAULT, NULL.  For options,
 * td_per_option() has "instructions", "second", "run", "slots".
 */
const char *td_per_word(enum td_per per);
const char *td_per_option(enum td_per per);

/* --- summary.c ------------------------------------------------------------ */

/* Digits behind the point with which slots, and counts of this size, are shown. */
int td_diff_decimals(double size);
/* Marks what is more than chance, of all rows together.  Returns 0 or -ENOMEM. */
int td_diff_mark(struct td_diff *diff);
/* Sorts the rows as struct td_diff says.  Returns 0 or -ENOMEM. */
int td_diff_sort(struct td_diff *diff);

struct td_diff_whole {
	struct td_diff_value value;
	struct td_diff_change change;
	bool told; /* more or less, and not by chance as far as that is known */
};

/* What a difference comes to: how much more or less it takes, and of what. */
struct td_diff_summary {
	/*
	 * Of commands, and of recordings of them, the time; of other recordings the
	 * slots of one unit of work; diff is NaN if neither is known.
	 */
	bool of_time;
	struct td_diff_whole whole;
	/* of recordings of commands, beside the time; else NaN */
	struct td_diff_whole per_run, per_instruction;
	/*
	 * Where the time may be alike: "user" or "sys", which changed by more than
	 * chance; NULL: neither did, or it is most.
	 */
	const struct td_diff_row *busy;
	/*
	 * The node that most of the slots went to or came from, and its share of
	 * all that were saved, or added: of those of all nodes of level 1 that
	 * changed in this direction.  NULL: chance may have moved them, they are
	 * not known, or as many as in A but for what is shown as 0.
	 */
	const struct td_diff_row *node;
	double node_pct;
	bool saved;
	/*
	 * else what changed most, by more than chance; NULL: nothing did, or the
	 * whole says it
	 */
	const struct td_diff_row *most;
};

/* Fewer on a side have too few degrees of freedom for most marks. */
#define TD_DIFF_FEW 3

/* Are there recordings enough to tell what is chance? */
bool td_diff_has_chances(const struct td_diff *diff);
struct td_diff_summary td_diff_sum_up(const struct td_diff *diff);
/*
 * How many runs a side are enough to tell that the whole differs, if it differs
 * and varies as it did in these.  0: there are enough, or no number would do that
 * anybody runs.
 */
size_t td_diff_enough(const struct td_diff *diff);

/* --- limits.c ------------------------------------------------------------- */

/* The exit status of a comparison, as diff(1) has it. */
enum td_gate {
	TD_GATE_PASSED,
	TD_GATE_EXCEEDED,
	TD_GATE_TROUBLE, /* something was not compared */
};

/* How much more may be in B than in A. */
struct td_limit {
	char *name;  /* of a node, an event, "IPC" or a time */
	double most; /* points of a node, per cent of others; IPC may fall */
	/* what became of it, and why; before td_limits_exceeded() it is trouble */
	enum td_gate gate;
	struct td_notes found;
};

struct td_limits {
	struct td_limit *v;
	size_t nr;
	bool strict; /* what may be chance, as nobody knows, is a failure */
};

/*
 * Reads "tma_memory_bound:2,tma_fetch_latency:0.5"; NULL has no limits.  A wrong
 * text is a usage error.  Free it even then.
 */
int td_limits_parse(struct td_limits *limits, const char *text,
		    struct td_err *err);
/* The first name that is in no row of the difference; NULL: none. */
const char *td_limits_find_missing(const struct td_limits *limits,
				   const struct td_diff *diff);
/* A usage error if there is one. */
int td_limits_check(const struct td_limits *limits, const struct td_diff *diff,
		    struct td_err *err);
/*
 * Did something grow by more than its limit, and not by chance: is its difference
 * clear?  Each limit gets what became of it, with each row that grew by more, of
 * which chance is not known, or that one side lacks.
 */
enum td_gate td_limits_exceeded(struct td_limits *limits,
				const struct td_diff *diff);
/* Adds what was found. */
void td_limits_note(const struct td_limits *limits, struct td_notes *notes);
void td_limits_free(struct td_limits *limits);

#endif
