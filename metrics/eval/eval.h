/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/eval: computes the values of metrics.
 *
 * In: a tree, and the totals of one interval.
 * Out: the rows of a struct td_report.
 */
#ifndef TD_METRICS_EVAL_EVAL_H
#define TD_METRICS_EVAL_EVAL_H

#include "lib/count/aggregator.h"
#include "lib/count/report.h"
#include "metrics/eval/evaluation.h"

/* What the row of a whole package has for a PMU. */
#define TD_PACKAGE "package"

/*
 * Computes a report: for each id of totals, one row for each PMU that has a
 * tree and was opened there, and one for the package if the tree has metrics of
 * it.  merge: one row for each id instead, with metrics
 * weighted by the slots of the PMUs.  times: of the same interval, or NULL.
 * Strings are borrowed from e, its tree and totals.  The report is zeroed, or was
 * used: its memory is used again.  Returns -ENOMEM; free with td_report_free() even
 * then.
 */
int td_eval(struct td_evaluation *e, const struct td_totals *totals,
	    const struct td_times *times, bool merge, struct td_report *report,
	    struct td_err *err);

#endif
