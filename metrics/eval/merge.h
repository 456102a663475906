/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_MERGE_H
#define TD_METRICS_EVAL_MERGE_H

#include "metrics/tree/tree.h"

/* The number of metrics that td_eval() can merge, if all kinds of core run. */
struct td_merge {
	size_t nr_kept;
	/* left out: not on all kinds of core, or no percentage */
	size_t nr_lacking;
	size_t nr_parts; /* left out: their siblings or parents are */
};

int td_merge_plan(const struct td_tree *tree, struct td_merge *merge);

#endif
