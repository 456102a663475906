/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/verdict: finds the node of the tree that matters most, if there is one.
 *
 * In: a finished report.
 * Out: struct td_verdict: values and names of the report, but no sentences.
 */
#pragma once

#include "lib/count/report.h"

enum td_situation {
	/* no verdict: there is no tree, or there are rows of several ids */
	TD_SITUATION_NONE,
	TD_SITUATION_NOT_COUNTED,
	TD_SITUATION_IDLE,    /* the CPUs were almost idle */
	TD_SITUATION_SHORT,   /* no value has an error, because of too few reads */
	TD_SITUATION_UNKNOWN, /* no value has an error, for other reasons */
	TD_SITUATION_UNLIKE, /* the nodes cannot be compared: they are shares of different things */
	TD_SITUATION_SUM,    /* level 1 does not sum to 100 % */
	TD_SITUATION_NOTHING,  /* no node is above its threshold */
	TD_SITUATION_NEAR,     /* a node is above its threshold by less than its error */
	TD_SITUATION_TIE,      /* the largest node is not significantly the largest */
	TD_SITUATION_RETIRING, /* most slots did work */
	TD_SITUATION_CLEAR,
};

/* Suggestion for the next measurement. */
enum td_deeper {
	TD_DEEPER_NOTHING,
	TD_DEEPER_LEVEL, /* the tree down to td_verdict.level */
	TD_DEEPER_GROUP, /* the children of the path's last node */
};

#define TD_VERDICT_DEPTH 6 /* the levels of Intel's trees */

struct td_verdict {
	enum td_situation situation;
	bool by_size; /* the tree has no thresholds */
	bool waits;   /* the tasks waited most of the time */
	bool held;    /* another program had the counters most of the time */
	/* there are phases: part of the time, a node other than row->phases.first had most slots */
	bool changed;
	/* time in which CPUs were busy, in %; for tasks, share of one CPU; NaN: unknown */
	double busy_pct;
	double sum_pct;           /* sum of level 1, if TD_SITUATION_SUM */
	const struct td_row *row; /* the row of the PMU with most slots, or NULL */
	/* the biggest losses; each node is a child of the previous one */
	/* A node of the tree. */
	struct td_found {
		const struct td_node *node; /* NULL: none */
		const char *name;
		double value, error; /* in its column's unit */
		double slots_pct;    /* share of the slots; NaN: unknown */
		bool clear;          /* significantly above its threshold */
	} path[TD_VERDICT_DEPTH];
	size_t nr_path;
	/*
	 * the second largest sibling, after the path's last node or after an ancestor, if that
	 * sibling is above its threshold and larger; if most slots did work, the biggest loss
	 */
	struct td_found runner_up;
	/*
	 * a node above its threshold, and a sibling that may be larger: children of the path's
	 * last node, or the biggest losses if most slots did work
	 */
	struct td_found tied[2];
	/* nodes significantly above their thresholds that are shares of different things */
	struct td_found over[2];
	bool no_loss;     /* no node except retiring is above its threshold */
	bool short_below; /* too few reads for the errors of the nodes below the path */
	enum td_deeper deeper;
	int level;
	/*
	 * ids with the biggest losses, for rows of several ids, which have no other verdict.
	 * lost_pct and lost_error are sums over core types; other members are from the id's first
	 * row.  id is NULL if there is none.
	 */
	struct td_row losers[2];
	size_t nr_losers; /* number of ids that lost slots */
	/* number of ids that lost as much as the first one, including the first one */
	size_t nr_tied;
	/* the biggest loss that all losers have in common if they lost alike; else NULL */
	const char *common;
	double between_pct; /* slots lost between functions, in % of all slots */
};

/* Find the verdict of a report, which must outlive it.  Rows of one id must be adjacent. */
void td_verdict_find(struct td_verdict *verdict, const struct td_report *report);

#define TD_VERDICT_OTHERS 3 /* further core types of a machine */

/* Find the verdicts of other core types with over a fifth of the slots.  Returns their number. */
size_t td_verdict_find_others(struct td_verdict others[TD_VERDICT_OTHERS],
			      const struct td_verdict *verdict, const struct td_report *report);

/* Return the last node of the path, or NULL. */
const struct td_found *td_verdict_last(const struct td_verdict *verdict);
/* Return the node of the path that is a sibling of the runner-up, which must exist. */
const struct td_found *td_verdict_sibling(const struct td_verdict *verdict);
/* Return the node to look at next: the only one in over, or the last of the path. */
const struct td_found *td_verdict_focus(const struct td_verdict *verdict);
/*
 * Return the next node of the verdict whose events have errata, or NULL after the last one.  Set
 * *at to 0 before the first call.
 */
const struct td_found *td_verdict_in_doubt(const struct td_verdict *verdict, size_t *at);

/* Is the node a share of slots?  Some nodes are shares of cycles. */
bool td_node_is_in_slots(const struct td_node *node);

/*
 * node_events.c: returns the events to sample for a node without any in the metric files:
 * "A.B;C.D", the best ones first, or NULL.  Not every core has all of them.  "C.D|C.E" are names
 * of one event; use the first that the core has.  "PMU/TERMS/" is an event of another PMU, which
 * the machine may lack.
 */
const char *td_node_events_find(const char *node);
