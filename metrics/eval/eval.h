/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/eval: computes the values of metrics.
 *
 * In: a tree, and the totals of one interval.
 * Out: the rows of a struct td_report.
 */
#pragma once

#include "metrics/eval/evaluation.h"

void td_evaluation_make(struct td_evaluation *e, const struct td_tree *tree,
			const struct td_plan *plan);
void td_evaluation_free(struct td_evaluation *e);

#define TD_PACKAGE "package" /* name of the PMU in the row of a whole package */

/*
 * Computes a report.  For each id of totals, it has one row for each PMU that has a tree and was
 * opened there, and one for the package if the tree has package metrics.  merge: it has only one
 * row for each id, with metrics weighted by the slots of the PMUs.  times belong to the same
 * interval, or are NULL.  Strings are borrowed from e, its tree and totals.  The report must be
 * zeroed, or from an earlier call, whose memory is reused; free it with td_report_free().
 */
void td_eval(struct td_evaluation *e, const struct td_totals *totals, const struct td_times *times,
	     bool merge, struct td_report *report);

/*
 * Returns the number of metrics that td_eval() merges when all core types run.  *nr_lacking is the
 * number of those left out: not on all core types, or not a percentage; *nr_parts of those left out
 * because a sibling or ancestor is.
 */
size_t td_merge_count(const struct td_tree *tree, size_t *nr_lacking, size_t *nr_parts);
