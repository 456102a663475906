/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_DIFF_SUMMARY_H
#define TD_METRICS_DIFF_SUMMARY_H

#include "metrics/diff/result.h"

/* Marks what is more than chance, of all rows together.  Returns 0 or -ENOMEM. */
int td_diff_mark(struct td_diff *diff);
/* Sorts the rows as struct td_diff says.  Returns 0 or -ENOMEM. */
int td_diff_sort(struct td_diff *diff);

/* What a difference comes to: how much more or less it takes, and of what. */
struct td_diff_summary {
	/*
	 * Of commands the time, of recordings the slots of one unit of work;
	 * diff is NaN if neither is known.  In percent of A.
	 */
	bool of_time;
	struct td_diff_value whole;
	double change_pct, change_error;
	/*
	 * The node that most of the slots went to or came from, and its share of
	 * all that were saved, or added: of those of all nodes of level 1 that
	 * changed in this direction.  NULL: chance may have moved them, or they
	 * are not known.
	 */
	const struct td_diff_row *node;
	double node_pct;
	bool saved;
	/* else what changed most, by more than chance; NULL: nothing did */
	const struct td_diff_row *most;
};

/* Fewer on a side have too few degrees of freedom for most marks. */
#define TD_DIFF_FEW 3

/* Are there recordings enough to tell what is chance? */
bool td_diff_has_chances(const struct td_diff *diff);
struct td_diff_summary td_diff_sum_up(const struct td_diff *diff);
/*
 * How many runs a side are enough to tell that the whole differs, if it differs
 * and varies as it did in these.  0: there are enough, or no number would do that
 * anybody runs.
 */
size_t td_diff_enough(const struct td_diff *diff);

#endif
