/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_EVALUATION_H
#define TD_METRICS_EVAL_EVALUATION_H

#include "lib/count/aggregator.h"
#include "lib/count/report.h"
#include "lib/plan/clocks.h"
#include "lib/plan/plan.h"
#include "metrics/tree/tree.h"

/* What an event's name says of its place among the slots; bits. */
enum {
	TD_IS_SLOTS = 1,
	TD_IS_FIELD = 2,   /* of PERF_METRICS */
	TD_IS_LEVEL_1 = 4, /* one of the first four fields */
	TD_IS_CYCLES = 8,
};

struct td_rested;

/* Why nothing ran on a PMU. */
enum td_absence {
	TD_ABSENT,
	TD_ABSENT_OR_HELD,
	TD_NR_ABSENCES
};

/*
 * What the evaluation of a tree works with.  It is made once, and used for all
 * intervals of all runs.  Tree and plan must outlive it.
 */
struct td_evaluation {
	const struct td_tree *tree;
	const struct td_plan *plan; /* of the tree's events, in their order */
	/* the id that is being evaluated: its totals, one for each event */
	const struct td_total *totals;
	const struct td_times *times;
	bool tasks;
	bool whole;     /* it is everything that is counted */
	bool in_cgroup; /* it is a cgroup on CPUs */
	bool part;      /* user space or the kernel was not counted */
	bool unbounded; /* without bounds such as max(0, ...): for errors */
	/*
	 * 1 + an event, a field of PERF_METRICS, that is to be larger by one
	 * step; 0: none.
	 */
	int stepped;
	/*
	 * 1 + a run of --no-multiplex: the cells' running_ns are of the events
	 * that this run counts; 0: of all.
	 */
	unsigned int run;
	/* values that are known in place of those of the totals; NULL: none */
	const struct td_rested *rested;
	double *values;      /* one for each operand of the tree */
	double *shifted;     /* the same, for values that may be true as well */
	double *counts;      /* one for each event, scaled to the whole time */
	int *groups;         /* one for each event: its group; -1: none */
	unsigned int *kinds; /* one for each event: TD_IS_SLOTS, ... */
	/* one for each PMU: the events of its clocks; -1: none */
	int (*clocks)[TD_NR_CLOCKS];
	int *dropped; /* one for each PMU: INT_MISC.UOP_DROPPING; -1: none */
	/*
	 * texts why events did not run, made when needed: for each PMU one for
	 * each td_absence, then one for each event
	 */
	char **gaps;
	size_t nr_gaps;
};

/*
 * Is the event counted in steps of 1/255 of the slots?  After a first td_eval()
 * of the plan.
 */
bool td_evaluation_has_step(const struct td_evaluation *e, int event);
/* Free with td_evaluation_free(), even after -ENOMEM. */
int td_evaluation_make(struct td_evaluation *e, const struct td_tree *tree,
		       const struct td_plan *plan, struct td_err *err);
void td_evaluation_free(struct td_evaluation *e);
/*
 * Makes room for each event of the plan.  Opening the counters of a further run
 * may have split groups, which adds events; *grown tells it.  Returns -ENOMEM.
 */
int td_evaluation_fit(struct td_evaluation *e, bool *grown);

/*
 * cells.c: marks the cells of a finished report whose thresholds hold in the
 * whole of their intervals.  td_eval() must have been called last for the same
 * totals, of one id.
 */
void td_eval_find_clear(const struct td_evaluation *e,
			struct td_report *report);

/*
 * counts.c: sets for each event whether it was counted for a part of the time
 * only, anywhere: because groups took turns, or because its group rested.
 */
void td_eval_find_turns(const struct td_plan *plan,
			const struct td_totals *totals, bool *turns);

/* merge.c: the number of metrics that td_eval() can merge, if all kinds of core run. */
struct td_merge {
	size_t nr_kept;
	/* left out: not on all kinds of core, or no percentage */
	size_t nr_lacking;
	size_t nr_parts; /* left out: their siblings or parents are */
};

int td_merge_plan(const struct td_tree *tree, struct td_merge *merge);

/* --- the parts of td_eval() ----------------------------------------------- */

#define TD_PERCENT 100

/* Did the event run whenever it was enabled, without taking turns? */
bool td_total_ran_always(const struct td_total *total);

/* Did any event of the PMU run? */
bool td_eval_ran_on(const struct td_evaluation *e, int pmu);

/* counts.c: finds the group of each event. */
void td_eval_find_groups(const struct td_evaluation *e);
/* Computes the counts from the totals, then the operands' values. */
void td_eval_fill_operands(const struct td_evaluation *e);

/*
 * gaps.c: finds the reason why a metric's events do not allow a value, or NULL: all
 * of them must have run, on CPUs of the row and of no other, and those of its own PMU
 * on the same ones.  A short-lived task may have run with one group on and not with
 * the next, so for tasks a difference of 1 % of the time is accepted.
 */
const char *td_eval_find_gap(const struct td_evaluation *e,
			     const struct td_metric *metric);
/* cells.c: fills a metric's cell; its operand already has the value. */
void td_eval_fill_cell(const struct td_evaluation *e,
		       const struct td_metric *metric, struct td_cell *cell);
/* Marks the cells of a row that are worth showing. */
void td_eval_find_what_matters(struct td_row *row);

/* busy.c: finds the events of the clocks. */
void td_eval_find_clocks(const struct td_evaluation *e);
/* Fills in how busy the CPUs or tasks of a PMU's row were. */
void td_eval_fill_busy(const struct td_evaluation *e, int pmu,
		       struct td_row *row);
/* The same for one row of all these. */
void td_eval_merge_busy(const struct td_row *rows, size_t nr,
			struct td_row *merged);
/* Too little went on for marks.  The row has its share of the slots already. */
bool td_eval_is_idle(const struct td_evaluation *e, const struct td_row *row);
/* Did somebody else have the counters most of the time? */
bool td_eval_is_held(const struct td_evaluation *e);
/* What the report says of all tasks. */
void td_eval_fill_tasks(const struct td_evaluation *e,
			struct td_report *report);

/* misfits.c: the slots that a group counts, or NULL. */
const struct td_total *td_eval_slots_of(const struct td_evaluation *e,
					const struct td_group *group);
/* Finds td_evaluation.kinds and .dropped. */
void td_eval_find_kinds(const struct td_evaluation *e);
/*
 * TD_MISFIT_SUM or TD_MISFIT_WIDTH if the slots cannot be.  *sum: the four fields
 * of level 1 over the slots, in the group where that is most; NaN: unknown.
 */
enum td_misfit td_eval_slots_misfit(const struct td_evaluation *e, int pmu,
				    double *sum);
/*
 * Formulas subtract INT_MISC.UOP_DROPPING: the share of the slots that it is,
 * in per cent; NaN: none, or unknown.
 */
double td_eval_correction(const struct td_evaluation *e, int pmu);

/* merge.c: merges the report's rows from first on into one. */
void td_eval_merge(const struct td_evaluation *e, struct td_report *report,
		   size_t first, const char *id);

#endif
