/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_RESULT_H
#define TD_METRICS_DIFF_RESULT_H

/* What is compared, and the rows that come of it; diff.h makes them. */
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/index.h"
#include "lib/count/report.h"
#include "metrics/diff/ask.h"
#include "metrics/diff/interval.h"

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
	const struct td_diff_ipc *ipc;
	size_t nr_ipc;
};

struct td_diff_side {
	const struct td_diff_input *v;
	size_t nr;
	/* for titles: of its first recording, or the command that was run nr times */
	const char *name;
	bool is_command;
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
	struct td_diff_value slots; /* per unit of work; of nodes in slots */
	/* the difference as a share of A, if that is no percentage; or NaN */
	double change_pct, change_error;
	/* more than chance, of all rows together (interval.h) */
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
	/* runs that are enough where these are not (summary.h); 0: they are */
	size_t enough;
	/* borrowed; NULL: none */
	const char *again; /* the command that runs them */
	const struct td_limits *limits;
};

#endif
