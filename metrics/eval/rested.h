/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_EVAL_RESTED_H
#define TD_METRICS_EVAL_RESTED_H

#include "metrics/eval/ranges.h"
#include "metrics/tree/tree.h"

/*
 * -l auto counts the children of a node while that is over its threshold.
 * Events that are always counted go on meanwhile, so that the sums over all of
 * the time cannot be divided by each other: what such a node had of the run is
 * the sum of what it had of each batch, and so the whole is that of its
 * parents.
 *
 * While it rested it had something between nothing and what its parent had
 * then: nothing is taken, and the most is added to the error.  But where the
 * parent was over its threshold, others had their turn, or it was opened only
 * then; there it is taken to have had the same part of the parent as otherwise,
 * with an error by how much that part changes.  Where there are no batches, all
 * of that is in the error.
 *
 * What never rested had more turns while others did: it, too, is summed by
 * batches then.
 */
struct td_rested {
	const struct td_report *report; /* whose rows these are */
	double *values; /* [row][column]: of the run; NaN: it never rested */
};

/*
 * Finds the values of what rested in some batch, and adds to the errors of the
 * report, which are those of the time in which it did not.  Returns 0 or
 * -ENOMEM; free it even then.
 */
int td_rested_find(struct td_rested *rested, const struct td_tree *tree,
		   const struct td_ranges *ranges, bool *any);
/* The values of a row, one a column; NULL: there is no such row. */
const double *td_rested_values(const struct td_rested *rested,
			       const struct td_row *row);
/* Sets them.  again: the same report, whose thresholds go by these values. */
void td_rested_set(const struct td_rested *rested, struct td_report *report,
		   const struct td_report *again);
void td_rested_free(struct td_rested *rested);

#endif
