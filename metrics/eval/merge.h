/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_MERGE_H
#define TD_METRICS_EVAL_MERGE_H

#include "metrics/tree/tree.h"

/* How many metrics of a tree td_eval() merges, if all kinds of core run. */
struct td_merge {
	size_t nr_kept;
	size_t nr_lacking; /* left out: of some kinds alone, or no percentage */
	size_t nr_parts;   /* left out: without those they add up to nothing */
};

int td_merge_plan(const struct td_tree *tree, struct td_merge *merge);

#endif
