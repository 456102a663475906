/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_PARTS_H
#define TD_METRICS_EVAL_PARTS_H

/* The parts of td_eval(). */
#include "metrics/eval/evaluation.h"

#define TD_PERCENT 100

/* Did the event run whenever it was enabled, without taking turns? */
bool td_total_ran_always(const struct td_total *total);

/* Did any event of the PMU run? */
bool td_eval_ran_on(const struct td_evaluation *e, int pmu);

/* counts.c: finds the group of each event. */
void td_eval_find_groups(const struct td_evaluation *e);
/* Computes the counts from the totals, then the operands' values. */
void td_eval_fill_operands(const struct td_evaluation *e);

/* cells.c: fills a metric's cell; its operand already has the value. */
void td_eval_fill_cell(const struct td_evaluation *e,
		       const struct td_metric *metric, struct td_cell *cell);
/* Marks the cells of a row that are worth showing. */
void td_eval_find_what_matters(struct td_row *row);

/* slots.c: TD_MISFIT_SUM or TD_MISFIT_WIDTH if the slots cannot be. */
enum td_misfit td_eval_slots_misfit(const struct td_evaluation *e, int pmu);
/*
 * Formulas subtract INT_MISC.UOP_DROPPING: the share of the slots that it is,
 * in per cent, and its event, or NaN and -1.
 */
double td_eval_correction(const struct td_evaluation *e, int pmu, int *event);

/* merge.c: merges the report's rows from first on into one. */
void td_eval_merge(struct td_report *report, size_t first, const char *id,
		   bool tasks);

#endif
