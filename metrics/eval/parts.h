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

/* slots.c: the slots that a group counts, or NULL. */
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
