/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_EVALUATION_H
#define TD_METRICS_EVAL_EVALUATION_H

#include "lib/count/aggregate.h"
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

#endif
