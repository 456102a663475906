/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/eval: the values of metrics.
 *
 * In: a tree, and the totals of one interval.
 * Out: the rows of a struct td_report.
 */
#ifndef TD_METRICS_EVAL_EVAL_H
#define TD_METRICS_EVAL_EVAL_H

#include "lib/count/aggregate.h"
#include "lib/count/report.h"
#include "lib/machine/machine.h"
#include "metrics/eval/merge.h"
#include "metrics/tree/tree.h"

/*
 * The rows for totals: for each id one a PMU that has a tree and was counted
 * there.  merge: one a machine instead, each metric weighted by the slots of
 * its PMU.  times: of the same interval; NULL: not known.  Names are borrowed
 * from tree and totals.  Free with td_report_free(), whatever the result.
 */
int td_eval(struct td_tree *tree, const struct td_totals *totals,
	    const struct td_times *times, bool merge, struct td_report *report,
	    struct td_err *err);

#endif
