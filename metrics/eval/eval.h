/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_EVAL_H
#define TD_METRICS_EVAL_EVAL_H

#include "lib/count/aggregate.h"
#include "lib/count/report.h"
#include "lib/machine/machine.h"
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
/* How many metrics of a tree td_eval() merges, if all kinds of core run. */
struct td_merge {
	size_t nr_kept;
	size_t nr_lacking; /* left out: of some kinds alone, or no percentage */
	size_t nr_parts;   /* left out: without those they add up to nothing */
};

int td_merge_plan(const struct td_tree *tree, struct td_merge *merge);

#endif
