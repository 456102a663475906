/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/count/aggregator.h"
#include "lib/count/report.h"
#include "lib/plan/clocks.h"
#include "lib/plan/plan.h"
#include "metrics/tree/tree.h"

/* Bits that classify events of slots. */
enum {
	TD_IS_SLOTS = 1,
	TD_IS_FIELD = 2,   /* a field of PERF_METRICS */
	TD_IS_LEVEL_1 = 4, /* one of the first four fields */
	TD_IS_CYCLES = 8,
};

struct td_paused;

/* Reasons why nothing ran on a PMU. */
enum td_absence {
	TD_ABSENT,
	TD_ABSENT_OR_HELD,
	TD_NR_ABSENCES
};

/*
 * State for evaluating a tree, made once and used for all intervals of all runs.  Tree and
 * plan must outlive it.
 */
struct td_evaluation {
	const struct td_tree *tree;
	const struct td_plan *plan;    /* plan of the tree's events, in the same order */
	const struct td_total *totals; /* totals of the current id, one for each event */
	const struct td_times *times;
	bool tasks;
	bool whole;     /* the id comprises everything that is counted */
	bool in_cgroup; /* the id is a cgroup on CPUs */
	bool part;      /* user space or the kernel was not counted */
	bool unbounded; /* ignore bounds such as max(0, ...), for errors */
	int stepped;    /* 1 + a field of PERF_METRICS to increase by one step; 0: none */
	/*
	 * 1 + the index of a run of --no-multiplex: running_ns of cells includes only events that
	 * this run counts; 0: all events
	 */
	unsigned int run;
	const struct td_paused *paused; /* values that replace those from the totals; NULL: none */
	double *values;                 /* one for each operand of the tree */
	double *shifted;             /* one for each operand: the value minus or plus its error */
	double *counts;              /* one for each event, scaled to the whole time */
	int *groups;                 /* for each event, index of its group; -1: none */
	unsigned int *kinds;         /* one for each event: TD_IS_... bits */
	int (*clocks)[TD_NR_CLOCKS]; /* for each PMU, the events of its clocks; -1: none */
	int *dropped;                /* for each PMU, INT_MISC.UOP_DROPPING; -1: none */
	/*
	 * reasons why events did not run, made when needed: TD_NR_ABSENCES for each PMU, then
	 * one for each event
	 */
	char **gaps;
	size_t nr_gaps;
};

/* Is the event counted in steps of 1/255 of the slots?  Call td_eval() first. */
bool td_evaluation_has_step(const struct td_evaluation *e, int event);

/*
 * cells.c: marks the cells of a finished report whose thresholds hold at both ends of the error
 * intervals.  The last td_eval() must have been for the same totals, which have one id.
 */
void td_eval_find_clear(const struct td_evaluation *e, struct td_report *report);

/*
 * counts.c: marks each event that was counted only part of the time in any id, because its
 * group was multiplexed or paused.
 */
void td_eval_find_turns(const struct td_plan *plan, const struct td_totals *totals, bool *turns);

/* --- the parts of td_eval() ----------------------------------------------- */

#define TD_PERCENT 100

/* Maximum sum of the fields of level 1 / slots: fields are rounded, and read after SLOTS. */
#define TD_MAX_SUM 1.02

/* Did the event run whenever it was enabled, without multiplexing? */
bool td_total_ran_always(const struct td_total *total);
/* Did any event of the PMU run? */
bool td_eval_ran_on(const struct td_evaluation *e, int pmu);

/* counts.c: the first sets td_evaluation.groups, the second .kinds and .dropped. */
void td_eval_find_groups(const struct td_evaluation *e);
void td_eval_find_kinds(const struct td_evaluation *e);
/* Computes the counts from the totals, then the operands' values. */
void td_eval_fill_operands(const struct td_evaluation *e);
/*
 * Returns TD_MISFIT_SUM or TD_MISFIT_WIDTH if the slots are impossible.  Sets *most to the
 * maximum over the groups of (sum of the fields of level 1) / slots; NaN: unknown.
 */
enum td_misfit td_eval_slots_misfit(const struct td_evaluation *e, int pmu, double *most);

/* cells.c: fills a metric's cell; e->values must contain its value. */
void td_eval_fill_cell(const struct td_evaluation *e, const struct td_metric *metric,
		       struct td_cell *cell);
/* Marks the cells of a row that are worth showing. */
void td_eval_find_what_matters(struct td_row *row);
/* Returns the parent of a node in the order of the tree, or NULL. */
const struct td_node *td_eval_parent(const struct td_row *row, size_t node);
