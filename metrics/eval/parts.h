/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_PARTS_H
#define TD_METRICS_EVAL_PARTS_H

/* What eval.c is made of. */
#include "lib/count/aggregate.h"
#include "lib/count/report.h"
#include "metrics/tree/tree.h"

#define PERCENT 100

/* What one evaluation works with. */
struct td_evaluation {
	struct td_tree *tree;
	const struct td_total *totals; /* of one id, one an event */
	const struct td_times *times;
	double *counts; /* one an event: as if it had run all the time */
	int *groups;    /* one an event: the group it is in, -1: none */
	bool tasks;
};

/* Ran whenever it was enabled: takes no turns. */
bool td_total_ran_always(const struct td_total *total);

/* Did any event of the PMU run? */
bool td_eval_ran_on(const struct td_evaluation *e, int pmu);

/* counts.c: which group each event is in. */
void td_eval_find_groups(const struct td_evaluation *e);
/* Counts from totals, then the operands' values. */
void td_eval_fill_operands(const struct td_evaluation *e);

/* cells.c: one metric's cell; its operand has its value. */
void td_eval_fill_cell(const struct td_evaluation *e,
		       const struct td_metric *metric, struct td_cell *cell);
/* Says which of a row's cells are worth showing. */
void td_eval_find_what_matters(struct td_row *row);

/* merge.c: rows from first on become one. */
void td_eval_merge(struct td_report *report, size_t first, const char *id,
		   bool tasks);

#endif
