/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TREE_H
#define TD_TREE_H

#include "lib/plan.h"
#include "lib/report.h"
#include "metrics/builtin.h"
#include "metrics/expr.h"

/* A metric on one PMU, ready to be computed. */
struct td_metric {
	const struct td_metric_def *def;
	int pmu;    /* index in the machine */
	int slot;   /* where its value goes */
	int column; /* of the report; -1: not shown */
	struct td_expr *value;
	struct td_expr *threshold; /* NULL: none */
	struct td_ints events;     /* all that it is made of */
};

/*
 * All that is computed from one set of counts, each metric behind those that
 * it refers to.  values[] holds constants, and while evaluating events and
 * metrics.  Free with td_tree_free().
 */
struct td_tree {
	const struct td_plan *plan; /* borrowed, as is the machine */
	const struct td_machine *machine;
	const struct td_metric_set **sets; /* one a PMU; NULL: none */
	int *levels; /* one a PMU: how deep it can be shown */
	size_t nr_pmus;
	struct td_metric *metrics;
	size_t nr_metrics;
	int *event_slots; /* one an event of the plan */
	size_t nr_event_slots;
	double *values;
	size_t nr_values;
	struct td_column *columns;
	size_t nr_columns;
	struct td_need *needs; /* one a metric that is shown, level 1 first */
	size_t nr_needs;
	int *references; /* for td_plan_build(): one a PMU, -1: none */
};

/*
 * The tree down to level on every PMU of the machine that has one, and the
 * events that it takes: into plan->events, or, if those are recorded ones
 * (fixed), out of them: what was not recorded is not shown.
 */
int td_tree_build(struct td_tree *tree, struct td_plan *plan,
		  const struct td_machine *machine, int level, bool fixed,
		  struct td_err *err);
void td_tree_free(struct td_tree *tree);

#endif
